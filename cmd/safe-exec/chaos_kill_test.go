package main

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// ordered is a job that a test has asked for: it knows what must come of it.
type ordered struct{ id, key, code, want string }

// orders are the jobs of a test: those that the daemon has accepted, and those of
// which nobody knows because the answer was lost.
type orders struct {
	mu       sync.Mutex
	n        int
	accepted []ordered
	unknown  []ordered
}

// next makes a job: most are short, so that many are in each state.
func (o *orders) next() ordered {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n++
	want := fmt.Sprintf("job %d", o.n)
	code := fmt.Sprintf("print(%q)", want)
	if o.n%5 == 0 {
		code = fmt.Sprintf("import time\ntime.sleep(%.2f)\n%s", rand.Float64()*0.5, code)
	}
	return ordered{key: fmt.Sprintf("key-%d", o.n), code: code, want: want + "\n"}
}

// send submits a job and files it.
func (o *orders) send(a *agent, job ordered) error {
	id, err := a.submit(job.key, job.code)
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err == nil:
		job.id = id
		o.accepted = append(o.accepted, job)
	case !errors.Is(err, errNotAccepted):
		o.unknown = append(o.unknown, job)
	}
	return err
}

// sendAgain submits jobs of which nobody knows whether they were taken: they are
// now, and once.
func (o *orders) sendAgain(t *testing.T, a *agent, jobs []ordered) {
	t.Helper()
	for _, job := range jobs {
		eventually(t, func() bool { // the queue may be full
			err := o.send(a, job)
			if !errors.Is(err, errNotAccepted) {
				require.NoError(t, err)
			}
			return err == nil
		}, "a job is not taken: %+v", job)
	}
}

// flood submits until the daemon is gone.
func (o *orders) flood(socket string) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			a := newAgent(socket)
			defer a.CloseIdleConnections()
			for {
				err := o.send(a, o.next())
				if errors.Is(err, errNotAccepted) {
					time.Sleep(10 * time.Millisecond) // the queue is full
				} else if err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
}

// mounts are this host's, by mount id.
func mounts(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	found := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		found[strings.Fields(line)[0]] = true
	}
	return found
}

// descendants of a process, itself not among them.
func descendants(t *testing.T, pid int) map[int]bool {
	t.Helper()
	found := childrenOf(t, pid)
	for child := range maps.Clone(found) {
		maps.Copy(found, descendants(t, child))
	}
	return found
}

// A daemon that is killed at any instant loses no job that it has accepted, runs
// none to two verdicts, and leaves nothing behind.
func TestNoAcceptedJobIsLostWhenTheDaemonIsKilled(t *testing.T) {
	t.Parallel()
	socket := newSocket(t)
	state := newState(t)
	// Each verdict is asked for three times in the end, however many there are; what
	// waits then has to run first, so that is bounded.
	file := program(t, "c.yaml", noSpares+"runs: 4\njobs: {queued: 100, finished: 100000, finished_mb: 1024, keep: 24h}\ncallers: [{uid: 0, rate: 6000000}]\n")
	before := mounts(t)
	var all orders
	begin := func() *served {
		d := launch(t, socket, "--config", file, "--state-dir", state)
		d.expect(t, "READY=1")
		return d
	}
	killed := make(watched)
	gone := func() { // soon after the restart
		killed.allGone(t)
		for _, fd := range killed {
			unix.Close(fd)
		}
		clear(killed)
	}
	for range *chaosKills {
		d := begin()
		gone()
		a := newAgent(socket)
		again := all.unknown
		all.unknown = nil
		all.sendAgain(t, a, again)
		a.CloseIdleConnections()
		done := make(chan struct{})
		go func() { defer close(done); all.flood(socket) }()
		time.Sleep(time.Duration(rand.Int64N(int64(time.Second)))) // the instant is random, nothing is waited for
		for pid := range descendants(t, d.cmd.Process.Pid) {
			if fd, err := unix.PidfdOpen(pid, 0); err == nil { // else it has ended by itself
				killed[pid] = fd
			}
		}
		d.signal(t, syscall.SIGKILL)
		d.wait(t)
		<-done
	}
	d := begin()
	gone()
	a := newAgent(socket)
	all.sendAgain(t, a, all.unknown)
	restarted, ids := 0, make(map[string]bool)
	for _, job := range all.accepted {
		if t.Failed() { // one says as much as all of them
			break
		}
		_, result, err := a.verdict(job.id)
		if !assert.NoError(t, err, "%+v", job) {
			continue
		}
		if result.Termination.Reason == "restarted" { // it was running each time
			continue
		}
		assert.Equal(t, "succeeded", result.Status, job.id)
		assert.Equal(t, job.want, result.Stdout, job.id)
		assert.False(t, ids[job.id], "two keys, one job")
		ids[job.id] = true
		if result.Metrics.Attempt > 1 {
			restarted++
		}
		again, _, err := a.verdict(job.id)
		require.NoError(t, err)
		one, _, err := a.verdict(job.id)
		require.NoError(t, err)
		assert.JSONEq(t, string(one.Result), string(again.Result), "one verdict")
	}
	t.Logf("%d jobs accepted over %d kills, %d of them started more than once", len(all.accepted), *chaosKills, restarted)
	assert.Greater(t, len(all.accepted), *chaosKills)

	own := d.groups(t) // it has swept those of the others
	d.signal(t, syscall.SIGTERM)
	assert.Zero(t, d.wait(t).ExitStatus())
	ledger := invoke(t, "audit", "verify", "--dir", filepath.Join(state, "broker", "audit"))
	assert.Zero(t, ledger.code, ledger.stdout+ledger.stderr)
	begins, ends, trail := trailOf(t, filepath.Join(state, "broker", "audit"))
	assert.Zero(t, trail.Open)
	endOnce(t, begins, ends)
	t.Logf("%d runs in the ledger, %d of them cut off", trail.Runs, trail.CutOff)
	assert.Empty(t, own.left(t))
	// Another test beside this one may have a mount for a time.
	eventually(t, func() bool {
		more := mounts(t)
		maps.DeleteFunc(more, func(id string, _ bool) bool { return before[id] })
		return len(more) == 0
	}, "mounts were left behind")
	left, err := filepath.Glob(filepath.Dir(socket) + "/*")
	require.NoError(t, err)
	assert.LessOrEqual(t, len(left), 2, "%v", left) // the socket's lock stays
}
