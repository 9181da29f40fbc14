package nsjail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"

	"safe-exec/cgroup"
	"safe-exec/nsjail/lease"
	"safe-exec/nsjail/posture"
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/seccomp"
)

// jail is one single-use jail. Its states follow one another: started (init and
// payload exist), proved (the posture holds and the harness waits for the job),
// running, ended.
type jail struct {
	runner *Runner
	order
	serves *template    // that this is the jail of, and no run's; nil
	before cgroup.Usage // what making it has cost, unless it was made for this run

	outside [2]posture.Outside // of init and payload, when they were proved

	dead    bool // nothing of it lives
	uids    lease.Pair
	leaf    *cgroup.Leaf
	out     *output
	control *os.File // to the init
	job     *os.File // to the harness
	jobPeer uint64   // inode of the harness's end, as its descriptor shows it
	init    *pidfd
	payload *pidfd

	notifier    *seccomp.Notifier
	stopNotify  context.CancelFunc
	notified    sync.WaitGroup
	outputFlood chan struct{} // closed when there was too much of it
	watch       *watcher      // of the run; nil for nobody

	undo undo
}

// oomScore makes the kernel choose the payload before the init should the leaf
// run out of memory on cgroup v1, which has no group kill.
const oomScore = "1000"

// setupError is our failure: the step and its cause.
func setupError(step string, err error) *policy.Error {
	var fault *stepFault
	var inner *policy.Error
	switch {
	case errors.As(err, &fault):
		step = fault.step
	case errors.As(err, &inner) && inner.Step != "":
		step = inner.Step
	}
	message := fmt.Sprintf("the jail could not be set up or proved: step %s failed", step)
	var errno syscall.Errno
	if errors.As(err, &errno) { // the kernel's word names nothing of the host's
		message += ": " + errno.Error()
	}
	return &policy.Error{Code: policy.CodeSetup, Step: step, Err: err, Message: message}
}

// order says what jail to make.
type order struct {
	runtime  *runtime
	spec     policy.Spec // of a jail for a run to come: without its code
	mode     string      // policy.StartCold and the like
	template *template   // policy.StartFork
	asker    asker       // whose run it is for; none for a jail that is to wait
}

// step is one named piece of a start; the name is what an error reports.
type step struct {
	name string
	do   func(*jail) error
}

// What every start ends with: the harness gets ready, and the jail is looked at.
var lastSteps = []step{
	// While the interpreter boots: the kernel's choice under memory pressure
	// must be right before there is any.
	{"oom_score_adj", (*jail).setOOMScore},
	{"harness_ready", (*jail).awaitReady},
	// Last, since it looks at what all the others did.
	{"posture", (*jail).prove},
}

// spawnSteps start an interpreter, forkSteps let a template fork.
var (
	spawnSteps = slices.Concat([]step{
		{"uids", (*jail).takeUIDs},
		{"cgroup_leaf", (*jail).makeLeaf},
		{"pipes", (*jail).makePipes},
		{"spawn", (*jail).spawn},
		{"init", (*jail).setUp},
	}, lastSteps)
	forkSteps = slices.Concat([]step{
		{"template", (*jail).holdTemplate}, // first, so that it is let go of last
		{"uids", (*jail).takeUIDs},
		{"cgroup_leaf", (*jail).makeLeaf},
		{"pipes", (*jail).makePipes},
		{"fork", (*jail).fork},
		{"init", (*jail).awaitStarted},
	}, lastSteps)
)

// start makes a jail up to the point where the harness waits for the job. On
// error everything is undone.
func (r *Runner) start(ctx context.Context, o order) (*jail, error) {
	j := &jail{runner: r, order: o, outputFlood: make(chan struct{})}
	steps := spawnSteps
	if o.template != nil {
		steps = forkSteps
	}
	return j, j.perform(ctx, steps)
}

