package seccomp_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
)

// refused is a call that no Go runtime makes.
const refused = unix.SYS_GETPPID

func tryRefused() error {
	if _, _, errno := unix.RawSyscall(refused, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// elsewhere makes the call on a thread other than the calling goroutine's.
func elsewhere() error {
	answer := make(chan error)
	go func() { runtime.LockOSThread(); answer <- tryRefused() }()
	return <-answer
}

func installOnThread() error {
	old := make(chan chan error)
	go func() { // a thread from before the filter
		runtime.LockOSThread()
		for c := range old {
			c <- tryRefused()
		}
	}()
	ask := func() error { c := make(chan error); old <- c; return <-c }
	if err := ask(); err != nil {
		return fmt.Errorf("before the filter: %w", err)
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := seccomp.Install(answering(refused, seccomp.Errno(unix.EXDEV))); err != nil {
		return err
	}
	fmt.Println("here", tryRefused())
	fmt.Println("older thread", ask())
	return nil
}

func installOnAllThreads() error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	for range 4 {
		go func() { runtime.LockOSThread(); select {} }()
	}
	if err := seccomp.InstallAllThreads(answering(refused, seccomp.Errno(unix.EXDEV))); err != nil {
		return err
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, task := range tasks {
		status, err := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, want := range []string{"NoNewPrivs:\t1\n", "Seccomp:\t2\n", "Seccomp_filters:\t1\n"} {
			if !strings.Contains(string(status), want) {
				return fmt.Errorf("thread %s: no %q in %s", task.Name(), want, status)
			}
		}
	}
	fmt.Println("here", tryRefused())
	fmt.Println("elsewhere", elsewhere())
	return nil
}

func TestInstallIsOfTheThread(t *testing.T) {
	r := startRole(t, "install thread")
	assert.Equal(t, "here "+unix.EXDEV.Error(), r.hear())
	assert.Equal(t, "older thread <nil>", r.hear())
	r.wait()
}

func TestInstallAllThreads(t *testing.T) {
	r := startRole(t, "install all threads")
	assert.Equal(t, "here "+unix.EXDEV.Error(), r.hear())
	assert.Equal(t, "elsewhere "+unix.EXDEV.Error(), r.hear())
	r.wait()
}

func TestInstallRefuses(t *testing.T) {
	// None of these can take effect on the test's own thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, row := range []struct {
		what string
		prog seccomp.Program
	}{
		{"no program", nil},
		{"a program whose length wraps to 4", make(seccomp.Program, 65536+4)},
		{"a program that does not return", seccomp.Program{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}}},
	} {
		t.Run(row.what, func(t *testing.T) {
			err := seccomp.Install(row.prog)
			require.ErrorIs(t, err, unix.EINVAL)
			assert.ErrorContains(t, err, "seccomp: ")
		})
	}
}
