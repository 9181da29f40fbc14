package lease

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/testproc"
)

const prefix = "scratch-"

// makers are what the package makes below a directory: by name, so that another process
// can be told to make one.
var makers = map[string]func(parent string) (*os.File, error){
	"a directory": func(parent string) (*os.File, error) {
		_, lock, err := Scratch(parent, prefix)
		return lock, err
	},
	"a file": func(parent string) (*os.File, error) { return Aside(parent, "file") },
	"a lease": func(parent string) (*os.File, error) {
		l, err := Take(filepath.Join(parent, "run", "lease"), DefaultRange, none)
		if err != nil {
			return nil, err
		}
		return l.file, nil
	},
}

// killedEnv is the number of the system call at which this program, as another process,
// is to be killed while it makes its first argument below its second.
const killedEnv = "SAFE_EXEC_TEST_KILLED_AT"

func TestMain(m *testing.M) {
	if os.Getenv(killedEnv) == "" {
		os.Exit(m.Run())
	}
	nr, err := strconv.ParseUint(os.Getenv(killedEnv), 10, 32)
	if err != nil {
		panic(err)
	}
	unix.Umask(0o077)
	if err := testproc.Kill(uint32(nr)); err != nil {
		panic(err)
	}
	if _, err := makers[os.Args[1]](os.Args[2]); err != nil {
		panic(err)
	}
}

// sweepBoth removes what dead owners have left, of either kind.
func sweepBoth(t *testing.T, parent string) {
	t.Helper()
	require.NoError(t, SweepScratch(parent, prefix))
	f, err := Aside(parent, "sweeper") // it sweeps first
	require.NoError(t, err)
	require.NoError(t, os.Remove(f.Name()))
	require.NoError(t, f.Close())
}

func names(t *testing.T, parent string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(parent)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A sweeper cannot tell a maker that stands still from a dead one. The maker must not go
// on with what was taken from it.
func TestAMakerThatStandsStillWhileAnotherSweeps(t *testing.T) {
	for _, row := range []struct {
		name string
		at   uint32
		kept bool
	}{
		{"before it locks: it makes another", unix.SYS_FLOCK, false},
		{"when it has locked: it keeps the first", unix.SYS_NEWFSTATAT, true},
	} {
		for _, what := range []string{"a directory", "a file"} {
			t.Run(what+", "+row.name, func(t *testing.T) {
				parent := t.TempDir()
				type made struct {
					lock *os.File
					err  error
				}
				done := make(chan made)
				held := testproc.Hold(t, row.at, func() {
					lock, err := makers[what](parent)
					done <- made{lock, err}
				})
				held.Await(t)
				first := names(t, parent)
				require.Len(t, first, 1)
				sweepBoth(t, parent)
				assert.Equal(t, row.kept, len(names(t, parent)) == 1)
				held.Release()
				got := <-done
				require.NoError(t, got.err)
				defer got.lock.Close()
				sweepBoth(t, parent)
				left := names(t, parent)
				require.Equal(t, []string{filepath.Base(got.lock.Name())}, left, "it is there, and nothing else")
				assert.Equal(t, row.kept, left[0] == first[0])
			})
		}
	}
}

// Two may sweep at once, and the name may be another's when the slower one goes on.
func TestASweeperThatStandsStill(t *testing.T) {
	for _, row := range []struct {
		name string
		at   uint32
		gone bool // when another has swept meanwhile
	}{
		{"before it locks: what has the name then stays", unix.SYS_FLOCK, true},
		{"when it has locked: another leaves it to the first", unix.SYS_UNLINKAT, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			parent := t.TempDir()
			path := filepath.Join(parent, prefix+"1")
			require.NoError(t, os.Mkdir(path, 0o700)) // its owner is dead: nothing locks it
			done := make(chan error)
			held := testproc.Hold(t, row.at, func() { done <- SweepScratch(parent, prefix) })
			held.Await(t)
			sweepBoth(t, parent)
			if !row.gone {
				assert.DirExists(t, path)
			} else {
				require.NoDirExists(t, path)
				require.NoError(t, os.Mkdir(path, 0o700))
				f, err := open(path, fs.ModeDir)
				require.NoError(t, err)
				defer f.Close()
				require.NoError(t, lockOpened(f))
			}
			held.Release()
			require.NoError(t, <-done)
			_, err := os.Stat(path)
			assert.Equal(t, row.gone, err == nil, "%v", err)
		})
	}
}

func TestWhatAKilledMakerHasBegunIsSwept(t *testing.T) {
	for _, step := range []struct {
		name string
		nr   uint32
	}{
		{"it locks", unix.SYS_FLOCK},
		{"it looks at what it has locked", unix.SYS_NEWFSTATAT},
	} {
		for _, what := range []string{"a directory", "a file"} {
			t.Run(what+", before "+step.name, func(t *testing.T) {
				parent := t.TempDir()
				require.Equal(t, syscall.SIGSYS, killedAt(t, step.nr, what, parent))
				require.Len(t, names(t, parent), 1)
				sweepBoth(t, parent)
				assert.Empty(t, names(t, parent))
			})
		}
	}
}

// Whatever its umask. A directory that is there is the operator's and stays as it is, so
// one that shuts callers out would do so for good.
func TestAKilledTakerShutsNobodyOut(t *testing.T) {
	for _, nr := range []uint32{unix.SYS_MKDIRAT, unix.SYS_FCHMODAT, unix.SYS_OPENAT, unix.SYS_FLOCK} {
		t.Run(fmt.Sprintf("at system call %d", nr), func(t *testing.T) {
			parent := t.TempDir()
			killedAt(t, nr, "a lease", parent)
			take(t, filepath.Join(parent, "run", "lease"), none).Close(true)
			info, err := os.Stat(filepath.Join(parent, "run"))
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())
		})
	}
}

// killedAt makes something in a process that is killed at a system call, if it comes so
// far: 0 if it does not.
func killedAt(t *testing.T, nr uint32, what, parent string) syscall.Signal {
	t.Helper()
	cmd := exec.Command(os.Args[0], what, parent)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", killedEnv, nr))
	out, err := cmd.CombinedOutput()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return status.Signal()
	}
	require.NoError(t, err, "%s", out)
	return 0
}
