package profiles_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

var harnesses = []struct {
	name string
	interpreter
}{
	{"python, compiled", python},
	{"python, as text", pythonText},
	{"javascript", javascript},
}

func TestBlockedHarnessIsLockedDownOnEveryThread(t *testing.T) {
	dir, err := image()
	require.NoError(t, err)
	waiting := append(slices.Clone(harnesses), harnesses[0])
	ready := &waiting[len(waiting)-1]
	ready.name, ready.way = "python, made ready for a level", warm
	for _, h := range waiting {
		t.Run(h.name, func(t *testing.T) {
			p := launch(t, h.interpreter, dir, true)
			if h.way == warm {
				p.promise(t, levelOnly(pythonAt(t, "standard")("")))
			} else {
				p.handshake(t)
			}
			proc := fmt.Sprintf("/proc/%d", p.cmd.Process.Pid)

			tasks, err := filepath.Glob(proc + "/task/*/status")
			require.NoError(t, err)
			require.NotEmpty(t, tasks)
			for _, task := range tasks {
				status, err := os.ReadFile(task)
				require.NoError(t, err)
				for _, line := range []string{"NoNewPrivs:\t1", "Seccomp:\t2", "Seccomp_filters:\t1"} {
					assert.Contains(t, string(status), line, task)
				}
			}
			if h.harness == javascript.harness {
				assert.Greater(t, len(tasks), 1, "Node without threads proves nothing about them")
			}

			fds, err := os.ReadDir(proc + "/fd")
			require.NoError(t, err)
			for _, fd := range fds {
				target, err := os.Readlink(filepath.Join(proc, "fd", fd.Name()))
				require.NoError(t, err)
				assert.NotContains(t, target, "seccomp", "the listener is still open")
				if !strings.HasPrefix(target, "anon_inode:") {
					assert.Regexp(t, regexp.MustCompile(`^(/dev/null|(pipe|socket):\[\d+\])$`), target, "descriptor %s", fd.Name())
				}
			}
			info, err := os.Stat(proc + "/environ")
			require.NoError(t, err)
			if os.Geteuid() == 0 {
				assert.Zero(t, info.Sys().(*syscall.Stat_t).Uid, "a dumpable process owns the files of its directory")
			}
		})
	}
}

func TestFailureOfLockDownIsSaidWithItsStep(t *testing.T) {
	good, err := image()
	require.NoError(t, err)
	rows := []struct {
		name       string
		noNewPrivs bool
		filter     []byte // nil: no file
		python     string
		javascript string
	}{
		{"no_new_privs is not set", false, allowAll, "check no_new_privs", "check no_new_privs 1"},
		{"the filter is missing", true, nil, "FileNotFoundError", "ENOENT"},
		{"the filter is empty", true, []byte{}, "[Errno 22] read the filter", "read the filter 22"},
		{"the filter is cut short", true, allowAll[:5], "[Errno 22] read the filter", "read the filter 22"},
		{"the filter is no program", true, make([]byte, 8), "[Errno 22] load the filter", "load the filter 22"},
	}
	for _, row := range rows {
		for _, h := range harnesses {
			t.Run(row.name+", "+h.name, func(t *testing.T) {
				dir := openDir(t)
				for _, name := range []string{"harness.py", "harness.pyc", "program.pyc", "harness.js", "_safe_exec.abi3.so", "safe_exec.node"} {
					require.NoError(t, os.Link(filepath.Join(good, name), filepath.Join(dir, name)))
				}
				if row.filter != nil {
					require.NoError(t, os.WriteFile(filepath.Join(dir, "steady.bpf"), row.filter, 0o644))
				}
				p := launch(t, h.interpreter, dir, row.noNewPrivs)
				words := wire.NewDecoder(p.expect(t, wire.Failed))
				want := row.python
				if h.harness == javascript.harness {
					want = row.javascript
				}
				assert.Contains(t, words.String(), want)
				assert.NoError(t, words.Err())
				assert.Error(t, p.cmd.Wait(), "a harness that failed must not exit with 0")
			})
		}
	}
}

func TestHarnessFailsOnUnexpectedFrames(t *testing.T) {
	dir, err := image()
	require.NoError(t, err)
	job := wire.Job{Unrestricted: true, Code: "print(1)"}.Encode()
	rows := []struct {
		name    string
		kind    wire.Kind
		payload []byte
	}{
		{"another kind", wire.Kept, nil},
		{"an empty job", wire.JobFrame, nil},
		{"a job of another version", wire.JobFrame, append([]byte{1, 0, 0, 0, '1'}, job[5:]...)},
		{"a job that is cut short", wire.JobFrame, job[:len(job)-1]},
		{"a job with bytes left over", wire.JobFrame, append(append([]byte{}, job...), 0)},
	}
	for _, row := range rows {
		for _, h := range harnesses {
			t.Run(row.name+", "+h.name, func(t *testing.T) {
				p := launch(t, h.interpreter, dir, true)
				p.handshake(t)
				require.NoError(t, wire.WriteFrame(p.conn, row.kind, row.payload))
				p.expect(t, wire.Failed)
				assert.Error(t, p.cmd.Wait())
				assert.Empty(t, p.stdout.String(), "the program ran")
			})
		}
	}
}
