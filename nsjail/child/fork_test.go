package child

import (
	"errors"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// forked runs a program in a real child and gives the child's exit status and
// what wait said.
func forked(t *testing.T, build func(*program)) (status syscall.WaitStatus, failed error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s, err := newStart()
	require.NoError(t, err)
	build(&s.program)
	pid, pidfd, err := s.fork(0, -1)
	require.NoError(t, err)
	defer unix.Close(pidfd)
	failed = s.wait()
	for {
		_, err = syscall.Wait4(pid, &status, 0, nil)
		if err != syscall.EINTR {
			break
		}
	}
	require.NoError(t, err)
	return status, failed
}

func TestTheFirstStepThatFailsIsNamed(t *testing.T) {
	const closed = 1 << 20
	run := func(p *program) {
		p.add("exec", unix.SYS_EXECVE, p.text("/bin/true"), p.list([]string{"true"}), p.list(nil))
	}
	for _, row := range []struct {
		name  string
		build func(*program)
		want  error // nil: it became the program
	}{
		{"a program whose steps succeed becomes the other program", func(p *program) { p.add("umask", unix.SYS_UMASK, 0o77) }, nil},
		{"a step that fails is named with its errno", func(p *program) {
			p.add("first", unix.SYS_GETPID)
			p.add("second", unix.SYS_CLOSE, closed)
			p.add("third", unix.SYS_CLOSE, closed+1)
		}, &fault{"second", unix.EBADF}},
		{"a call that returns what is demanded goes on", func(p *program) {
			p.demand("proof", mustReturn, 0, unix.SYS_PRCTL, unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		}, nil},
		{"one that returns another value is a fault", func(p *program) {
			p.demand("proof", mustReturn, 1, unix.SYS_PRCTL, unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		}, &fault{"proof", 0}},
		{"one that should return and fails is a fault", func(p *program) {
			p.demand("proof", mustReturn, 0, unix.SYS_CLOSE, closed)
		}, &fault{"proof", unix.EBADF}},
		{"a call that fails as demanded goes on", func(p *program) {
			p.demand("proof", mustFail, uint32(unix.EBADF), unix.SYS_CLOSE, closed)
		}, nil},
		{"one that should fail and succeeds is a fault: the layer is missing", func(p *program) {
			p.demand("proof", mustFail, uint32(unix.EACCES), unix.SYS_GETPID)
		}, &fault{"proof", 0}},
		{"one that may fail so goes on", func(p *program) {
			p.demand("keys", mayFail, uint32(unix.EBADF), unix.SYS_CLOSE, closed)
		}, nil},
		{"and is a fault when it fails for another reason", func(p *program) {
			p.demand("keys", mayFail, uint32(unix.ENOSYS), unix.SYS_CLOSE, closed)
		}, &fault{"keys", unix.EBADF}},
		{"one that fails for another reason is a fault", func(p *program) {
			p.demand("proof", mustFail, uint32(unix.EACCES), unix.SYS_CLOSE, closed)
		}, &fault{"proof", unix.EBADF}},
		{"a text with a NUL is refused by the kernel, not cut", func(p *program) {
			p.add("open", unix.SYS_OPENAT, 0, p.text("/bin\x00/true"), 0)
		}, &fault{"open", unix.EFAULT}},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, err := forked(t, func(p *program) { row.build(p); run(p) })
			assert.Equal(t, row.want, err)
			if row.want == nil {
				assert.Equal(t, 0, status.ExitStatus())
			} else {
				assert.Equal(t, exitFault, status.ExitStatus())
			}
		})
	}
}

func TestEveryErrorBecomesAFaultWithAnErrno(t *testing.T) {
	inner := &fault{"inner", unix.EPERM}
	for _, row := range []struct {
		name string
		err  error
		want *fault
	}{
		{"no error is no fault", nil, nil},
		{"an errno keeps its value", unix.EPERM, &fault{"step", unix.EPERM}},
		{"a fault keeps the name of its own step", inner, inner},
		{"any other error is a protocol error", errors.New("x"), &fault{"step", unix.EPROTO}},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, stepError("step", row.err)) })
	}
}
