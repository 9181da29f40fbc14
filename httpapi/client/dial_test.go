package client

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// fullBacklog is a socket on which no more can connect until somebody is accepted.
func fullBacklog(t *testing.T) (path string, listener net.Listener) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s.sock")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}))
	require.NoError(t, syscall.Listen(fd, 1))
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	listener, err = net.FileListener(file)
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	for {
		c, err := net.Dial("unix", path)
		if errors.Is(err, syscall.EAGAIN) {
			return path, listener
		}
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
	}
}

func TestABacklogThatIsFullIsWaitedFor(t *testing.T) {
	path, listener := fullBacklog(t)
	until := time.Now().Add(50 * time.Millisecond)
	ctx, cancel := context.WithDeadline(t.Context(), until)
	defer cancel()
	_, err := New(path).Daemon(ctx)
	var e *policy.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, policy.CodeUnavailable, e.Code)
	assert.False(t, time.Now().Before(until), "it gave up before its time was over")

	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	_, err = New(path).Daemon(t.Context())
	assert.NoError(t, err)
}
