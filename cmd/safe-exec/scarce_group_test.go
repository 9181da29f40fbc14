package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/cgroup"
)

// newGroup is a cgroup v1 of the test's own in one hierarchy, for a daemon and all of
// its jails, and what a shell needs to become a daemon in it.
func newGroup(t *testing.T, controller string) (dir string, by []string) {
	t.Helper()
	report, err := cgroup.Probe(cgroup.Options{})
	require.NoError(t, err)
	if report.Version != cgroup.V1 {
		t.Skip("needs cgroup v1: on v2 a test cannot give its own children controllers while it is in their parent")
	}
	for _, base := range report.Base {
		if strings.HasPrefix(base, "/sys/fs/cgroup/"+controller) {
			dir = filepath.Join(base, "scarce-"+strconv.Itoa(os.Getpid()))
		}
	}
	require.NotEmpty(t, dir)
	require.NoError(t, os.Mkdir(dir, 0o755))
	t.Cleanup(func() { // behind the daemon's own, which ends it
		assert.Eventually(t, func() bool {
			err := syscall.Rmdir(dir)
			return err == nil || errors.Is(err, syscall.ENOENT)
		}, patience, 50*time.Millisecond)
	})
	return dir, []string{"sh", "-c", "echo $$ > " + dir + `/cgroup.procs && exec "$@"`, "sh"}
}

func set(t *testing.T, dir, file, value string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(value), 0))
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// Programs that take all the tasks that they can get take none of the daemon's.
func TestADaemonWithoutProcessesRefusesRuns(t *testing.T) {
	dir, by := newGroup(t, "pids")
	set(t, dir, "pids.max", "120")
	d := launchBy(t, by, newSocket(t), "--config", program(t, "c.yaml", noSpares+"runs: 40\nothers: {runs: 40}\n"))
	d.expect(t, "READY=1")
	broker := d.broker(t)
	all := together(d.socket, 40, 3)
	right, refused := rightOrRefused(t, all)
	t.Logf("%d right, %d refused", right, refused)
	assert.Positive(t, right)
	assert.Positive(t, refused)
	for _, r := range all {
		if r.HTTP == http.StatusServiceUnavailable {
			assert.Contains(t, r.Detail, "resource temporarily unavailable", "%+v", r)
		}
	}
	d.serves(t)
	d.leavesNothing(t)
	assert.Equal(t, broker, d.broker(t), "it has lost nothing")
}
