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
		t.Skip("for the virtual machine: make vmtest has the probes of severity C, make vmtest-full all of them")
	}
	all, err := profiles.Default()
	require.NoError(t, err)
	// Bounds that the machine can run into within the longest time limit.
	python := all["python"]
	python.Fixed.MaxOutputBytes, python.Fixed.MaxDenials = 128<<20, 1000
	all["python"] = python
	s, err := New(t.Context(), wiring.Config{
		Profiles: all, StateDir: t.TempDir(), UIDs: lease.DefaultRange, EnableControllers: true,
		StartTimeout: 2 * time.Minute, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}, []string{"relaxed"}, "test")
	require.NoError(t, err)
	t.Cleanup(s.Close)
	s.Trace, s.Patience, s.Bound = t.Logf, 30*time.Second, 2*time.Minute
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
	guard, err := escape.NewGuard(escape.GuardConfig{Executor: s.Executor, Level: "relaxed", Dir: escape.DefaultDir, Interval: time.Minute})
	require.NoError(t, err)
	status := guard.Check(t.Context())
	t.Logf("%d probes in %.0f ms", status.Probes, status.Millis)
	assert.True(t, status.Held, status.Detail)
	assert.Greater(t, status.Probes, 20)
}

func TestSevereProbesAreHeld(t *testing.T) {
	s := start(t)
	wantHeld(t, s, severe(s.Probes), atOnce)
}

func TestEveryProbeIsHeld(t *testing.T) {
	s := start(t)
	s.Levels = []string{"strict", "relaxed"}
	var modest, hungry []escape.Probe
	for _, p := range s.Probes {
		// Those that take as much as they can get, and their controls, want the
		// machine for themselves.
		if p.Family == "C5" || p.Limits.MaxMemoryMB != nil {
			hungry = append(hungry, p)
		} else {
			modest = append(modest, p)
		}
	}
	for _, batch := range []struct {
		name   string
		probes []escape.Probe
		n      int
	}{{"modest ones, some at once", modest, atOnce}, {"hungry ones, one by one", hungry, 1}} {
		t.Run(batch.name, func(t *testing.T) {
			s.Trace = t.Logf
			wantHeld(t, s, batch.probes, batch.n)
		})
	}
}

// atOnce is twice the machine's processors: a probe waits as long as it computes.
const atOnce = 4

// newerCalls ask for system calls that the machine's kernel is too old for.
var newerCalls = []string{"c4_cachestat"}

func wantHeld(t *testing.T, s *Set, probes []escape.Probe, n int) {
	t.Helper()
	report, err := s.Run(t.Context(), probes, n)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, report.Text(&text))
	t.Log(text.String())
	for _, row := range report.Rows {
		if row.Verdict == escape.NotAsked {
			assert.Contains(t, newerCalls, row.Name, row.Evidence)
			continue
		}
		assert.True(t, row.Verdict.Good(), "%s: %s: %s", row.Name, row.Verdict, row.Evidence)
	}
	assert.Empty(t, report.Host.Left)
	assert.True(t, report.Held, report.Summary())
}
