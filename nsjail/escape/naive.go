package escape

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
)

// Naive is the jail that controls run in: an unprivileged uid, pid, mount and
// IPC namespaces of its own, and a bounded cgroup leaf. Everything else that
// keeps a program in is missing, so an attack that works at all works here.
type Naive struct {
	lease        *lease.Lease
	hierarchy    *cgroup.Hierarchy
	uid          uint32                     // of no account
	interpreters map[policy.Language]string // host paths
	leaves       atomic.Uint64
}

// NewNaive takes a lease of its own, so that controls and jails share nothing.
func NewNaive(uids lease.Range, options cgroup.Options, interpreters map[policy.Language]string) (_ *Naive, err error) {
	n := &Naive{interpreters: interpreters}
	if n.lease, err = lease.Take(lease.Dir, uids, cgroup.Sweep); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = n.lease.Close(false)
		}
	}()
	pair, err := n.lease.TakePair()
	if err != nil {
		return nil, err
	}
	n.uid = pair.Payload
	report, err := cgroup.Probe(options)
	if err != nil {
		return nil, err
	}
	if err := n.lease.Record(report.Parents(n.lease.CgroupName())); err != nil {
		return nil, err
	}
	n.hierarchy, err = cgroup.Open(n.lease.CgroupName(), options)
	return n, err
}

// Close gives back what NewNaive took.
func (n *Naive) Close() error {
	err := n.hierarchy.Close()
	return errors.Join(err, n.lease.Close(err == nil))
}

// Bounds of a control. It may do what a probe of a limit does, never more.
var naiveLimits = cgroup.Limits{MemoryBytes: 1 << 30, Pids: 512, CPUPercent: 400}

// mostOutput is how much of a control's output is kept, in bytes; the rest is
// read and forgotten.
const mostOutput = 1 << 20

// beginning keeps the first output. It has no other method to write with:
// io.Copy would take it.
type beginning struct {
	kept []byte
	won  func() // called when a finding that won is there
}

func (b *beginning) Write(p []byte) (int, error) {
	room := mostOutput - len(b.kept)
	b.kept = append(b.kept, p[:min(room, len(p))]...)
	if b.won != nil {
		const longest = 4096 // a finding that came in pieces begins not further back
		if f, ok := findingIn(string(b.kept[max(0, len(b.kept)-len(p)-longest):])); ok && f.Won {
			b.won()
		}
	}
	return len(p), nil
}

// outcome is what became of a control.
type outcome struct {
	stdout, stderr string
	signal         syscall.Signal // 0 if it exited
}