// perform takes the steps in turn. On error everything is undone.
func (j *jail) perform(ctx context.Context, steps []step) (err error) {
	defer func() {
		if err != nil {
			err = j.explainOOM(err)
			j.undo.run()
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, j.runner.startTimeout)
	defer cancel()
	stop := func() bool { return true }
	defer func() { stop() }()
	watched := false
	for _, step := range steps {
		if err := step.do(j); err != nil {
			if ctx.Err() != nil {
				err = errors.Join(context.Cause(ctx), err)
			}
			return setupError(step.name, err)
		}
		if j.init != nil && !watched {
			// From here on a step may wait for the jailed side, which a kill wakes.
			stop, watched = context.AfterFunc(ctx, j.kill), true
		}
	}
	if !stop() { // the kill is under way: there is no jail to hand over
		return setupError(steps[len(steps)-1].name, context.Cause(ctx))
	}
	return nil
}

// errTooLittleMemory is a start that ran into its own memory limit.
var errTooLittleMemory = errors.New("the interpreter did not start within its memory limit")

func (j *jail) explainOOM(err error) error {
	if j.leaf == nil {
		return err
	}
	if usage, uerr := j.leaf.Usage(); uerr == nil && usage.OOMKills > 0 {
		return errors.Join(errTooLittleMemory, err)
	}
	return err
}

func (j *jail) takeUIDs() (err error) {
	if j.uids, err = j.runner.lease.TakePair(); err == nil {
		j.undo.add(func() { j.runner.lease.GivePair(j.uids) })
	}
	return err
}

func (j *jail) makeLeaf() (err error) {
	l := j.spec.Limits
	j.leaf, err = j.runner.hierarchy.NewLeaf(j.runner.leafName(), cgroup.Limits{
		MemoryBytes: l.MaxMemoryMB << 20,
		Pids:        l.MaxPids + initTasks,
		CPUPercent:  l.CPUPercent,
	})
	if err == nil {
		j.undo.add(j.removeLeaf)
		j.share(j.asker)
	}
	return err
}

// removeLeaf waits until the leaf is empty, unless the end of the pid namespace
// has shown it. One that will not die is quarantined by the cgroup package and
// counted; its uids must not be used again, but the pair is only given back to
// the end of a long queue.
func (j *jail) removeLeaf() {
	if !j.dead {
		ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
		defer cancel()
		j.kill()
		if err := j.leaf.WaitEmpty(ctx); err != nil {
			j.runner.log.Error("cgroup leaf does not get empty", "error", err)
		}
	}
	if err := j.leaf.Close(); err != nil {
		j.runner.log.Error("cgroup leaf not removed", "error", err)
	}
}

func (j *jail) makePipes() (err error) {
	if j.out, err = newOutput(); err == nil {
		j.undo.add(j.out.close)
	}
	return err
}

// kill ends every process of the jail; it may be called at any time and often.
func (j *jail) kill() {
	if j.init != nil {
		j.init.kill() // ends the pid namespace: the kernel kills whatever is in it
	}
	if j.leaf != nil {
		if err := j.leaf.Kill(); err != nil {
			j.runner.log.Error("cgroup kill", "error", err)
		}
	}
}

// awaitInit kills and waits for the init: the kernel lets it end when all else in
// its pid namespace is dead (pid_namespaces(7)), and all that was born in the leaf
// is in there. What takes longer than a moment is killed by the leaf as well.
func (j *jail) awaitInit() {
	j.init.kill()
	if j.dead = j.init.ended(promptEnd); j.dead {
		return
	}
	j.kill()
	if j.dead = j.init.ended(killTimeout); !j.dead {
		j.runner.log.Error("init survives SIGKILL")
	}
}

// setUp sends the init its orders and waits for the payload.
func (j *jail) setUp() error {
	if err := wire.SendPacket(int(j.control.Fd()), j.setupMessage().Encode()); err != nil {
		return err
	}
	return j.awaitStarted()
}

// awaitStarted takes the payload's pidfd from the init.
func (j *jail) awaitStarted() error {
	j.out.given()
	event, fd, err := recvEvent(int(j.control.Fd()))
	if err == io.EOF {
		err = errors.New("the init ended without a word")
	}
	if err != nil {
		return err
	}
	if event.Kind != wire.EventStarted || fd < 0 {
		return wire.ErrMalformed
	}
	j.payload = newPidfd(fd)
	j.undo.add(j.payload.close)
	return nil
}

func (j *jail) setOOMScore() error {
	pid, err := j.payload.pid()
	if err != nil {
		return err
	}
	return os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte(oomScore), 0)
}

// awaitReady takes the steady filter's listener out of the payload. While the
// payload holds it, it could answer its own calls; prove sees it closed.
func (j *jail) awaitReady() error {
	payload, err := j.expect(wire.Ready)
	if err != nil {
		return err
	}
	d := wire.NewDecoder(payload)
	number := d.Number()
	if err := d.Err(); err != nil {
		return err
	}
	listener, err := j.payload.take(int(number))
	if err != nil {
		return err
	}
	if err := j.watchDenials(listener); err != nil {
		return err
	}
	if err := wire.WriteFrame(j.job, wire.Kept, j.promise()); err != nil {
		return err
	}
	_, err = j.expect(wire.Blocked)
	return err
}

// promise tells the harness of a spare which level its job will be of, so that it
// can make ready for it; one whose job comes at once is told nothing, and one
// that was forked is ready.
func (j *jail) promise() []byte {
	if j.mode != policy.StartWarm {
		return nil
	}
	return jobOf(j.spec).Encode()
}

func (j *jail) expect(want wire.Kind) ([]byte, error) {
	kind, payload, err := wire.ReadFrame(j.job, wire.MaxReply)
	switch {
	case err != nil:
		return nil, err
	case kind == wire.Failed:
		return nil, harnessFailed(payload)
	case kind != want:
		return nil, fmt.Errorf("harness sent %q instead of %q", kind, want)
	}
	return payload, nil
}

func harnessFailed(payload []byte) error {
	return fmt.Errorf("harness: %q", wire.NewDecoder(payload).String())
}
