package nsjail_test

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"safe-exec/internal/testproc"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// shared is one Runner for all tests of real jails: building the images is the
// slow part.
var shared *nsjail.Runner

func TestMain(m *testing.M) {
	testproc.OwnMounts()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "nsjail-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		stateDir = dir
		all, err := profiles.Default()
		if err != nil {
			panic(err)
		}
		reachableLimits(all)
		shared, err = newRunner(all, nil, nil)
		if err != nil {
			slog.Error("these tests need root and every kernel layer; `safe-exec doctor` says which is missing", "error", err)
			return 1
		}
		defer shared.Close()
		code := m.Run()
		if names := unasked(); code == 0 && len(names) > 0 && flag.Lookup("test.run").Value.String()+flag.Lookup("test.skip").Value.String()+flag.Lookup("test.list").Value.String() == "" {
			slog.Error("a list names rows that are none", "list", "fewer", "rows", names)
			return 1
		}
		return code
	}())
}

var stateDir string

func newRunner(chosen map[string]policy.Profile, program []byte, skip []string) (*nsjail.Runner, error) {
	return wiring.Runner(context.Background(), wiring.Config{
		Profiles: chosen, StateDir: stateDir, UIDs: lease.DefaultRange, StartTimeout: startTimeout,
		EnableControllers: inVM,
		Log:               slog.New(slog.NewTextHandler(os.Stderr, nil)), Program: program, Skip: skip,
	})
}

func TestSelfTest(t *testing.T) {
	require.NoError(t, shared.SelfTest(t.Context()))
}
