// Package crevtest holds the servers that crev is tested against: a GitHub and
// a model endpoint, spoken to over HTTP by the real clients. Both are also
// commands of the scenarios in testdata/script.
//
// The package is for tests only. It reads GitHub's schemas from testdata at
// the root of the module.
package crevtest
