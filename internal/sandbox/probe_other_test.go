//go:build !linux || !(amd64 || arm64)

package sandbox

import "errors"

func runAs(uint32, string, ...string) (string, error) { return "", errors.ErrUnsupported }
