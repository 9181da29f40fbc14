// Command goinit does under the init's filter what a jail's init does, and more
// of the Go runtime's own work than any init would.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
)

func main() {
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

func run() error {
	filter, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	prog, err := seccomp.UnmarshalProgram(filter)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "goinit")
	if err != nil {
		return err
	}
	if err := os.WriteFile(dir+"/f", []byte("content"), 0o600); err != nil {
		return err
	}
	dirfd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	child := exec.Command("/bin/sleep", "0.05")
	if err := child.Start(); err != nil {
		return err
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := seccomp.InstallAllThreads(prog); err != nil {
		return err
	}
	runtime.UnlockOSThread()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"wait", func() error { _, err := unix.Wait4(child.Process.Pid, nil, 0, nil); return err }},
		{"threads", threads},
		{"memory", memory},
		{"messages", func() error { return messages(pair) }},
		{"files", func() error { return files(dirfd) }},
		{"pipes", pipes},
		{"refusals", refusals},
		{"preemption", preemption},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// threads parks more goroutines on threads of their own than are there.
func threads() error {
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { runtime.LockOSThread(); time.Sleep(5 * time.Millisecond) })
	}
	wg.Wait()
	return nil
}

// preemption stops a loop that makes no call, which needs tgkill. Without it the
// collector waits for ever. The loop ends with the process.
func preemption() error {
	started := make(chan struct{})
	go func() {
		close(started)
		for i := 0; ; i++ {
		}
	}()
	<-started
	runtime.GC()
	return nil
}

func memory() error {
	var keep [][]byte
	for range 50 {
		keep = append(keep, make([]byte, 1<<20))
	}
	runtime.KeepAlive(keep)
	runtime.GC()
	return nil
}

func messages(pair [2]int) error {
	if err := unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(pair[0]), nil, 0); err != nil {
		return err
	}
	_, _, _, _, err := unix.Recvmsg(pair[1], make([]byte, 8), make([]byte, 64), unix.MSG_CMSG_CLOEXEC)
	return err
}

func files(dir int) error {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(dir, "f", &how)
	if err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "f")
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != "content" {
		return fmt.Errorf("read %q: %w", b, err)
	}
	if fd, err = unix.Openat2(dir, ".", &how); err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Getdents(fd, make([]byte, 4096))
	return err
}

// pipes go through the runtime's poller.
func pipes() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	go func() { time.Sleep(5 * time.Millisecond); w.Close() }()
	_, err = io.ReadAll(r)
	return err
}

func refusals() error {
	if _, err := os.Open("/etc/passwd"); err == nil {
		return fmt.Errorf("a file was opened by path")
	}
	if err := exec.Command("/bin/true").Run(); err == nil {
		return fmt.Errorf("a process was made")
	}
	if _, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err != unix.EPERM {
		return fmt.Errorf("a socket: %w", err)
	}
	return nil
}
