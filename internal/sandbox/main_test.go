package sandbox

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if status, mine := Main(os.Args[1:]); mine {
		os.Exit(status)
	}
	os.Exit(m.Run())
}
