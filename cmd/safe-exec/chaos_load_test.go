package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// honest programs know what must come of them.
var honest = []struct{ language, code, stdout string }{
	{"python", "print(sum(range(100000)))", "4999950000\n"},
	{"python", "import json\nprint(json.dumps({'a': [1, 2, 3]}))", "{\"a\": [1, 2, 3]}\n"},
	{"python", "import workdir\nworkdir.write_text('a.txt', 'x' * 1000)\nprint(len(workdir.read_text('a.txt')))", "1000\n"},
	{"python", "import hashlib\nprint(hashlib.sha256(b'x' * 100000).hexdigest()[:8])", "d69e6898\n"},
	{"javascript", "console.log([1, 2, 3].map((x) => x * x).join())", "1,4,9\n"},
	{"javascript", "console.log(JSON.stringify({a: 1}))", "{\"a\":1}\n"},
}

// hostile programs want more than is theirs. Each is ended by its limits, at the
// latest by its time.
var hostile = []struct {
	name, language, code string
	reasons              []string
}{
	{"a loop", "python", "while True: pass", []string{"wall_timeout"}},
	{"memory", "python", "x = []\nwhile True: x.append(bytearray(1 << 20))", []string{"memory_limit", "exception"}},
	{"output", "python", "while True: print('x' * 1000000)", []string{"output_limit", "wall_timeout"}},
	{"a number", "python", "print(len(str(10 ** 10 ** 7)))", []string{"wall_timeout", "exception"}},
	{"files", "python", "import workdir\nfor i in range(10 ** 6): workdir.write_text(str(i), 'x' * 1000)", []string{"disk_limit", "exception", "wall_timeout"}},
	{"nesting", "python", "(" + "[" + "0" + "]" + ")" + " * 10 ** 9", []string{"memory_limit", "exception", "completed"}},
	{"promises", "javascript", "function f() { Promise.resolve().then(f); } f()", []string{"wall_timeout", "memory_limit"}},
	{"buffers", "javascript", "const a = []; for (;;) a.push(Buffer.alloc(1 << 20, 1))", []string{"memory_limit", "exception", "signal"}},
	{"a pattern", "javascript", "/^(a+)+$/.test('a'.repeat(40) + 'b')", []string{"wall_timeout"}},
}

// Under load from honest and hostile programs every honest one gets its answer,
// every hostile one its end, and the daemon stays as large as it was.
func TestHostileProgramsHurtNoHonestOne(t *testing.T) {
	d := start(t, "--config", program(t, "c.yaml", "runs: 4\nqueue: 32\nspares: {floor: 1, ceiling: 2}\n"))
	var wrong, served, ended atomic.Int64
	var wg sync.WaitGroup
	round := func(deadline time.Time) {
		for i := range 3 {
			wg.Go(func() { // honest callers
				a := newAgent(d.socket)
				defer a.CloseIdleConnections()
				for n := i; time.Now().Before(deadline); n++ {
					p := honest[n%len(honest)]
					var got ran
					status, err := a.ask(http.MethodPost, "/v1/tools/safe-exec", nil, map[string]any{"language": p.language, "code": p.code, "limits": map[string]any{"timeout_ms": 30000}}, &got)
					if !assert.NoError(t, err) {
						return
					}
					if status == http.StatusTooManyRequests {
						time.Sleep(20 * time.Millisecond) // the daemon is full, as it is meant to be: not to spin until it is not
						continue
					}
					served.Add(1)
					if status != http.StatusOK || got.Status != "succeeded" || got.Stdout != p.stdout {
						wrong.Add(1)
						t.Errorf("%s: %d %+v", p.code, status, got)
					}
				}
			})
		}
		for i := range 3 {
			wg.Go(func() { // hostile ones
				a := newAgent(d.socket)
				defer a.CloseIdleConnections()
				for n := i; time.Now().Before(deadline); n++ {
					p := hostile[n%len(hostile)]
					var got ran
					status, err := a.ask(http.MethodPost, "/v1/tools/safe-exec", nil, map[string]any{"language": p.language, "code": p.code, "limits": map[string]any{"timeout_ms": 2000, "max_memory_mb": 128}}, &got)
					if !assert.NoError(t, err) {
						return
					}
					if status == http.StatusTooManyRequests {
						time.Sleep(20 * time.Millisecond) // the daemon is full, as it is meant to be: not to spin until it is not
						continue
					}
					ended.Add(1)
					assert.Equal(t, http.StatusOK, status, p.name)
					assert.True(t, slices.Contains(p.reasons, got.Termination.Reason), "%s: %+v", p.name, got)
				}
			})
		}
		wg.Wait()
	}
	round(time.Now().Add(*chaosLoad / 5)) // it grows to its size
	before := sizeOf(t, d)
	round(time.Now().Add(*chaosLoad))
	assert.Eventually(t, func() bool { return sizeOf(t, d).within(before) }, patience, 500*time.Millisecond)
	t.Logf("%d honest runs, %d hostile ones; before %+v, after %+v", served.Load(), ended.Load(), before, sizeOf(t, d))
	assert.Zero(t, wrong.Load())
	assert.Positive(t, served.Load())
	assert.Positive(t, ended.Load())
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
