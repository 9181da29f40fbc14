package escape

import (
	"net"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestAPortThatRootMayTakeIsLeft: any user can listen on all ports that the kernel
// picks from. The namespace has one.
func TestAPortThatRootMayTakeIsLeft(t *testing.T) {
	if os.Getuid() != 0 {
		t.Fatal("needs root")
	}
	port, err := 0, error(nil)
	done := make(chan struct{})
	var a arrivals
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with its namespace
		port, err = func() (int, error) {
			if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
				return 0, err
			}
			if err := loopbackUp(); err != nil {
				return 0, err
			}
			if err := os.WriteFile("/proc/sys/net/ipv4/ip_local_port_range", []byte("40000 40000"), 0); err != nil {
				return 0, err
			}
			taken, err := net.Listen("tcp4", "127.0.0.1:0")
			if err != nil {
				return 0, err
			}
			defer taken.Close()
			return a.listenTCP()
		}()
	}()
	<-done
	t.Cleanup(a.close)
	require.NoError(t, err)
	assert.Less(t, port, 1024)
	assert.Positive(t, port)
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}
