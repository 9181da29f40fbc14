package broker

import (
	"fmt"
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

// killedEnv is the number of the system call at which this program, as another process,
// is to be killed while it claims the state directory that is its argument.
const killedEnv = "SAFE_EXEC_TEST_KILLED_AT"

func claimUntilKilled() int {
	nr, err := strconv.ParseUint(os.Getenv(killedEnv), 10, 32)
	if err != nil {
		panic(err)
	}
	unix.Umask(0o077)
	if err := testproc.Kill(uint32(nr)); err != nil {
		panic(err)
	}
	_, err = Claim(os.Args[1], uid, uid)
	fmt.Fprintln(os.Stderr, "not killed:", err)
	return 1
}

// Each row is killed just before a step is taken, on a host that has nothing yet and on
// one where an operator has made the directory.
func TestWhatAKilledDaemonHasBegunTheNextTakesUp(t *testing.T) {
	steps := []struct {
		name string
		nr   int
	}{
		{"a directory is made", unix.SYS_MKDIRAT},
		{"the lock is taken", unix.SYS_FCNTL},
		{"the broker's group is let into the state directory", unix.SYS_FCHOWN},
		{"that group may pass", unix.SYS_FCHMOD},
		{"the broker's directory gets its mode", unix.SYS_FCHMODAT},
		{"the broker gets it", unix.SYS_FCHOWNAT},
		{"it gets its name", unix.SYS_RENAMEAT},
	}
	for _, there := range []bool{false, true} {
		for _, step := range steps {
			t.Run(fmt.Sprintf("before %s, state_dir there: %t", step.name, there), func(t *testing.T) {
				state := filepath.Join(open(t), "above", "state")
				if there {
					require.NoError(t, os.Mkdir(filepath.Dir(state), 0o755))
					require.NoError(t, os.Mkdir(state, 0o700))
				}
				cmd := exec.Command(os.Args[0], state)
				cmd.Env = append(os.Environ(), killedEnv+"="+strconv.Itoa(step.nr))
				out, err := cmd.CombinedOutput()
				require.Error(t, err)
				require.Equal(t, syscall.SIGSYS, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), "%s", out)

				require.NoError(t, Look(state, uid, uid))
				claim(t, state).Close()
				assert.NoDirExists(t, filepath.Join(state, newBrokerDir))
				info, err := os.Stat(filepath.Join(state, brokerDir))
				require.NoError(t, err)
				owner := info.Sys().(*syscall.Stat_t)
				assert.Equal(t, []any{os.FileMode(0o700), uint32(uid), uint32(uid)}, []any{info.Mode().Perm(), owner.Uid, owner.Gid})
			})
		}
	}
}

// A umask that would shut the broker out for good.
func TestDirectoriesAreMadeWithTheirMode(t *testing.T) {
	old := unix.Umask(0o077)
	defer unix.Umask(old)
	above := filepath.Join(open(t), "a", "b")
	require.NoError(t, MakeDir(above, 0o755))
	for _, dir := range []string{above, filepath.Dir(above)} {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())
	}
}
