package cgroup

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestProbeChangesNothingAndNamesWhatOpenMakes(t *testing.T) {
	r, err := Probe(Options{EnableControllers: true})
	require.NoError(t, err)
	require.NotZero(t, r.Version, "%s: %s", r.Reason, r.Remedy)
	t.Logf("this host: cgroup %s", r.Version)
	name := fmt.Sprintf("safe-exec-test-probe-%d", os.Getpid())
	for _, p := range r.Parents(name) {
		require.NoDirExists(t, p)
	}
	h, err := Open(name, Options{EnableControllers: true})
	require.NoError(t, err)
	assert.Equal(t, r.Parents(name), h.Paths())
	assert.Equal(t, r.Version, h.Version())
	for _, p := range h.Paths() {
		assert.DirExists(t, p)
	}
	require.NoError(t, h.Close())
	require.NoError(t, h.Close(), "a second Close does nothing")
}

func TestParentLiesInTheCallersOwnGroup(t *testing.T) {
	h := open(t)
	own, err := ownGroups()
	require.NoError(t, err)
	var dirs []string
	for _, g := range own {
		dirs = append(dirs, g.dir)
	}
	for _, p := range h.Paths() {
		assert.Contains(t, dirs, filepath.Dir(p))
	}
}

func TestOrphansOfAKilledDaemon(t *testing.T) {
	for _, tc := range []struct {
		name  string
		sweep func(t *testing.T, parent string, paths []string)
	}{
		{"are swept by their paths", func(t *testing.T, _ string, paths []string) {
			require.NoError(t, Sweep(paths))
			require.NoError(t, Sweep(paths), "a second sweep finds nothing and is fine")
		}},
		{"are swept when the parent is opened again", func(t *testing.T, parent string, _ []string) {
			h, err := Open(parent, Options{EnableControllers: true})
			require.NoError(t, err)
			l, err := h.NewLeaf("orphans", roomy)
			require.NoError(t, err, "the name is free again")
			end(t, l)
			require.NoError(t, h.Close())
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bystander := command("sleep")
			l := leaf(t, open(t), roomy)
			start(t, l, bystander)

			parent := fmt.Sprintf("safe-exec-test-orphans-%d-%d", os.Getpid(), names.Add(1))
			r, err := Probe(Options{EnableControllers: true})
			require.NoError(t, err)
			paths := r.Parents(parent)
			daemon := command("orphans", parent)
			require.NoError(t, daemon.Start())
			require.Eventually(t, func() bool {
				pids, err := readPids(filepath.Join(paths[0], "orphans"))
				return err == nil && len(pids) > 3
			}, 20*time.Second, 5*time.Millisecond)
			require.NoError(t, daemon.Process.Kill())
			_ = daemon.Wait()
			for _, p := range paths {
				require.DirExists(t, filepath.Join(p, "orphans"), "the daemon left its leaf behind")
			}

			tc.sweep(t, parent, paths)
			for _, p := range paths {
				assert.NoDirExists(t, p)
			}
			pids, err := readPids(l.dirs[0])
			require.NoError(t, err)
			assert.Equal(t, []int{bystander.Process.Pid}, pids, "another parent's leaf is not touched")
		})
	}
}

func TestSweepRefusesWhatIsNoParent(t *testing.T) {
	own, err := ownGroups()
	require.NoError(t, err)
	type row struct{ name, path, want string }
	rows := []row{
		{"relative path", "safe-exec", "not a clean absolute path"},
		{"path with dots", "/sys/fs/cgroup/a/../b", "not a clean absolute path"},
		{"no cgroup", t.TempDir() + "/x", "not a cgroup"},
		{"name that no parent has", "/sys/fs/cgroup/system.slice", "name"},
		{"root", "/", "name"},
	}
	require.NoError(t, os.Mkdir(rows[2].path, 0o755))
	for _, g := range own {
		rows = append(rows, row{"the caller's own group " + g.prefix, g.dir, ""})
	}
	for _, tc := range rows {
		t.Run(tc.name, func(t *testing.T) {
			// Not through Sweep: if this failed, it would kill the caller.
			_, err := sweepable(tc.path)
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestCloseRefusesWhileALeafIsThere(t *testing.T) {
	h := open(t)
	l := leaf(t, h, roomy)
	require.Error(t, h.Close())
	for _, d := range l.dirs {
		assert.DirExists(t, d)
	}
}

func TestLeafClosedWithALiveProcessIsQuarantinedAndThenKilled(t *testing.T) {
	h := open(t)
	l, err := h.NewLeaf("alive", roomy)
	require.NoError(t, err)
	wait := start(t, l, command("sleep"))
	require.ErrorIs(t, l.Close(), ErrQuarantined)
	assert.Equal(t, 1, h.Quarantined())
	require.Eventually(t, func() bool {
		next, err := h.NewLeaf("next", roomy)
		return err == nil && next.Close() == nil && h.Quarantined() == 0
	}, 20*time.Second, time.Millisecond)
	assert.False(t, wait().Success())
}

func TestNothingIsPrintedAndNoDescriptorLeft(t *testing.T) {
	h := open(t)
	reaping.Wait() // for those of the tests before
	before := descriptors(t)
	out := printedBy(t, func() {
		for i := range 5 {
			l, err := h.NewLeaf(fmt.Sprintf("quiet-%d", i), roomy)
			require.NoError(t, err)
			start(t, l, command("sleep"))
			end(t, l)
		}
	})
	assert.Empty(t, out)
	reaping.Wait()
	assert.Equal(t, before, descriptors(t))
}

func descriptors(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(fds)
}

// printedBy catches what goes to descriptors 1 and 2: a logger may have kept
// os.Stderr since the process began.
func printedBy(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	for _, fd := range []int{1, 2} {
		saved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		require.NoError(t, err)
		require.NoError(t, unix.Dup3(int(w.Fd()), fd, 0))
		defer func() {
			require.NoError(t, unix.Dup3(saved, fd, 0))
			require.NoError(t, unix.Close(saved))
		}()
	}
	f()
	// No end of file comes while 1 and 2 are the pipe.
	_, err = w.WriteString(endOfPrint)
	require.NoError(t, err)
	text, err := bufio.NewReader(r).ReadString(endOfPrint[0])
	require.NoError(t, err)
	require.NoError(t, errors.Join(w.Close(), r.Close()))
	return strings.TrimSuffix(text, endOfPrint)
}

const endOfPrint = "\x04"

func TestPrintedByCatchesALogger(t *testing.T) {
	assert.Equal(t, "seen", printedBy(t, func() { _, _ = os.Stderr.WriteString("seen") }))
}
