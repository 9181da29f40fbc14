package seccomp_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
)

// notifierTarget lives under a filter that reports one call, and does what it
// is told.
func notifierTarget() error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := answering(refused, seccomp.Notify)
	// Every number above the known ones is reported as well.
	prog = append(seccomp.Program{
		prog[0], {Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jt: 1, Jf: 0, K: 1000},
	}, prog[1:]...)
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC|unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH|
			unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return errno
	}
	fmt.Println(fd)
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		word, arg, _ := strings.Cut(orders.Text(), " ")
		n, _ := strconv.Atoi(arg)
		switch word {
		case "close": // the listener, as the harness does
			fmt.Println(unix.Close(int(fd)))
		case "call":
			var err error
			for range n {
				err = tryRefused()
			}
			fmt.Println(err)
		case "numbers":
			for i := range n {
				unix.RawSyscall(uintptr(1000+i), 0, 0, 0)
			}
			fmt.Println("done")
		case "hang": // a call on another thread, which nobody will answer
			go func() { runtime.LockOSThread(); fmt.Println("answered", tryRefused()) }()
		}
	}
	return orders.Err()
}

// target starts one and gives its notifier.
func target(t *testing.T) (*role, *seccomp.Notifier) {
	t.Helper()
	r := startRole(t, "target")
	number, err := strconv.Atoi(r.hear())
	require.NoError(t, err)
	pidfd, err := unix.PidfdOpen(r.cmd.Process.Pid, 0)
	require.NoError(t, err)
	defer unix.Close(pidfd)
	fd, err := unix.PidfdGetfd(pidfd, number, 0)
	require.NoError(t, err)
	n, err := seccomp.NewNotifier(fd)
	require.NoError(t, err)
	t.Cleanup(func() { n.Close() })
	r.say("close")
	require.Equal(t, "<nil>", r.hear())
	return r, n
}

func running(ctx context.Context, n *seccomp.Notifier, max int64) <-chan error {
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx, max) }()
	return done
}

// ended gives the answer of a Run that has to end by itself.
func ended(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		require.FailNow(t, "the notifier did not end")
		return nil
	}
}

func TestNotifierRefusesAndCounts(t *testing.T) {
	r, n := target(t)
	done := running(t.Context(), n, 100)
	r.say("call 3")
	assert.Equal(t, unix.EPERM.Error(), r.hear())
	assert.Equal(t, map[int]int64{refused: 3}, n.Counts())
	r.say("call 97")
	r.hear()
	select {
	case <-n.Exceeded():
		assert.Fail(t, "100 calls are no more than 100")
	default:
	}
	r.say("call 1")
	assert.Equal(t, unix.EPERM.Error(), r.hear(), "past the maximum it goes on answering")
	<-n.Exceeded()
	r.say("call 5")
	r.hear()
	assert.EqualValues(t, 106, n.Total())
	r.in.Close()
	r.wait()
	assert.NoError(t, ended(t, done), "it ends with the last process under the filter")
}

func TestNotifierBoundsItsMemory(t *testing.T) {
	r, n := target(t)
	done := running(t.Context(), n, 1<<30)
	r.say("numbers 2000")
	r.hear()
	counts := n.Counts()
	assert.Len(t, counts, 513)
	assert.EqualValues(t, 2000-512, counts[seccomp.OtherCalls])
	assert.EqualValues(t, 2000, n.Total())
	r.in.Close()
	r.wait()
	assert.NoError(t, ended(t, done))
}

func TestNotifierSurvivesATargetThatDiesWaiting(t *testing.T) {
	for range 20 {
		r, n := target(t)
		r.say("hang") // nobody answers yet
		done := running(t.Context(), n, 10)
		require.NoError(t, r.cmd.Process.Kill()) // before, between or after receive and answer
		assert.Error(t, r.cmd.Wait())
		assert.NoError(t, ended(t, done))
		assert.LessOrEqual(t, n.Total(), int64(1))
	}
}

func TestNotifierStartedTooLate(t *testing.T) {
	r, n := target(t)
	r.in.Close()
	r.wait()
	assert.NoError(t, ended(t, running(t.Context(), n, 10)), "everybody is gone")
}

func TestNotifierStops(t *testing.T) {
	for _, row := range []struct {
		what string
		stop func(*seccomp.Notifier, context.CancelFunc)
		want error
	}{
		{"by its context", func(_ *seccomp.Notifier, cancel context.CancelFunc) { cancel() }, context.Canceled},
		{"by Close", func(n *seccomp.Notifier, _ context.CancelFunc) { n.Close() }, os.ErrClosed},
	} {
		t.Run(row.what, func(t *testing.T) {
			r, n := target(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := running(ctx, n, 10)
			r.say("call 1")
			r.hear()
			row.stop(n, cancel)
			assert.ErrorIs(t, ended(t, done), row.want)
			n.Close()
			r.say("call 1")
			assert.Equal(t, unix.ENOSYS.Error(), r.hear(), "without a listener no call is let through")
			r.in.Close()
			r.wait()
		})
	}
}

func TestNotifierLeavesNothingBehind(t *testing.T) {
	count := func() (int, int) {
		fds, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(fds), runtime.NumGoroutine()
	}
	once := func() {
		r, n := target(t)
		done := running(t.Context(), n, 1)
		r.say("call 2")
		r.hear()
		r.in.Close()
		r.wait()
		require.NoError(t, ended(t, done))
		require.NoError(t, n.Close())
	}
	once() // the runtime's poller and the like
	fds, routines := count()
	for range 10 {
		once()
	}
	// A goroutine whose answer was received may still be on its way out.
	assert.Eventually(t, func() bool {
		fdsAfter, routinesAfter := count()
		return fdsAfter <= fds && routinesAfter <= routines+1 // Eventually's own
	}, 10*time.Second, 5*time.Millisecond, "%d descriptors and %d goroutines before", fds, routines)
}

func TestNewNotifierRefusesWhatIsNoListener(t *testing.T) {
	_, err := seccomp.NewNotifier(-1)
	assert.ErrorIs(t, err, unix.EBADF)
	f, err := os.Open("/proc/self/exe") // a regular file cannot be polled
	require.NoError(t, err)
	defer f.Close()
	fd, err := unix.Dup(int(f.Fd()))
	require.NoError(t, err)
	_, err = seccomp.NewNotifier(fd)
	assert.ErrorContains(t, err, "seccomp listener: poll: ")
	_, err = unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	assert.ErrorIs(t, err, unix.EBADF, "the descriptor is closed")
}
