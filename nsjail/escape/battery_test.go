package escape_test

import (
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/battery"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/lease"
	"safe-exec/profiles"
)

const attack = "# technique: t\n# family: C1\n# severity: H\n# layers: seccomp\n"

// own are probes that are not embedded: what the battery must say of a probe
// that proves nothing, and of a jail that does not hold, no embedded one shows.
var own = map[string]struct {
	name, file, text string
	want             escape.Verdict
}{
	"own_no_control": {
		"a probe that wins nowhere is broken", "own_no_control.py",
		attack + "try:\n    won(open('@DIR@/nothing').read())\nexcept OSError as e:\n    held(errno_name(e))\n", escape.Broken,
	},
	"own_silent_control": {
		"a probe that says nothing where it should win is broken", "own_silent_control.py", attack + "print('hello')\n", escape.Broken,
	},
	"own_crashed_control": {
		"a probe whose control is killed is broken", "own_crashed_control.py",
		attack + "# policy: relaxed\nimport os\nos.kill(os.getpid(), 9)\n", escape.Broken,
	},
	"own_escape": {
		"a probe that wins inside has escaped", "own_escape.py", attack + "won('out')\n", escape.Escaped,
	},
	"own_forgery": {
		"a verdict that is not the demanded one has escaped", "own_forgery.py",
		attack + "# verdict: memory_limit\nwon('x')\n", escape.Escaped,
	},
	"own_demand": {
		"a field that is not as demanded has escaped", "own_demand.js",
		"// technique: t\n// family: C6\n// severity: H\n// layers: verdict\n// verdict: completed\n// expect: exit_code=3\nwon('x');\n", escape.Escaped,
	},
	"own_file": {
		"a file that comes back with the canary has escaped, whatever the probe says", "own_file.py",
		attack + "# policy: relaxed\n# collect: yes\nwith open('a', 'wb') as f:\n    f.write(b'\\xff@CANARY@')\nheld('left')\n", escape.Escaped,
	},
	"own_collected": {
		"a probe that leaves a collector nothing is broken", "own_collected.py", attack + "# policy: relaxed\n# collect: yes\nheld('left nothing')\n", escape.Broken,
	},
	"own_innocent": {
		"an innocent that cannot work is refused", "own_innocent.py",
		"# technique: t\n# family: innocents\n# innocent: yes\n# policy: relaxed\nimport socket\nwon(socket.socket())\n", escape.Refused,
	},
}

// embedded are some of the table, by what must become of them.
var embedded = map[string]escape.Verdict{
	"c1_host_read": escape.Held, "c4_fork": escape.Held, "c4_io_uring": escape.Held, "c6_exit_like_memory": escape.Held,
	"c5_memory_heap": escape.Killed, "c5_sleep": escape.Killed,
	"innocent_json": escape.Works, "innocent_json_node": escape.Works,
}

func newSet(t *testing.T, levels ...string) *battery.Set {
	if os.Getuid() != 0 {
		t.Fatal("needs root")
	}
	all, err := profiles.Default()
	require.NoError(t, err)
	set, err := battery.New(t.Context(), wiring.Config{
		Profiles: all, StateDir: t.TempDir(), UIDs: lease.DefaultRange, StartTimeout: time.Minute,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}, levels, "test")
	require.NoError(t, err)
	t.Cleanup(set.Close)
	set.Patience = 20 * time.Second // a probe of another limit must run into that one, on a busy machine too
	return set
}

func TestBatteryOnRealJails(t *testing.T) {
	set := newSet(t, "relaxed")
	probes := slices.DeleteFunc(slices.Clone(set.Probes), func(p escape.Probe) bool { return embedded[p.Name] == "" })
	require.Len(t, probes, len(embedded))
	for _, o := range own {
		p, err := escape.Load(o.file, o.text)
		require.NoError(t, err, o.file)
		probes = append(probes, p)
	}
	for name, n := range map[string]int{"one at a time": 1, "eight at once": 8} {
		t.Run(name, func(t *testing.T) {
			report, err := set.Run(t.Context(), probes, n)
			require.NoError(t, err)
			require.Len(t, report.Rows, len(probes))
			assert.False(t, report.Held)
			assert.Empty(t, report.Host.Left)
			assert.Positive(t, report.Host.Before.Mounts)
			assert.Positive(t, report.Host.After.Mounts, "fewer is no harm: others on this host unmount, too")
			assert.Positive(t, report.Host.HelloAfter)
			for _, row := range report.Rows {
				want, what := embedded[row.Name], row.Technique
				if o, ok := own[row.Name]; ok {
					want, what = o.want, o.name
				}
				assert.Equal(t, want, row.Verdict, "%s (%s): %s; control: %s", what, row.Name, row.Evidence, row.Control)
				assert.NotEmpty(t, row.Evidence, row.Name)
			}
		})
	}

	t.Run("a stuck probe costs its bound, and no other its verdict", func(t *testing.T) {
		stuck, err := escape.Load("own_stuck.py", attack+"# policy: relaxed\n# timeout_ms: 30000\nimport time\ntime.sleep(60)\n")
		require.NoError(t, err)
		i := slices.IndexFunc(probes, func(p escape.Probe) bool { return p.Name == "c1_host_read" })
		set.Bound = 8 * time.Second // less than the run's own limit, more than the other takes on a busy machine
		begin := time.Now()
		report, err := set.Run(t.Context(), []escape.Probe{stuck, probes[i]}, 1)
		require.NoError(t, err)
		assert.Less(t, time.Since(begin), 60*time.Second, "what the control alone would sleep")
		verdicts := make(map[string]escape.Verdict)
		for _, row := range report.Rows {
			verdicts[row.Name] = row.Verdict
		}
		assert.Equal(t, map[string]escape.Verdict{"own_stuck": escape.Broken, "c1_host_read": escape.Held}, verdicts)
	})
}

// TestPolicyVerdictOnRealJails: what becomes of a technique against the import
// policy. Outside, the module json shows what it imports; a restricted program
// does not see it, so the first lines decide.
func TestPolicyVerdictOnRealJails(t *testing.T) {
	const (
		asks  = "# technique: t\n# family: A\n# severity: H\n# layers: policy, seccomp\nimport json\n"
		wins  = "(won if hasattr(json, 'codecs') else held)('codecs')\n"
		takes = "reached('what it is after')\n"
	)
	set := newSet(t, "strict", "relaxed")
	for _, row := range []struct {
		name, text      string
		strict, relaxed escape.Verdict
	}{
		{"an object in hand is a fall of the policy, though it was of no use", asks + takes + wins, escape.Passed, escape.Escaped},
		{"nothing in hand is held", asks + "if hasattr(json, 'codecs'):\n    " + takes + wins, escape.Held, escape.Escaped},
		{"a control that wins without anything in hand proves nothing", asks + wins, escape.Broken, escape.Escaped},
		{"a program that is rejected is not reached", asks + takes + "import os\n" + wins, escape.NotReached, escape.Escaped},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := escape.Load("a_own.py", row.text)
			require.NoError(t, err)
			rows, err := set.Battery.Run(t.Context(), p)
			require.NoError(t, err)
			require.Len(t, rows, 2)
			assert.Equal(t, row.strict, rows[0].Verdict, rows[0].Evidence)
			assert.Equal(t, row.relaxed, rows[1].Verdict, rows[1].Evidence)
			assert.Equal(t, row.strict == escape.Passed, rows[0].Reached)
		})
	}
}
