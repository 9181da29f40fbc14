//go:build vmtest

package probe

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const cgroupRoot = "/sys/fs/cgroup"

// leaf is a cgroup made by mkdir, with the limits written as they stand.
type leaf struct {
	t   *testing.T
	dir string
	fd  int
}

func newLeaf(t *testing.T, limits map[string]string) *leaf {
	t.Helper()
	dir := filepath.Join(cgroupRoot, "probe-"+strings.ReplaceAll(t.Name(), "/", "-"))
	require.NoError(t, os.Mkdir(dir, 0o755))
	l := &leaf{t: t, dir: dir}
	for file, value := range limits {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(value), 0), "%s=%s", file, value)
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	l.fd = fd
	t.Cleanup(func() {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "cgroup.kill"), []byte("1"), 0))
		l.waitEmpty()
		require.NoError(t, unix.Close(fd))
		require.NoError(t, unix.Rmdir(dir))
	})
	return l
}

func (l *leaf) read(file string) string {
	l.t.Helper()
	b, err := os.ReadFile(filepath.Join(l.dir, file))
	require.NoError(l.t, err)
	return strings.TrimSpace(string(b))
}

func (l *leaf) number(file string) int64 {
	l.t.Helper()
	n, err := strconv.ParseInt(l.read(file), 10, 64)
	require.NoError(l.t, err, file)
	return n
}

// counter reads one line of a flat keyed file such as memory.events.
func (l *leaf) counter(file, key string) int64 {
	l.t.Helper()
	for line := range strings.Lines(l.read(file)) {
		if v, ok := strings.CutPrefix(line, key+" "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
			require.NoError(l.t, err, line)
			return n
		}
	}
	require.Failf(l.t, "no such counter", "%s in %s", key, file)
	return 0
}

// start clones a child of the role straight into the leaf.
func (l *leaf) start(role string, cloneflags uintptr) (*exec.Cmd, *bytes.Buffer) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	l.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Env = []string{childEnv + "=" + role}
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: l.fd, Cloneflags: cloneflags}
	if cloneflags&unix.CLONE_NEWUSER != 0 {
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 100000, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 100000, Size: 1}}
		cmd.SysProcAttr.GidMappingsEnableSetgroups = true
		cmd.SysProcAttr.Credential = &syscall.Credential{}
	}
	require.NoError(l.t, cmd.Start())
	return cmd, &out
}

func (l *leaf) waitEmpty() {
	l.t.Helper()
	require.Eventually(l.t, func() bool { return l.counter("cgroup.events", "populated") == 0 },
		20*time.Second, 10*time.Millisecond, "the leaf stays populated")
}

// ending is how a child ended: its exit status, or the negative signal number.
func ending(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit), "wait: %v", err)
	ws := exit.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return -int(ws.Signal())
	}
	return ws.ExitStatus()
}
