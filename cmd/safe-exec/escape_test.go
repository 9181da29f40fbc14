package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/escape"
)

// attack runs some probes against a daemon and gives the report.
func (w targets) attack(t *testing.T, d *served, probes string, args ...string) (outcome, *escape.Report) {
	t.Helper()
	got := w.invocation().run(t, append([]string{"escape", "--json", "--socket", d.socket, "--probe", probes}, args...)...)
	var report escape.Report
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report), got.stderr)
	return got, &report
}

// verdicts of a report, by probe and policy.
func verdictsOf(r *escape.Report) map[string]escape.Verdict {
	all := make(map[string]escape.Verdict)
	for _, row := range r.Rows {
		all[row.Name+" "+row.Policy] = row.Verdict
	}
	return all
}

// apart starts a program in namespaces of its own, with another TMPDIR than
// everybody else sees, as systemd starts the unit.
var apart = []string{"unshare", "--mount", "--net", "--ipc", "--uts", "sh", "-c",
	`mount --make-rprivate / && mount -t tmpfs -o mode=1777 tmpfs "$TMPDIR" && ` +
		`exec env -i NOTIFY_SOCKET="$NOTIFY_SOCKET" INVOCATION_ID=0123456789abcdef "$@"`, "sh"}

func TestEscapeFromALiveDaemon(t *testing.T) {
	t.Parallel()
	const some = "^(c1_host_read|c2_environment|c2_environment_stack|c3_unix_abstract|c4_fork|c5_memory_heap|innocent_json)$"
	held := map[string]escape.Verdict{
		"c1_host_read strict": escape.NotReached, "c1_host_read relaxed": escape.Held,
		"c2_environment strict": escape.NotReached, "c2_environment relaxed": escape.Held,
		"c2_environment_stack relaxed": escape.Held, "c4_fork relaxed": escape.Held,
		"c3_unix_abstract strict": escape.NotReached, "c3_unix_abstract relaxed": escape.Held,
		"c5_memory_heap strict": escape.Killed, "c5_memory_heap relaxed": escape.Killed,
		"innocent_json strict": escape.Works, "innocent_json relaxed": escape.Works,
	}
	for _, row := range []struct {
		name, config string
		by           []string
		args         []string
		change       map[string]escape.Verdict // of held
		said         string
	}{
		{"one that serves all that probes need", "python_full: true\n", nil, nil, nil, ""},
		{"many probes at once, and few places", "python_full: true\nruns: 1\nqueue: 1\n", nil, []string{"--parallel", "6"}, nil, ""},
		{"one without the whole library", "runs: 2\n", nil, nil,
			map[string]escape.Verdict{"c2_environment_stack relaxed": escape.NotAsked},
			"safe-exec: 1 not asked: the daemon has no profile python-full (python_full in its configuration)\n"},
		{"one that gives less memory than a probe wants",
			"python_full: true\nprofiles: {python: {requestable: {max_memory_mb: {min: 32, default: 48, max: 48}}}}\n", nil, nil,
			map[string]escape.Verdict{"c5_memory_heap strict": escape.NotAsked, "c5_memory_heap relaxed": escape.NotAsked},
			"safe-exec: 2 not asked: limits.max_memory_mb is 64, the maximum is 48\n"},
		{"one in namespaces of its own", "python_full: true\n",
			apart, []string{"--parallel", "2"}, nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			config, socket, own := program(t, "c.yaml", noSpares+row.config), newSocket(t), newTargets(t)
			d := invocation{by: row.by, env: own.invocation().env}.launch(t, socket, "--config", config)
			d.expect(t, "READY=1")
			got, report := own.attack(t, d, some, append(row.args, "--policy", "strict,relaxed", "--config", config)...)
			assert.Zero(t, got.code)
			assert.Equal(t, row.said, got.stderr)
			assert.True(t, report.Held, "%s", report.Summary())
			want := make(map[string]escape.Verdict)
			for name, v := range held {
				want[name] = v
			}
			for name, v := range row.change {
				want[name] = v
			}
			assert.Equal(t, want, pick(verdictsOf(report), want))

			require.NotNil(t, report.Daemon)
			assert.Equal(t, escape.Daemon{Socket: d.socket, PID: d.cmd.Process.Pid}, *report.Daemon)
			for _, row := range report.Rows {
				if row.Verdict != escape.NotAsked {
					assert.NotEmpty(t, row.Control, row.Name)
				}
			}
			assert.NotEmpty(t, report.Kernel)
			assert.NotEmpty(t, report.Layers)
			for _, f := range report.Filters {
				assert.Len(t, f.Startup, 64)
				assert.Len(t, f.Steady, 64)
			}
			assert.Positive(t, report.Host.Before.FDs)
			assert.Positive(t, report.Host.Before.Mounts)
			assert.Positive(t, report.Host.HelloAfter)
			parents := d.parents(t) // a jail ends a moment after its answer
			eventually(t, func() bool { return len(leaves(parents)) == 0 }, "a jail does not end: %s", d)
		})
	}
}

