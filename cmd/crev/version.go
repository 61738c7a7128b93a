package main

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
)

// versionCommand says which build this is, as the Go toolchain recorded it.
func versionCommand(_ context.Context, w world, flags *flag.FlagSet, args []string) error {
	if err := noArgs(flags, args); err != nil {
		return err
	}
	version, commit := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = " " + s.Value
			}
		}
	}
	fmt.Fprintf(w.out, "crev %s%s\n", version, commit)
	return nil
}