// run runs a program until it has won, to its end, or to that of ctx.
func (n *Naive) run(ctx context.Context, p Probe, t *Targets, source string) (outcome, error) {
	work, err := os.MkdirTemp(t.dir, "control-")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(work)
	if err := os.Chown(work, int(n.uid), int(n.uid)); err != nil {
		return outcome{}, err
	}
	program := filepath.Join(work, "program")
	if p.module {
		program += ".mjs" // so that the interpreter takes it for one
	}
	if err := os.WriteFile(program, []byte(source), 0o644); err != nil {
		return outcome{}, err
	}
	if err := os.Chmod(program, 0o644); err != nil {
		return outcome{}, err
	}
	leaf, err := n.hierarchy.NewLeaf("control-"+strconv.FormatUint(n.leaves.Add(1), 10), naiveLimits)
	if err != nil {
		return outcome{}, err
	}
	defer leaf.Close() //nolint:errcheck // the hierarchy keeps what stays, and its Close tells

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A shell of the same uid is pid 1, as a careless supervisor would be, and
	// there is a neighbour, which the end of pid 1 ends. A program that means to be
	// survived by another asks it for the time that it takes to see that.
	// And one whose files are to be brought back has that done.
	const script = `sleep 60 </dev/null >/dev/null 2>&1 & "$3" "$4"; code=$?; [ -e linger ] && sleep 2; c=$1 s=$2; shift 4; [ -n "$c" ] && "$c" -c "$s" "$@"; exit $code`
	collector := ""
	if p.collected {
		collector = n.interpreters[policy.Python]
	}
	args := append([]string{"-c", script, "sh", collector, naiveCollector, n.interpreters[p.Language], program}, t.planted()...)
	//nolint:forbidigo // Cancel needs it; the path is absolute and Env is set
	cmd := exec.CommandContext(ctx, "/bin/sh", args...)
	// Whatever it would go on to do, floods and endless sleeps among it, proves
	// nothing more.
	stdout, stderr := beginning{won: cancel}, beginning{}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Dir = work
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + work}
	if t.Environ != (Variable{}) {
		cmd.Env = append(cmd.Env, t.Environ.Name+"="+t.Environ.Value)
	}
	// A directory descriptor that a careless supervisor has left open.
	leaked, err := os.Open(t.dir)
	if err != nil {
		return outcome{}, err
	}
	defer leaked.Close()
	cmd.ExtraFiles = []*os.File{leaked}
	cmd.WaitDelay = endTime / 2 // what could hold its output open is dead long before
	// Through the leaf too: the end of pid 1 waits for all others, and one that is
	// traced or frozen may wait for a third.
	cmd.Cancel = func() error { return errors.Join(cmd.Process.Kill(), leaf.Kill()) }
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC, Setsid: true,
		Credential: &syscall.Credential{Uid: n.uid, Gid: n.uid},
		// A battery that is killed leaves no control running.
		Pdeathsig: syscall.SIGKILL,
	}
	if err := startInside(cmd, leaf); err != nil {
		return outcome{}, fmt.Errorf("start the control: %w", err)
	}
	err = cmd.Wait()
	o := outcome{stdout: string(stdout.kept), stderr: string(stderr.kept)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		o.signal = endSignal(exit.Sys().(syscall.WaitStatus))
	} else if err != nil && ctx.Err() == nil {
		return o, err
	}
	if err := leaf.Kill(); err != nil {
		return o, err
	}
	wait, done := context.WithTimeout(context.Background(), endTime/2)
	defer done()
	return o, leaf.WaitEmpty(wait)
}

// endSignal is what ended the program: the shell passes a child's signal on as
// 128 and its number, unless the same one ended both.
func endSignal(status syscall.WaitStatus) syscall.Signal {
	switch code := status.ExitStatus(); {
	case status.Signaled():
		return status.Signal()
	case code > 128:
		return syscall.Signal(code - 128)
	}
	return 0
}

// startInside starts a process that is born in the leaf; cgroup.Joiner says how.
func startInside(cmd *exec.Cmd, leaf *cgroup.Leaf) error {
	j, err := leaf.Joiner()
	if err != nil {
		return err
	}
	defer j.Close()
	if j.Version == cgroup.V2 {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(j.Dir.Fd())
		return cmd.Start()
	}
	result := make(chan error)
	var start func()
	start = func() {
		runtime.LockOSThread() // never unlocked on failure: the thread then ends
		if unix.Gettid() == unix.Getpid() {
			// The first thread stands for the whole process in a cgroup. While it
			// is locked to this goroutine, another one runs elsewhere.
			defer runtime.UnlockOSThread()
			done := make(chan struct{})
			go func() { defer close(done); start() }()
			<-done
			return
		}
		err := writeSelf(j.Leaf)
		if err == nil {
			err = cmd.Start()
		}
		if home := writeSelf(j.Home); home != nil {
			result <- errors.Join(err, home)
			return
		}
		runtime.UnlockOSThread()
		result <- err
	}
	go start()
	return <-result
}

func writeSelf(files []*os.File) error {
	for _, f := range files {
		if _, err := f.Write([]byte("0")); err != nil {
			return err
		}
	}
	return nil
}