func pick(all, of map[string]escape.Verdict) map[string]escape.Verdict {
	some := make(map[string]escape.Verdict)
	for name := range of {
		if v, ok := all[name]; ok {
			some[name] = v
		}
	}
	return some
}

// targets is a directory for what batteries plant. No other battery uses it, and every
// uid may enter it.
type targets string

func newTargets(t *testing.T) targets {
	t.Helper()
	dir, err := os.MkdirTemp("", "safe-exec-targets-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return targets(dir)
}

// invocation is of a command that plants there.
func (w targets) invocation() invocation { return invocation{env: []string{"TMPDIR=" + string(w)}} }

// planted are the directories that batteries have made there.
func (w targets) planted(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob(string(w) + "/safe-exec-escape-*")
	require.NoError(t, err)
	return dirs
}

// attacking is a battery in the middle of its probes, and the processes of one of
// them.
func (w targets) attacking(t *testing.T, d *served) (cmd *exec.Cmd, out *bytes.Buffer, pids map[int]bool) {
	t.Helper()
	out = new(bytes.Buffer)
	cmd = w.invocation().command("escape", "--socket", d.socket, "--policy", "relaxed",
		"--probe", "^c5_(sleep|big_number|hash_rounds|signals_ignored|stops_itself|regular_expression|thread_outlives_main)$")
	cmd.Stdout, cmd.Stderr = out, out
	ran := func() int { return strings.Count(d.log.String(), `"msg":"run"`) }
	before := ran()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	eventually(t, func() bool { return ran() >= before+5 }, "the innocent ones do not run: %s", d)
	pids, _ = d.awaitRuns(t, 1)
	require.Len(t, w.planted(t), 1)
	return cmd, out, pids
}

func TestABatteryThatIsEndedLeavesNothing(t *testing.T) {
	t.Parallel()
	own, d := newTargets(t), startAlone(t)
	for _, row := range []struct {
		name string
		with syscall.Signal
	}{
		{"interrupted, it cleans up", syscall.SIGINT},
		{"killed, the next one does", syscall.SIGKILL},
	} {
		t.Run(row.name, func(t *testing.T) {
			cmd, out, pids := own.attacking(t, d)
			watched := watch(t, pids)
			require.NoError(t, cmd.Process.Signal(row.with))
			_ = cmd.Wait()
			watched.allGone(t)
			eventually(t, func() bool { return len(leaves(d.parents(t))) == 0 }, "a jail does not end: %s", d)
			if row.with == syscall.SIGINT {
				assert.Equal(t, 125, cmd.ProcessState.ExitCode())
				assert.Equal(t, "safe-exec: escape: stopped by a signal\n", out.String())
			} else {
				assert.Len(t, own.planted(t), 1, "nobody was left to take them away")
				got, _ := own.attack(t, d, "^innocent_json$")
				assert.Zero(t, got.code)
			}
			assert.Empty(t, own.planted(t))
		})
	}
}

// What is watched is the daemon's, so its end in the middle is seen.
func TestADaemonThatDiesUnderAttackIsAFinding(t *testing.T) {
	t.Parallel()
	own, d := newTargets(t), startAlone(t)
	cmd, out, _ := own.attacking(t, d)
	require.NoError(t, d.cmd.Process.Kill())
	_ = cmd.Wait()
	assert.Equal(t, 1, cmd.ProcessState.ExitCode(), out.String())
	assert.Contains(t, out.String(), "\nbroken ")
	assert.Contains(t, out.String(), "LEFT BEHIND: compare the host: ")
	assert.Empty(t, own.planted(t))
}

func TestEscapeInThisProcess(t *testing.T) {
	t.Parallel()
	own := newTargets(t)
	page := filepath.Join(t.TempDir(), "r.html")
	inside := own.invocation()
	// It counts its mounts, and other tests beside this one make some.
	inside.by = []string{"unshare", "--mount", "--propagation", "private"}
	got := inside.run(t, "escape", "--probe", "^(c1_host_read|c2_environment.*|innocent_json)$", "--html", page)
	assert.Zero(t, got.code, got.stderr)
	assert.Regexp(t, `(?m)^held +\S+ +c1_host_read `, got.stdout)
	assert.Contains(t, got.stdout, "\neverything that was asked held\n")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(text), "against jails of the command's own process")
	assert.Empty(t, own.planted(t))
}

