package sandbox

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if status, mine := Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}
