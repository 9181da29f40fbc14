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
		return m.Run()
	}())
}

var stateDir string

// startMode makes all programs of these tests run in jails that were made in one
// way: what is true of a run must be so however it was started.
var startMode = flag.String("start-mode", "", "cold, warm or fork")

func newRunner(chosen map[string]policy.Profile, program []byte, skip []string) (*nsjail.Runner, error) {
	return wiring.Runner(context.Background(), wiring.Config{
		Profiles: chosen, StateDir: stateDir, UIDs: lease.DefaultRange, StartTimeout: startTimeout,
		EnableControllers: inVM,
		Log:               slog.New(slog.NewTextHandler(os.Stderr, nil)), Program: program, Skip: skip,
	})
}

func asked(req policy.Request) policy.Request {
	if *startMode != "" {
		req.StartMode, req.Privileged = *startMode, true
	}
	return req
}

// execute runs a program on the shared Runner and wants a verdict.
func execute(t *testing.T, req policy.Request) *policy.Result {
	t.Helper()
	result, err := shared.Execute(t.Context(), asked(unhurried(req)))
	require.NoError(t, err)
	return result
}

func TestSelfTest(t *testing.T) {
	require.NoError(t, shared.SelfTest(t.Context()))
}
