package nsjail_test

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

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
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "nsjail-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		stateDir = dir
		shared, err = newRunner(nil, nil)
		if err != nil {
			slog.Error("these tests need root and every kernel layer; `safe-exec doctor` says which is missing", "error", err)
			return 1
		}
		defer shared.Close()
		return m.Run()
	}())
}

var stateDir string

func newRunner(program []byte, skip []string) (*nsjail.Runner, error) {
	all, err := profiles.Default()
	if err != nil {
		return nil, err
	}
	return wiring.Runner(context.Background(), wiring.Config{
		Profiles: all, StateDir: stateDir, UIDs: lease.DefaultRange,
		EnableControllers: os.Getenv("SAFEEXEC_VM") == "1",
		Log:               slog.New(slog.NewTextHandler(os.Stderr, nil)), Program: program, Skip: skip,
	})
}

// execute runs a program on the shared Runner and wants a verdict.
func execute(t *testing.T, req policy.Request) *policy.Result {
	t.Helper()
	result, err := shared.Execute(t.Context(), req)
	require.NoError(t, err)
	return result
}

func TestSelfTest(t *testing.T) {
	require.NoError(t, shared.SelfTest(t.Context()))
}