// Controls inherit how the command is scheduled. No other test runs beside this one: a
// command of the idle class gets a processor when nothing else wants it.
func TestTheProbesOfSchedulingDoNotDependOnThatOfTheCommand(t *testing.T) {
	for _, by := range [][]string{{"nice", "-n", "10"}, {"chrt", "--idle", "0"}} {
		t.Run(by[0], func(t *testing.T) {
			of := newTargets(t).invocation()
			of.by = by
			got := of.run(t, "escape", "--policy", "relaxed", "--probe", "^(c2_setpriority_init.*|c2_scheduler_init|c5_priority)$")
			require.Zero(t, got.code, "%s", got)
			assert.Equal(t, 4, strings.Count(got.stdout, "\nheld  "), "%s", got.stdout)
		})
	}
}

func TestWrongUsageOfEscape(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"nothing at once", []string{"--parallel", "0"}, 2, "escape: --parallel must be at least 1\n"},
		{"an unknown severity", []string{"--severity", "C,X"}, 2, `escape: --severity: "X" is none of C, H, M, L` + "\n"},
		{"an expression that is none", []string{"--probe", "("}, 2, "escape: --probe: error parsing regexp"},
		{"a policy that there is not", []string{"--policy", "none"}, 2, `escape: --policy: there is no policy "none"` + "\n"},
		{"a probe that there is not", []string{"--probe", "^none$"}, 2, `escape: no probe of severity C,H,M,L has a name that matches "^none$"; names are those in the report, such as `},
		{"a daemon that is not there", []string{"--socket", "/nope"}, 125, "no daemon answers on /nope: no such file or directory"},
		{"a layer left out, by the shipped binary", []string{"--ablate"}, 2, "escape: unknown flag --ablate\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := invoke(t, append([]string{"escape"}, row.args...)...)
			assert.Equal(t, row.code, got.code)
			assert.Empty(t, got.stdout)
			assert.True(t, strings.HasPrefix(got.stderr, "safe-exec: "+row.want), got.stderr)
		})
	}
	got := invokeAs(t, nobody(0), "", "escape")
	assert.Equal(t, 125, got.code)
	assert.Contains(t, got.stderr, "escape needs root")
}

// A jail without a layer is one that some attacks get out of.
func TestAblateIsForTheVirtualMachineAlone(t *testing.T) {
	t.Parallel()
	faults := filepath.Join(t.TempDir(), "faults")
	build := exec.Command("go", "build", "-trimpath", "-tags", "netgo,osusergo,safeexec_faults", "-o", faults, ".")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "after `make bin/safe-exec-faults`, which makes what is embedded: %s", out)
	for _, row := range []struct {
		name, want string
		args       []string
	}{
		{"on the host", "--ablate runs attacks in jails that lack a layer", nil},
		{"against a daemon", "--ablate leaves out layers of jails of this process: it goes without --socket", []string{"--socket", "/nope"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			cmd := exec.Command(faults, append([]string{"escape", "--ablate"}, row.args...)...)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			assert.Equal(t, 2, cmd.ProcessState.ExitCode())
			assert.True(t, strings.HasPrefix(string(out), "safe-exec: escape: "+row.want), string(out))
		})
	}
}

// Jails that wait are no leftovers, although there are more of them than before.
func TestEscapeFromADaemonThatIsStillMakingJails(t *testing.T) {
	t.Parallel()
	d := start(t)
	for file, code := range map[string]string{"a.py": "print(1)", "a.js": "console.log(1)"} {
		for range 3 { // after which some are wanted
			assert.Zero(t, invoke(t, "run", "--socket", d.socket, program(t, file, code)).code)
		}
	}
	got := newTargets(t).invocation().run(t, "escape", "--socket", d.socket, "--policy", "relaxed", "--start-mode", "fork", "--probe", "^a_loop_socket$")
	assert.Zero(t, got.code, "%s%s", got.stdout, got.stderr)
}
