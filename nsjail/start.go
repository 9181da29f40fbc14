package nsjail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"safe-exec/policy"
)

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
	few  bool // takes threads, here or in the spawner, so that only a few jails do it at a time
}

// atOnce is how many jails are at one of the steps that take threads. Each thread is a
// task, of which the daemon may have no more than its reserve of them, whatever many
// runs come at once (package cgroup); the steps take milliseconds.
const atOnce = 8

// take takes the step when it is this jail's turn.
func (s step) take(ctx context.Context, j *jail) error {
	if s.few {
		select {
		case j.runner.turns <- struct{}{}:
			defer func() { <-j.runner.turns }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return s.do(j)
}

// What every start ends with: the harness gets ready, and the jail is looked at.
var lastSteps = []step{
	// While the interpreter boots: the kernel's choice under memory pressure
	// must be right before there is any.
	{name: "oom_score_adj", do: (*jail).setOOMScore},
	{name: "harness_ready", do: (*jail).awaitReady},
	// Last, since it looks at what all the others did.
	{name: "posture", do: (*jail).prove},
}

// spawnSteps start an interpreter, forkSteps let a template fork.
var (
	spawnSteps = slices.Concat([]step{
		{name: "uids", do: (*jail).takeUIDs},
		{name: "cgroup_leaf", do: (*jail).makeLeaf, few: true},
		{name: "pipes", do: (*jail).makePipes},
		{name: "spawn", do: (*jail).spawn, few: true},
		{name: "init", do: (*jail).setUp, few: true},
	}, lastSteps)
	forkSteps = slices.Concat([]step{
		{name: "template", do: (*jail).holdTemplate}, // first, so that it is let go of last
		{name: "uids", do: (*jail).takeUIDs},
		{name: "cgroup_leaf", do: (*jail).makeLeaf, few: true},
		{name: "pipes", do: (*jail).makePipes},
		{name: "fork", do: (*jail).fork}, // a template that stands still is no matter of others'
		{name: "init", do: (*jail).awaitStarted},
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
		if err := step.take(ctx, j); err != nil {
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
