package regrtest

import (
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/wiring"
	"safe-exec/nsjail/image"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// TestThreeQuickModules is the part of `make regrtest` that every test run can
// afford. The last of them has tests that must differ: a jail has no child
// processes.
func TestThreeQuickModules(t *testing.T) {
	all, err := profiles.Default()
	require.NoError(t, err)
	python, _, err := image.Find(t.Context(), policy.Python, all[string(policy.Python)].Interpreter)
	require.NoError(t, err)
	if !Installed(t.Context(), python) {
		t.Skipf("NO REGRESSION TESTS: %s has no package test, so none of CPython's own tests was run; install libpython3.11-testsuite, or use make regrtest", python)
	}
	runner, err := wiring.Runner(t.Context(), wiring.Config{
		Profiles: map[string]policy.Profile{profiles.PythonFull: Profile(all)},
		StateDir: t.TempDir(), UIDs: lease.DefaultRange, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	require.NoError(t, err)
	t.Cleanup(runner.Close)
	listed, err := Listed()
	require.NoError(t, err)
	for _, module := range []struct {
		name   string
		tests  int // at least
		differ int
	}{
		{"test_textwrap", 60, 0},
		{"test_typing", 500, 0},
		{"test_base64", 30, 6},
	} {
		t.Run(module.name, func(t *testing.T) {
			row, err := Run(t.Context(), python, runner, module.name, listed)
			require.NoError(t, err)
			assert.GreaterOrEqual(t, row.Tests, module.tests)
			assert.Len(t, row.Differences, module.differ)
			for _, d := range row.Differences {
				assert.True(t, d.Listed, d.String())
			}
		})
	}
}
