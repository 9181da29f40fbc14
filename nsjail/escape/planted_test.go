package escape

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/internal/testproc"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
)

// ownerEnv makes this test binary plant, say where, and stay.
const ownerEnv = "SAFE_EXEC_TEST_OWNER"

func TestMain(m *testing.M) {
	if os.Getenv(ownerEnv) == "" {
		testproc.OwnMounts()
		os.Exit(m.Run())
	}
	targets, err := Plant()
	if err != nil {
		panic(err)
	}
	if os.Getenv(ownerEnv) == "control" {
		naive, err := NewNaive(lease.DefaultRange, cgroup.Options{}, map[policy.Language]string{policy.Python: "/usr/bin/python3"})
		if err != nil {
			panic(err)
		}
		go func() {
			_, _ = naive.run(context.Background(), Probe{Language: policy.Python}, targets, "import time; time.sleep(60)")
		}()
		fmt.Println("uid", naive.uid)
	}
	fmt.Println("planted", targets.dir)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends, however it ends
}

// owner is a process that has planted; it is killed at the test's end at latest.
func owner(t *testing.T, what string) (cmd *exec.Cmd, dir string, uid uint32) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), ownerEnv+"="+what)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	_, err = cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "uid "); ok {
			n, err := strconv.ParseUint(text, 10, 32)
			require.NoError(t, err)
			uid = uint32(n)
		}
		if dir, ok := strings.CutPrefix(lines.Text(), "planted "); ok {
			return cmd, dir, uid
		}
	}
	require.FailNow(t, "the owner did not plant")
	return nil, "", 0
}

// ownTemp is a place where nothing else plants.
func ownTemp(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("needs root")
	}
	dir, err := os.MkdirTemp("", "safe-exec-targets-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755)) // controls go there
	t.Setenv("TMPDIR", dir)
	return dir
}

func TestOnlyADeadOwnersTargetsAreSwept(t *testing.T) {
	ownTemp(t)
	_, alive, _ := owner(t, "targets")
	killed, dead, _ := owner(t, "targets")
	require.NoError(t, killed.Process.Signal(syscall.SIGKILL))
	_ = killed.Wait()
	require.DirExists(t, dead, "who is killed cannot clean up")

	mine, err := Plant()
	require.NoError(t, err)
	assert.NoDirExists(t, dead)
	assert.DirExists(t, alive)
	mine.Remove()
	assert.NoDirExists(t, mine.dir)
	assert.DirExists(t, alive)
}

func TestTheShortFormSweepsToo(t *testing.T) {
	parent := ownTemp(t)
	killed, dead, _ := owner(t, "targets")
	require.NoError(t, killed.Process.Signal(syscall.SIGKILL))
	_ = killed.Wait()
	mine, err := plant(parent)
	require.NoError(t, err)
	defer mine.Remove()
	assert.NoDirExists(t, dead)
}

// A control is an attack in nothing but a naive jail: it must not go on by itself.
func TestAKilledBatteryLeavesNoControlRunning(t *testing.T) {
	ownTemp(t)
	killed, _, uid := owner(t, "control")
	// While the lock on its lease is held, nobody who takes one sweeps, which would end
	// the control too, and nobody else gets the uid.
	slot := takeLock(t, killed.Process.Pid)
	running := func() (n int) {
		files, err := filepath.Glob("/proc/[0-9]*/status")
		require.NoError(t, err)
		for _, file := range files {
			text, _ := os.ReadFile(file) // one that ended meanwhile has none
			dead := strings.Contains(string(text), "\nState:\tZ") || strings.Contains(string(text), "\nState:\tX")
			if !dead && strings.Contains(string(text), fmt.Sprintf("\nUid:\t%d\t", uid)) {
				n++
			}
		}
		return n
	}
	for deadline := time.Now().Add(20 * time.Second); running() < 3; time.Sleep(5 * time.Millisecond) { // shell, neighbour, program
		require.True(t, time.Now().Before(deadline), "the control does not start")
	}
	require.NoError(t, killed.Process.Signal(syscall.SIGKILL))
	_ = killed.Wait()
	// The neighbour sleeps for a minute. No event tells of ends: they are no children of ours.
	for deadline := time.Now().Add(20 * time.Second); running() > 0; time.Sleep(5 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), "%d processes go on", running())
	}
	require.NoError(t, slot.Close())
	// Whoever takes a lease next removes the cgroups.
	l, err := lease.Take(lease.Dir, lease.DefaultRange, cgroup.Sweep)
	require.NoError(t, err)
	require.NoError(t, l.Close(true))
}

// takeLock gets the lock on its lease from a process that holds one: it is held until
// both have closed it (flock(2)).
func takeLock(t *testing.T, pid int) *os.File {
	t.Helper()
	process, err := unix.PidfdOpen(pid, 0)
	require.NoError(t, err)
	defer unix.Close(process)
	fds := fmt.Sprintf("/proc/%d/fd", pid)
	all, err := os.ReadDir(fds)
	require.NoError(t, err)
	for _, fd := range all {
		target, _ := os.Readlink(filepath.Join(fds, fd.Name())) // closed meanwhile: another
		if filepath.Dir(target) == lease.Dir {
			number, err := strconv.Atoi(fd.Name())
			require.NoError(t, err)
			ours, err := unix.PidfdGetfd(process, number, 0)
			require.NoError(t, err)
			return os.NewFile(uintptr(ours), target)
		}
	}
	require.FailNow(t, "it holds no lease")
	return nil
}

func TestNothingButRootsDirectoriesIsSwept(t *testing.T) {
	outside := t.TempDir()
	kept := filepath.Join(outside, "kept")
	require.NoError(t, os.WriteFile(kept, nil, 0o600))
	for _, row := range []struct {
		name string
		make func(path string) error
		gone bool
	}{
		{"a directory of root, with files of others and a link out", func(path string) error {
			if err := os.MkdirAll(path+"/control-1", 0o755); err != nil {
				return err
			}
			if err := os.Symlink(outside, path+"/control-1/link"); err != nil {
				return err
			}
			return os.Lchown(path+"/control-1", overflowID, overflowID)
		}, true},
		{"a directory of another user", func(path string) error {
			if err := os.Mkdir(path, 0o755); err != nil {
				return err
			}
			return os.Chown(path, overflowID, overflowID)
		}, false},
		{"a directory that all may write", func(path string) error {
			if err := os.Mkdir(path, 0o755); err != nil {
				return err
			}
			return os.Chmod(path, 0o777)
		}, false},
		{"a link to a directory of root", func(path string) error { return os.Symlink(outside, path) }, false},
		{"a file", func(path string) error { return os.WriteFile(path, nil, 0o600) }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(ownTemp(t), planted+"1")
			require.NoError(t, row.make(path))
			require.NoError(t, lease.SweepScratch(os.TempDir(), planted))
			_, err := os.Lstat(path)
			assert.Equal(t, row.gone, os.IsNotExist(err), err)
			assert.FileExists(t, kept)
		})
	}
}

// Each sweeps before it plants: none may take what another has just made.
func TestManyPlantAtOnce(t *testing.T) {
	parent := ownTemp(t)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 20 {
				path, lock, err := plantDir(parent)
				if !assert.NoError(t, err) {
					return
				}
				assert.DirExists(t, path)
				assert.NoError(t, os.Remove(path))
				lock.Close()
			}
		})
	}
	group.Wait()
}
