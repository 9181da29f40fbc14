package battery

import (
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/wiring"
	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/lease"
	"safe-exec/profiles"
)

// These run in the virtual machine alone: the controls and, more so, a jail with
// a layer left out want a host that nobody else is on. On the host the command
// runs the battery.

func start(t *testing.T) *Set {
	t.Helper()
	if os.Getenv("SAFEEXEC_VM") != "1" {
		t.Skip("for the virtual machine: make vmtest-full")
	}
	all, err := profiles.Default()
	require.NoError(t, err)
	s, err := New(t.Context(), wiring.Config{
		Profiles: all, StateDir: t.TempDir(), UIDs: lease.DefaultRange, EnableControllers: true,
		StartTimeout: 2 * time.Minute, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}, []string{"relaxed"})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// severe are the probes of severity C: with a small machine's time, those first.
func severe(probes []escape.Probe) []escape.Probe {
	return slices.DeleteFunc(slices.Clone(probes), func(p escape.Probe) bool { return p.Severity != "C" })
}

// TestShortFormIsHeld is what the daemon asks itself, on this kernel. The
// controls are won on the host.
func TestShortFormIsHeld(t *testing.T) {
	s := start(t)
	guard, err := escape.NewGuard(s.Executor, "relaxed")
	require.NoError(t, err)
	status := guard.Check(t.Context())
	t.Logf("%d probes in %.0f ms", status.Probes, status.Millis)
	assert.True(t, status.Held, status.Detail)
	assert.Greater(t, status.Probes, 20)
}

func TestSevereProbesAreHeld(t *testing.T) {
	s := start(t)
	wantHeld(t, s, severe(s.Probes))
}

func TestEveryProbeIsHeld(t *testing.T) {
	s := start(t)
	s.Levels = []string{"strict", "relaxed"}
	wantHeld(t, s, s.Probes)
}

func wantHeld(t *testing.T, s *Set, probes []escape.Probe) {
	t.Helper()
	report, err := s.Run(t.Context(), probes, 4, "test")
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, report.Text(&text))
	t.Log(text.String())
	for _, row := range report.Rows {
		assert.True(t, row.Verdict.Good(), "%s: %s: %s", row.Name, row.Verdict, row.Evidence)
	}
}
