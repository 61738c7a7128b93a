//go:build !linux

package main

// undumpable does nothing here: scripts run on Linux only.
func undumpable() {}
