package nsjail_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/wiring"
	"safe-exec/nsjail"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// stocked is a Runner with Python alone, for which jails wait.
func stocked(t *testing.T, s nsjail.Spares) *nsjail.Runner {
	t.Helper()
	all, err := profiles.Default()
	require.NoError(t, err)
	r, err := wiring.Runner(t.Context(), wiring.Config{
		Profiles: map[string]policy.Profile{"python": all["python"]}, StateDir: stateDir, UIDs: lease.DefaultRange,
		StartTimeout: startTimeout, EnableControllers: inVM, Spares: s, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return r
}

// waits waits until as many jails wait as are wanted.
func waits(t *testing.T, r *nsjail.Runner, spares, templates int) {
	t.Helper()
	require.Eventually(t, func() bool {
		s, n := r.Waiting()
		return s >= spares && n >= templates
	}, 30*time.Second, 5*time.Millisecond, "%d jails and %d templates should wait", spares, templates)
}

// payloads are the interpreters of a Runner's jails and templates, by pid.
func payloads(t *testing.T, r *nsjail.Runner) (pids []int) {
	t.Helper()
	uids, _ := r.Owned()
	paths, err := filepath.Glob("/proc/[0-9]*/status")
	require.NoError(t, err)
	for _, path := range paths {
		b, _ := os.ReadFile(path) // ended meanwhile: none
		_, after, _ := strings.Cut(string(b), "\nUid:\t")
		uid, _ := strconv.Atoi(strings.SplitN(after, "\t", 2)[0])
		if !uids.Has(uint32(uid)) {
			continue
		}
		// A template has the score of its init, and is told by its name.
		if score, _ := os.ReadFile(filepath.Dir(path) + "/oom_score_adj"); string(score) == "1000\n" || strings.Contains(string(b), "Name:\tpython") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

func hello(t *testing.T, r *nsjail.Runner, caller, mode string) *policy.Result {
	t.Helper()
	result, err := r.Execute(t.Context(), unhurried(policy.Request{
		Language: "python", Code: "print('hello')", Caller: policy.Caller{Token: caller}, StartMode: mode, Privileged: true,
	}))
	require.NoError(t, err)
	require.Equal(t, "hello\n", result.Stdout, "%+v, %s", result.Termination, result.Stderr)
	return result
}

func TestAJailThatWaitedIsLookedAtAgainBeforeItsJob(t *testing.T) {
	for _, row := range []struct {
		what   string
		change func(pid int) error
		want   string // how the run after that was started
	}{
		{"nothing happened to it", func(int) error { return nil }, policy.StartWarm},
		{"somebody changed its memory score", func(pid int) error {
			return os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("0"), 0)
		}, policy.StartCold},
		{"somebody moved it out of its leaf", func(pid int) error {
			root := "/sys/fs/cgroup/pids"
			if inVM {
				root = "/sys/fs/cgroup"
			}
			return os.WriteFile(root+"/cgroup.procs", []byte(strconv.Itoa(pid)), 0)
		}, policy.StartCold},
		{"it ran a moment and is as before", func(pid int) error {
			return errors.Join(syscall.Kill(pid, syscall.SIGSTOP), syscall.Kill(pid, syscall.SIGCONT))
		}, policy.StartWarm},
		{"its payload was killed", func(pid int) error {
			require.Eventually(t, func() bool { return syscall.Kill(pid, syscall.SIGKILL) == syscall.ESRCH }, 10*time.Second, time.Millisecond)
			return nil
		}, policy.StartCold},
	} {
		t.Run(row.what, func(t *testing.T) {
			parallel(t)
			r := stocked(t, nsjail.Spares{Floor: 1, Ceiling: 1, MemoryMB: 256})
			defer r.Close()
			waits(t, r, 1, 0)
			found := payloads(t, r)
			require.Len(t, found, 1)
			require.NoError(t, row.change(found[0]))
			assert.Equal(t, row.want, hello(t, r, "", "").Metrics.StartMode)
		})
	}
}

func TestAKindThatIsInUseIsForkedBeforehand(t *testing.T) {
	parallel(t)
	r := stocked(t, nsjail.Spares{Floor: 1, Ceiling: 2, MemoryMB: 512})
	defer r.Close()
	waits(t, r, 1, 0)
	assert.Equal(t, policy.StartWarm, hello(t, r, "a", "").Metrics.StartMode, "the first of a caller takes what waits for all")
	hello(t, r, "a", "")
	waits(t, r, 2, 1)
	require.Eventually(t, func() bool { return hello(t, r, "a", "").Metrics.StartMode == policy.StartFork }, 30*time.Second, time.Millisecond)
	assert.NotEqual(t, policy.StartFork, hello(t, r, "b", "").Metrics.StartMode, "nobody else's template")
}

func TestARunnerThatClosesLeavesNothingThatWaited(t *testing.T) {
	parallel(t)
	r := stocked(t, nsjail.Spares{Floor: 2, Ceiling: 3, MemoryMB: 512})
	waits(t, r, 2, 0)
	hello(t, r, "a", policy.StartFork)
	// Another daemon may have the uids and the name at once: what is looked for again
	// is these processes and these groups. A group that is gone had none below it.
	uids, parent := r.Owned()
	processes, groups := processesOf(t, uids), groupsOf(t, parent)
	assert.NotEmpty(t, processes)
	assert.NotEmpty(t, groups)
	r.Close()
	for path, number := range groups {
		assert.NotEqual(t, number, inodeOf(path), path)
	}
	// An init that is dead is in /proc until the kernel has reaped it.
	assert.Eventually(t, func() bool {
		return !slices.ContainsFunc(slices.Collect(maps.Keys(processesOf(t, uids))), func(p process) bool { return processes[p] })
	}, 30*time.Second, time.Millisecond)
}

// process is one for good: its number may be another's later.
type process struct{ pid, born string }

// processesOf are the processes of a range of uids.
func processesOf(t *testing.T, uids lease.Range) map[process]bool {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	found := map[process]bool{}
	for _, path := range paths {
		var st syscall.Stat_t
		stat, err := os.ReadFile(path + "/stat")
		if err != nil || syscall.Stat(path, &st) != nil || !uids.Has(st.Uid) {
			continue
		}
		const starttime = 19 // of the fields behind the name, proc_pid_stat(5)
		found[process{filepath.Base(path), strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))[starttime]}] = true
	}
	return found
}

// groupsOf are the groups of a parent and below, with their numbers, which the kernel
// gives to no other.
func groupsOf(t *testing.T, parent string) map[string]uint64 {
	t.Helper()
	found := map[string]uint64{}
	require.NoError(t, filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.Contains(path, "/"+parent) {
			found[path] = inodeOf(path)
		}
		return nil
	}))
	return found
}

