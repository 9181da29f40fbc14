package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/testproc"
	"safe-exec/nsjail/lease"
)

// ownDoctors is a directory in the place of doctorPlace for what is started by by: others
// on this host, who doctor and sweep there too, do not come near it. The leases are those
// of all.
func ownDoctors(t *testing.T) (dir string, by []string) {
	t.Helper()
	require.NoError(t, makeEntrance(doctorPlace))
	require.NoError(t, os.MkdirAll(lease.Dir, 0o700))
	dir = filepath.Dir(newSocket(t))
	leases := filepath.Join(dir, filepath.Base(lease.Dir))
	require.NoError(t, os.Mkdir(leases, 0o700))
	return dir, []string{"unshare", "--mount", "--propagation", "private", "sh", "-c",
		"mount --bind " + lease.Dir + " " + leases + " && mount --rbind " + dir + " " + doctorPlace + ` && exec "$@"`, "sh"}
}

// examining is a doctor that stands still since it has begun to use its directory, and
// does so until it is killed, at the test's end at latest.
func examining(t *testing.T, place string, by []string) (p *exec.Cmd, dir string) {
	t.Helper()
	line := slices.Concat(by, []string{binary, "doctor", "--socket", newSocket(t), "--state-dir", newState(t)})
	cmd := exec.Command(line[0], line[1:]...)
	started := make(chan error, 1)
	held := testproc.Hold(t, unix.SYS_FCHOWN, func() { started <- cmd.Start() }) // it lets its broker in
	require.NoError(t, <-started)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	held.Await(t)
	for _, fd := range glob(fmt.Sprintf("/proc/%d/fd/*", cmd.Process.Pid)) {
		path, err := os.Readlink(fd)
		require.NoError(t, err)
		if strings.HasPrefix(path, filepath.Join(doctorPlace, doctorPrefix)) && filepath.Dir(path) == doctorPlace {
			dir = filepath.Join(place, filepath.Base(path))
		}
	}
	require.DirExists(t, dir)
	return cmd, dir
}

func TestWhatAKilledDoctorLeavesIsSwept(t *testing.T) {
	needRoot(t)
	noPython := program(t, "c.yaml", "profiles:\n  python:\n    interpreter: /nope/python3\n")
	for _, row := range []struct {
		name, command string
		status        int
	}{
		{"by the next doctor", "doctor", 1},
		{"by a daemon that starts", "serve", 125},
	} {
		t.Run(row.name, func(t *testing.T) {
			place, by := ownDoctors(t)
			_, alive := examining(t, place, by)
			killed, dead := examining(t, place, by)
			require.NotEqual(t, alive, dead)
			require.NoError(t, killed.Process.Kill())
			_ = killed.Wait()
			require.DirExists(t, dead, "who is killed cannot clean up")

			got := invocation{by: by}.run(t, row.command, "--config", noPython, "--socket", newSocket(t), "--state-dir", newState(t))
			assert.Equal(t, row.status, got.code, got.stderr)
			assert.NoDirExists(t, dead)
			assert.DirExists(t, alive, "its owner lives")
		})
	}
}
