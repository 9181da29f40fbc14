package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// examining is a doctor that has made a directory; it ends with the test.
func examining(t *testing.T) (p *os.Process, dir string) {
	t.Helper()
	cmd := exec.Command(binary, "doctor", "--socket", newSocket(t), "--state-dir", newState(t))
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if dir != "" {
			assert.NoError(t, os.RemoveAll(dir))
		}
	})
	fds := fmt.Sprintf("/proc/%d/fd", cmd.Process.Pid)
	require.Eventually(t, func() bool {
		all, err := os.ReadDir(fds)
		require.NoError(t, err)
		for _, fd := range all {
			path, _ := os.Readlink(filepath.Join(fds, fd.Name())) // closed meanwhile: another
			if strings.HasPrefix(path, filepath.Join(doctorPlace, doctorPrefix)) && filepath.Dir(path) == doctorPlace {
				dir = path
				return true
			}
		}
		return false
	}, patience, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
	require.DirExists(t, dir)
	return cmd.Process, dir
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
			_, alive := examining(t)
			killed, dead := examining(t)
			require.NoError(t, killed.Kill())
			_, err := killed.Wait()
			require.NoError(t, err)
			require.DirExists(t, dead, "who is killed cannot clean up")

			got := invoke(t, row.command, "--config", noPython, "--socket", newSocket(t), "--state-dir", newState(t))
			assert.Equal(t, row.status, got.code, got.stderr)
			assert.NoDirExists(t, dead)
			assert.DirExists(t, alive, "its owner lives")
		})
	}
}
