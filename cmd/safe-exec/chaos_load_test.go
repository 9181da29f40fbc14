package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi"
	"safe-exec/internal/hosttest"
)

// loadProgram is a program that callers send again and again.
type loadProgram struct {
	name, language, code string
	stdout               string   // of an honest one
	reasons              []string // that a hostile one may end for, beside its time
}

// honest programs know what must come of them.
var honest = []loadProgram{
	{name: "a sum", language: "python", code: "print(sum(range(100000)))", stdout: "4999950000\n"},
	{name: "JSON", language: "python", code: "import json\nprint(json.dumps({'a': [1, 2, 3]}))", stdout: "{\"a\": [1, 2, 3]}\n"},
	{name: "a file", language: "python", code: "import workdir\nworkdir.write_text('a.txt', 'x' * 1000)\nprint(len(workdir.read_text('a.txt')))", stdout: "1000\n"},
	{name: "a digest", language: "python", code: "import hashlib\nprint(hashlib.sha256(b'x' * 100000).hexdigest()[:8])", stdout: "d69e6898\n"},
	{name: "a list", language: "javascript", code: "console.log([1, 2, 3].map((x) => x * x).join())", stdout: "1,4,9\n"},
	{name: "JSON in JavaScript", language: "javascript", code: "console.log(JSON.stringify({a: 1}))", stdout: "{\"a\":1}\n"},
}

// hostile programs want more than is theirs. Each is ended by its limits, at the
// latest by its time.
var hostile = []loadProgram{
	{name: "a loop", language: "python", code: "while True: pass"},
	{name: "memory", language: "python", code: "x = []\nwhile True: x.append(bytearray(1 << 20))", reasons: []string{"memory_limit", "exception"}},
	{name: "output", language: "python", code: "while True: print('x' * 1000000)", reasons: []string{"output_limit"}},
	{name: "a number", language: "python", code: "print(len(str(10 ** 10 ** 7)))", reasons: []string{"exception"}},
	{name: "files", language: "python", code: "import workdir\nfor i in range(10 ** 6): workdir.write_text(str(i), 'x' * 1000)", reasons: []string{"disk_limit", "exception"}},
	{name: "nesting", language: "python", code: "(" + "[" + "0" + "]" + ")" + " * 10 ** 9", reasons: []string{"memory_limit", "exception", "completed"}},
	{name: "promises", language: "javascript", code: "function f() { Promise.resolve().then(f); } f()", reasons: []string{"memory_limit"}},
	{name: "buffers", language: "javascript", code: "const a = []; for (;;) a.push(Buffer.alloc(1 << 20, 1))", reasons: []string{"memory_limit", "exception", "signal"}},
	{name: "a pattern", language: "javascript", code: "/^(a+)+$/.test('a'.repeat(40) + 'b')"},
}

// Limits of these programs. Each of them with a language is a kind of jail.
var (
	honestLimits  = map[string]any{"timeout_ms": 30000}
	hostileLimits = map[string]any{"timeout_ms": 2000, "max_memory_mb": 128}
)

// grow has as many jails of each kind wait as the load will, however long it lasts.
func grow(t *testing.T, d *served) {
	t.Helper()
	const kinds, ceiling = 4, 2
	a := impatient(d.socket)
	defer a.CloseIdleConnections()
	for range ceiling {
		for _, limits := range []map[string]any{honestLimits, hostileLimits} {
			for _, language := range []string{"python", "javascript"} {
				var all sync.WaitGroup
				for range ceiling {
					all.Go(func() {
						r := a.call("/v1/tools/safe-exec", map[string]any{"language": language, "code": "1", "limits": limits})
						assert.Equal(t, http.StatusOK, r.HTTP, "%+v", r)
					})
				}
				all.Wait()
			}
		}
	}
	var p httpapi.Posture
	hosttest.Eventually(t, patience, 100*time.Millisecond, func() bool {
		_, err := a.ask(http.MethodGet, "/v1/posture", nil, nil, &p)
		require.NoError(t, err)
		return p.Spares >= kinds*ceiling && p.Templates >= kinds
	}, "too few jails wait: %+v", &p)
}

