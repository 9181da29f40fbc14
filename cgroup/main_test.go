package cgroup

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const programEnv = "SAFEEXEC_CGROUP_PROGRAM"

func TestMain(m *testing.M) {
	if name := os.Getenv(programEnv); name != "" {
		os.Exit(programs[name](os.Args[1:]))
	}
	os.Exit(m.Run())
}

// programs are what runs in the leaves: this test binary, executed again.
var programs = map[string]func(args []string) int{
	"sleep": func([]string) int { return pause() },
	"allocate": func(args []string) int {
		n, _ := strconv.Atoi(args[0])
		// Not the Go heap: it has its own ideas of how much memory a slice is.
		b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return 1
		}
		for i := 0; i < len(b); i += os.Getpagesize() {
			b[i] = 1
		}
		return 0
	},
	"spin": func(args []string) int {
		d, _ := time.ParseDuration(args[0])
		for start := time.Now(); time.Since(start) < d; {
		}
		return 0
	},
	// flood starts as many sleepers as it can, tells how many, and stays.
	"flood": func([]string) int {
		n := 0
		for again("sleep") == nil {
			n++
		}
		fmt.Println(n)
		return pause()
	},
	// breed forks without end: every generation leaves two and ends. Many die
	// early, since a Go process that may start no thread aborts.
	"breed": func([]string) int {
		for n := 0; n < 2; {
			if again("breed") == nil {
				n++
			} else {
				time.Sleep(time.Millisecond) // the limit refuses forks: not to spin until it lets one through
			}
		}
		return 0
	},
	// await ends when its input does.
	"await": func([]string) int {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	},
	// headless goes on in a second thread when its first has ended.
	"headless": func([]string) int {
		go func() {
			for !firstThreadEnded(os.Getpid()) { // the kernel tells nobody of a thread's end
				time.Sleep(time.Millisecond) // a poll: there is nothing to wait on
			}
			fmt.Println("headless")
		}()
		onFirstThread(func() { _, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0) })
		return 1
	},
	// delegate is a daemon in a cgroup of its own, see v2_test.go.
	"delegate": delegate,
	// orphans is a daemon that dies with a leaf full of processes.
	"orphans": func(args []string) int {
		h, err := Open(args[0], Options{EnableControllers: true})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		l, err := h.NewLeaf("orphans", roomy)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if _, err := startIn(l, command("flood")); err != nil {
			fmt.Println(err)
			return 1
		}
		return pause()
	},
}

// pause waits to be killed, which is what the test is about.
func pause() int {
	for {
		time.Sleep(time.Hour) // not select{}: Go would call that a deadlock
	}
}

func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	// One Go thread pool per process costs tasks; keep it small and steady.
	cmd.Env = []string{programEnv + "=" + name, "GOMAXPROCS=1"}
	return cmd
}

func again(name string) error { return command(name).Start() }

// roomy is a leaf that none of the programs fills but flood and breed.
var roomy = Limits{MemoryBytes: 512 << 20, Pids: 60, CPUPercent: 200}

// crowded has room for a population that does not die out by chance.
var crowded = Limits{MemoryBytes: 1 << 30, Pids: 200, CPUPercent: 200}

var names atomic.Int64

// open gives a hierarchy of its own to a test, and wants nothing left of it.
func open(t testing.TB) *Hierarchy {
	t.Helper()
	h, err := Open(fmt.Sprintf("safe-exec-test-%d-%d", os.Getpid(), names.Add(1)), Options{EnableControllers: true})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, h.Close())
		for _, p := range h.Paths() {
			require.NoDirExists(t, p)
		}
	})
	return h
}

// leaf gives a leaf that is killed, emptied and removed at the end.
func leaf(t testing.TB, h *Hierarchy, l Limits) *Leaf {
	t.Helper()
	leaf, err := h.NewLeaf(fmt.Sprintf("leaf-%d", names.Add(1)), l)
	require.NoError(t, err)
	t.Cleanup(func() { end(t, leaf) })
	return leaf
}

func end(t testing.TB, l *Leaf) {
	t.Helper()
	require.NoError(t, l.Kill())
	require.NoError(t, l.WaitEmpty(soon(t)))
	require.NoError(t, l.Close())
	for _, d := range l.dirs {
		require.NoDirExists(t, d)
	}
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// start runs a program born inside the leaf and reaps it.
func start(t testing.TB, l *Leaf, cmd *exec.Cmd) (wait func() *os.ProcessState) {
	t.Helper()
	done, err := startIn(l, cmd)
	require.NoError(t, err)
	return func() *os.ProcessState {
		t.Helper()
		select {
		case <-done:
		case <-soon(t).Done():
			require.FailNow(t, "the program did not end")
		}
		return cmd.ProcessState
	}
}

func startIn(l *Leaf, cmd *exec.Cmd) (<-chan struct{}, error) {
	j, err := l.Joiner()
	if err != nil {
		return nil, err
	}
	defer j.Close()
	if j.Version == V2 {
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(j.Dir.Fd())}
		err = cmd.Start()
	} else {
		result := make(chan error)
		go offFirstThread(func() { result <- inLeaf(j, cmd.Start) })
		err = <-result
	}
	done := make(chan struct{})
	if err == nil {
		reaping.Go(func() { defer close(done); _ = cmd.Wait() })
	}
	return done, err
}

// reaping are the waits for programs that were started. The end of a leaf is that of its
// programs, but each has a descriptor here until it is waited for.
var reaping sync.WaitGroup

// inLeaf runs f on a thread that is in the v1 leaf meanwhile.
func inLeaf(j *Joiner, f func() error) error {
	for _, t := range j.Leaf {
		if _, err := t.WriteString("0"); err != nil {
			return err
		}
	}
	err := f()
	for _, t := range j.Home {
		if _, err := t.WriteString("0"); err != nil {
			panic(err) // a thread that cannot go home spoils every later test
		}
	}
	return err
}

// offFirstThread runs f locked to a thread that is not the process's first,
// by keeping that one busy if it is handed out.
func offFirstThread(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { defer close(done); offFirstThread(f) }()
	<-done
}

// onFirstThread is the opposite.
func onFirstThread(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if unix.Gettid() == unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { defer close(done); onFirstThread(f) }()
	<-done
}

// need stops a test that this host cannot run. In the VM every test must run.
func need(t *testing.T, v Version) {
	t.Helper()
	r, err := Probe(Options{EnableControllers: true})
	require.NoError(t, err)
	if r.Version == v {
		return
	}
	if os.Getenv("SAFEEXEC_VM") == "1" {
		require.FailNow(t, "needs cgroup "+v.String(), "this host has %s %s", r.Version, r.Reason)
	}
	t.Skipf("needs cgroup %s; this host has a complete %s (make vmtest has a machine with v2)", v, r.Version)
}