// inodeOf is 0 where there is nothing.
func inodeOf(path string) uint64 {
	var st syscall.Stat_t
	_ = syscall.Stat(path, &st)
	return st.Ino
}

func TestStartModeOfARequest(t *testing.T) {
	for _, row := range []struct {
		what string
		req  policy.Request
		mode string
		code policy.Code
	}{
		{"cold", policy.Request{StartMode: "cold", Privileged: true}, policy.StartCold, ""},
		{"warm", policy.Request{StartMode: "warm", Privileged: true}, policy.StartWarm, ""},
		{"fork", policy.Request{StartMode: "fork", Privileged: true}, policy.StartFork, ""},
		{"none, where nothing waits", policy.Request{}, policy.StartCold, ""},
		{"one that is none", policy.Request{StartMode: "hot", Privileged: true}, "", policy.CodeInvalid},
		{"any for another than root", policy.Request{StartMode: "cold"}, "", policy.CodeForbidden},
	} {
		t.Run(row.what, func(t *testing.T) {
			parallel(t)
			row.req.Language, row.req.Code = "python", "print(6 * 7)"
			result, err := shared.Execute(t.Context(), unhurried(row.req))
			if row.code != "" {
				var e *policy.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, row.code, e.Code)
				assert.Equal(t, "start_mode", e.Field)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "42\n", result.Stdout, result.Stderr)
			assert.Equal(t, row.mode, result.Metrics.StartMode)
		})
	}
}

// A fork that is ended while it is being made must leave its template as it was:
// the next caller would wait for it.
func TestCallersWhoHangUpHurtNobody(t *testing.T) {
	parallel(t)
	req := policy.Request{Language: "javascript", Code: "1", Caller: policy.Caller{Token: "hangs up"}, StartMode: policy.StartFork, Privileged: true}
	req = unhurried(req)
	_, err := shared.Execute(t.Context(), req)
	require.NoError(t, err)
	var wg sync.WaitGroup
	const callers, times = 4, 100
	for caller := range callers {
		wg.Go(func() {
			for i := range times {
				after := time.Duration((i*37+caller*11)%80) * 100 * time.Microsecond
				ctx, cancel := context.WithTimeout(context.Background(), after)
				result, err := shared.Execute(ctx, req)
				cancel()
				if assert.NoError(t, err) {
					assert.Contains(t, []policy.Status{policy.Succeeded, policy.Cancelled}, result.Status)
				}
			}
		})
	}
	wg.Wait()
	result, err := shared.Execute(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, policy.Succeeded, result.Status)
	assert.Less(t, result.Metrics.StartTimeMS, policy.Millis(startTimeout/2), "half of what an order that nobody answers takes")
}

// A template that dies takes its forks with it: their pid namespaces lie in its
// own. That is our failure, and no verdict on a program.
func TestATemplateThatDies(t *testing.T) {
	parallel(t)
	r := stocked(t, nsjail.Spares{})
	defer r.Close()
	hello(t, r, "a", policy.StartFork)
	kill := func() {
		for _, pid := range payloads(t, r) {
			b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
			if err == nil && strings.Contains(string(b), "\nSeccomp:\t0") { // the template
				parent := strings.Fields(string(b[strings.Index(string(b), "PPid:"):]))[1]
				init, err := strconv.Atoi(parent)
				require.NoError(t, err)
				if err := syscall.Kill(init, syscall.SIGKILL); err != syscall.ESRCH { // with one, all die that are below
					require.NoError(t, err)
				}
			}
		}
	}
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := r.Execute(context.Background(), unhurried(policy.Request{
			Language: "python", Code: "import time\ntime.sleep(60)", Caller: policy.Caller{Token: "a"}, StartMode: policy.StartFork, Privileged: true,
			Watch: func(e policy.Event) {
				if e.Kind == policy.EventStarted {
					close(started)
				}
			},
		}))
		ended <- err
	}()
	select {
	case <-started: // one that it had not yet told of would be forked again, by the next
		kill()
	case err := <-ended:
		require.FailNow(t, "the run did not start", "%v", err)
	}
	var e *policy.Error
	require.ErrorAs(t, <-ended, &e)
	assert.Equal(t, policy.CodeSetup, e.Code)
	assert.Equal(t, policy.StartFork, hello(t, r, "a", policy.StartFork).Metrics.StartMode, "the next template")
}