// Under load from honest and hostile programs every honest one gets its answer,
// every hostile one its end, and the daemon stays as large as it was. No other test
// runs beside this one: it takes all processors anyway.
func TestHostileProgramsHurtNoHonestOne(t *testing.T) {
	d := start(t, "--config", program(t, "c.yaml", "runs: 4\nqueue: 32\nspares: {floor: 1, ceiling: 2}\n"))
	grow(t, d)
	before := sizeOf(t, d)
	var wrong, served, ended atomic.Int64
	deadline := time.Now().Add(*chaosLoad)
	var wg sync.WaitGroup
	for first := range 3 {
		wg.Go(func() {
			sendUntil(t, deadline, d, honest, first, honestLimits, func(p loadProgram, status int, got ran) {
				served.Add(1)
				if status != http.StatusOK || got.Status != "succeeded" || got.Stdout != p.stdout {
					wrong.Add(1)
					t.Errorf("%s: %d %+v", p.name, status, got)
				}
			})
		})
		wg.Go(func() {
			sendUntil(t, deadline, d, hostile, first, hostileLimits, func(p loadProgram, status int, got ran) {
				ended.Add(1)
				assert.Equal(t, http.StatusOK, status, p.name)
				// On a busy machine any of them may not get as far as its other limit.
				assert.Contains(t, append(p.reasons, "wall_timeout"), got.Termination.Reason, "%s: %+v", p.name, got)
			})
		})
	}
	wg.Wait()
	var after size
	hosttest.Eventually(t, patience, time.Second, func() bool {
		after = sizeOf(t, d)
		return after.within(before)
	}, "the daemon has grown from %+v to %+v", before, &after)
	t.Logf("%d honest runs, %d hostile ones; before %+v, after %+v", served.Load(), ended.Load(), before, after)
	assert.Zero(t, wrong.Load())
	assert.Positive(t, served.Load())
	assert.Positive(t, ended.Load())
}

// sendUntil is one caller, who sends the programs in turn until the deadline and
// judges what comes of each. It ends with the first fault: a daemon that refuses all
// does so thousands of times a second.
func sendUntil(t *testing.T, deadline time.Time, d *served, programs []loadProgram, first int, limits map[string]any, judge func(loadProgram, int, ran)) {
	a := newAgent(d.socket)
	defer a.CloseIdleConnections()
	for n := first; time.Now().Before(deadline) && !t.Failed(); n++ {
		p := programs[n%len(programs)]
		var got ran
		status, err := a.ask(http.MethodPost, "/v1/tools/safe-exec", nil, map[string]any{"language": p.language, "code": p.code, "limits": limits}, &got)
		if !assert.NoError(t, err) {
			return
		}
		if status == http.StatusTooManyRequests {
			time.Sleep(20 * time.Millisecond) // the daemon is full, as it is meant to be: not to spin until it is not
			continue
		}
		judge(p, status, got)
	}
}

// size is what a daemon may not grow in.
type size struct{ FDs, Processes, Leaves, ResidentKB int }

func (s size) within(before size) bool {
	// What waits differs with demand, by a few; a leak is one for each run.
	const noise = 40
	return s.FDs <= before.FDs+noise && s.Processes <= before.Processes+noise && s.Leaves <= before.Leaves+noise &&
		s.ResidentKB <= before.ResidentKB*3/2+64<<10
}

func sizeOf(t *testing.T, d *served) (s size) {
	t.Helper()
	all := descendants(t, d.cmd.Process.Pid)
	all[d.cmd.Process.Pid] = true
	s.Processes = len(all)
	for pid := range all {
		s.FDs += len(glob(fmt.Sprintf("/proc/%d/fd/*", pid)))
	}
	s.Leaves = len(leaves(d.parents(t)))
	for pid := range childrenOf(t, d.cmd.Process.Pid) {
		s.ResidentKB += residentKB(pid)
	}
	s.ResidentKB += residentKB(d.cmd.Process.Pid)
	return s
}

func glob(pattern string) []string {
	found, _ := filepath.Glob(pattern) // of a process that ended meanwhile there is nothing
	return found
}

func residentKB(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			kb, _ := strconv.Atoi(f[1])
			return kb
		}
	}
	return 0
}
