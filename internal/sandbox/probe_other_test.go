//go:build !linux

package sandbox

import "errors"

func runAs(uint32, string, ...string) (string, error) { return "", errors.ErrUnsupported }
