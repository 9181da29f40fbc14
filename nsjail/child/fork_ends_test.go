package child_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/child"
	"safe-exec/nsjail/wire"
)

// gone says whether a process has ended, and waits for it.
func gone(t *testing.T, pidfd *os.File) {
	t.Helper()
	polled := []unix.PollFd{{Fd: int32(pidfd.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(polled, int(noTimeout.Milliseconds()))
	for err == unix.EINTR {
		n, err = unix.Poll(polled, int(noTimeout.Milliseconds()))
	}
	require.NoError(t, err)
	require.Equal(t, 1, n, "it lives on")
}

func alive(t *testing.T, pidfd *os.File) {
	t.Helper()
	require.NoError(t, unix.PidfdSendSignal(int(pidfd.Fd()), 0, nil, 0))
}

func TestHowForksEnd(t *testing.T) {
	s := newStage(t)
	for _, row := range []struct {
		name string
		end  func(*testing.T, *fork)
		want syscall.WaitStatus
	}{
		{"by the program", func(t *testing.T, f *fork) {
			_, err := f.job.WriteString("import sys; open('/tmp/x', 'w').write('x'); sys.exit(7)")
			require.NoError(t, err)
		}, 7 << 8},
		{"by a signal from outside", func(t *testing.T, f *fork) {
			require.NoError(t, unix.PidfdSendSignal(int(f.payload.Fd()), unix.SIGKILL, nil, 0))
		}, syscall.WaitStatus(unix.SIGKILL)},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := s.fork(s.order)
			row.end(t, f)
			e, _ := s.event(f.control, wire.EventExited)
			assert.Equal(t, row.want, syscall.WaitStatus(e.Status))
			free := s.order.TmpBytes
			if row.want.Exited() {
				free -= 4096 // the file
			}
			assert.Equal(t, free, e.FreeBytes)
			assert.NotZero(t, e.FreeInodes)
			alive(t, f.init) // the daemon decides when the namespaces go
			f.control.Close()
			gone(t, f.init)
		})
	}
	t.Run("with the daemon's end of control", func(t *testing.T) {
		f := s.fork(s.order)
		f.control.Close()
		gone(t, f.init)
		gone(t, f.payload)
	})
	t.Run("not with the template, but with its init", func(t *testing.T) {
		f := s.fork(s.order)
		s.orders.Close()
		e, _ := s.event(s.control, wire.EventExited)
		assert.Zero(t, e.Status)
		alive(t, f.init)
		alive(t, f.payload)
		s.control.Close()
		gone(t, s.init)
		gone(t, f.init)
		gone(t, f.payload)
	})
}

func TestAStepOfAForkThatFailsIsNamed(t *testing.T) {
	s := newStage(t)
	for _, row := range []struct {
		name  string
		order func(*child.ForkOrder)
		reply bool // who says it: the template or the fork
		step  string
		errno syscall.Errno
	}{
		{"ids that the template does not have", func(o *child.ForkOrder) { o.InitID = 5000 }, true, "spawn_uid_map", unix.EPERM},
		{"memory files that can be executed", func(o *child.ForkOrder) { o.MemfdErrno = unix.ENOSYS }, false, "memfd_noexec_proof", s.order.MemfdErrno},
		{"a ruleset that rules nothing", func(o *child.ForkOrder) { o.LandlockABI = 0 }, false, "landlock_ruleset", unix.ENOMSG},
		{"a root that is not there", func(o *child.ForkOrder) { o.ReadRoots = []string{"/usr", "/nowhere"} }, false, "landlock_ruleset", unix.ENOENT},
		{"an init's filter that is none", func(o *child.ForkOrder) { o.InitFilter = "" }, false, "init_filter", unix.EINVAL},
		{"a payload's limit above the template's", func(o *child.ForkOrder) { o.Rlimits = []wire.Rlimit{{Resource: unix.RLIMIT_NOFILE, Value: 1 << 20}} }, false, "rlimits", unix.EPERM},
		{"a payload's filter that is none", func(o *child.ForkOrder) { o.StartupFilter = "" }, false, "startup_filter", unix.EINVAL},
	} {
		t.Run(row.name, func(t *testing.T) {
			order := s.order
			row.order(&order)
			packet, err := order.Encode()
			require.NoError(t, err)
			f := s.send(packet)
			socket := f.reply
			if !row.reply {
				s.event(f.reply, wire.EventStarted)
				socket = f.control
			}
			e, _ := s.event(socket, wire.EventFault)
			assert.Equal(t, row.step, e.Step)
			assert.Equal(t, row.errno, syscall.Errno(e.Errno))
		})
	}
	t.Run("and the template serves on", func(t *testing.T) { s.fork(s.order) })
}
