package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/client"
)

// What happens when something runs out is tried on a whole daemon, inside limits,
// cgroups and file systems that are the test's own: the machine lacks nothing.

// reply is what a test looks at in a result or a problem document. HTTP 0 stands
// for a connection that broke.
type reply struct {
	HTTP   int
	Err    error
	JobID  string          `json:"job_id"`
	Status json.RawMessage `json:"status"` // a word, or a problem's number
	Stdout string          `json:"stdout"`
	Code   string          `json:"code"`
	Detail string          `json:"detail"`
	Step   string          `json:"step"`
	Reason string          `json:"reason"`
	End    struct {
		Reason string `json:"reason"`
	} `json:"termination"`
}

// allTheTime is the most that a program may ask for.
var allTheTime = map[string]any{"timeout_ms": 30000}

// impatient is a caller for whom nothing may hang.
func impatient(socket string) *agent {
	a := newAgent(socket)
	a.Timeout = patience
	return a
}

// call asks for a path, posting a body where there is one.
func (a *agent) call(path string, body any) (r reply) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	r.HTTP, r.Err = a.ask(method, path, nil, body, &r)
	return r
}

func (a *agent) run(code string) reply {
	return a.call("/v1/tools/safe-exec", map[string]any{"language": "python", "code": code})
}

// atOnce sends n runs at once, with all the time that a run may have.
func atOnce(socket string, n int, code func(i int) string) []reply {
	all := make([]reply, n)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			a := impatient(socket)
			defer a.CloseIdleConnections()
			all[i] = a.call("/v1/tools/safe-exec", map[string]any{"language": "python", "code": code(i), "limits": allTheTime})
		})
	}
	wg.Wait()
	return all
}

// crowd sends n runs that all stay, the first before the others, until each of them
// runs or has been refused.
func (d *served) crowd(t *testing.T, n int) []reply {
	t.Helper()
	var answered atomic.Int64
	all := make([]reply, n)
	var wg sync.WaitGroup
	send := func(first, behind int) {
		for i := first; i < behind; i++ {
			wg.Go(func() {
				all[i] = atOnce(d.socket, 1, func(int) string { return gated(fmt.Sprintf("print(%d)", i)) })[0]
				answered.Add(1)
			})
		}
	}
	send(0, 1)
	d.awaitGates(t, 1)
	send(1, n)
	parents := d.parents(t)
	eventually(t, func() bool {
		return atGates(parents, func(*os.File) {})+int(answered.Load()) == n
	}, "not all of %d run or are refused: %s", n, d)
	stop := d.openGates(t)
	wg.Wait()
	stop()
	return all
}

// rightOrRefused wants of each reply that it is right, or says in a problem document
// that nothing was run; it counts both.
func rightOrRefused(t *testing.T, all []reply) (right, refused int) {
	t.Helper()
	for i, r := range all {
		switch r.HTTP {
		case http.StatusOK:
			right++
			assert.Equal(t, fmt.Sprintf("%d\n", i), r.Stdout, "%+v", r)
		case http.StatusTooManyRequests:
			refused++
			assert.NotEmpty(t, r.Reason)
		case http.StatusServiceUnavailable:
			refused++
			assert.NotEmpty(t, r.Step, "%+v", r)
		default:
			t.Errorf("%+v", r)
		}
	}
	return right, refused
}

// serves waits for a right answer: the daemon is as before.
func (d *served) serves(t *testing.T) {
	t.Helper()
	a := impatient(d.socket)
	defer a.CloseIdleConnections()
	var last reply
	eventually(t, func() bool {
		last = a.run("print(6 * 7)")
		return last.HTTP == http.StatusOK && last.Stdout == "42\n"
	}, "the last answer: %+v", &last)
}

// limit sets the soft limit of a process. Without CAP_SYS_RESOURCE only its own
// user may.
func limit(t *testing.T, pid int, name string, n int) {
	t.Helper()
	cmd := exec.Command("prlimit", "--pid", strconv.Itoa(pid), fmt.Sprintf("--%s=%d:", name, n))
	if uid := uidOf(t, pid); uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, Groups: []uint32{}}}
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func uidOf(t *testing.T, pid int) uint32 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	var uid uint32
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "Uid:\t%d", &uid); err == nil {
			return uid
		}
	}
	require.FailNow(t, "no uid")
	return 0
}

// leavesNothing wants every leaf gone that no run has, and none set aside.
func (d *served) leavesNothing(t *testing.T) {
	t.Helper()
	parents := d.parents(t)
	eventually(t, func() bool { return len(leaves(parents)) == 0 }, "a leaf is left: %s", d)
	p, err := client.New(d.socket).Posture(t.Context())
	require.NoError(t, err)
	assert.Zero(t, p.Quarantined)
}

func openFiles(pid int) int { return len(glob(fmt.Sprintf("/proc/%d/fd/*", pid))) }

func TestABrokerWithoutDescriptorsTurnsCallersAway(t *testing.T) {
	t.Parallel()
	d := startAlone(t)
	broker := d.broker(t)
	a := impatient(d.socket) // has its connection
	// The daemon says that it is ready before its broker has all that it keeps open.
	require.Equal(t, "1\n", a.run("print(1)").Stdout)
	limit(t, broker, "nofile", openFiles(broker)+8)
	require.Equal(t, "1\n", a.run("print(1)").Stdout)
	var held []net.Conn
	for range 100 {
		c, err := net.Dial("unix", d.socket)
		require.NoError(t, err)
		held = append(held, c)
	}
	refused := impatient(d.socket).run("print(1)")
	assert.Equal(t, http.StatusTooManyRequests, refused.HTTP)
	assert.Equal(t, "connections", refused.Reason)
	for range 3 { // who is connected is served, or told why not
		rightOrRefused(t, []reply{a.run("print(0)")})
	}
	for _, c := range held {
		c.Close()
	}
	d.serves(t)
	assert.Equal(t, broker, d.broker(t), "it is the same one")
}

func TestAnExecutorWithoutDescriptorsRefusesRuns(t *testing.T) {
	t.Parallel()
	d := startAlone(t, "runs: 8\n")
	pid := d.cmd.Process.Pid
	limit(t, pid, "nofile", openFiles(pid)+30)
	all := d.crowd(t, 8)
	right, refused := rightOrRefused(t, all)
	t.Logf("%d right, %d refused", right, refused)
	assert.Positive(t, right)
	assert.Positive(t, refused)
	for _, r := range all {
		if r.HTTP == http.StatusServiceUnavailable {
			assert.Contains(t, r.Detail, "too many open files", "%+v", r)
		}
	}
	d.serves(t)
	d.leavesNothing(t)
	right, refused = rightOrRefused(t, atOnce(d.socket, 2, func(i int) string { return fmt.Sprintf("print(%d)", i) }))
	assert.Equal(t, []int{2, 0}, []int{right, refused}, "when the others have gone there is room")
}
