package nsjail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/posture"
	"safe-exec/nsjail/wire"
)

// templateSteps make a template: a jail whose interpreter keeps two capabilities
// of its own user namespace and has neither Landlock nor filter, which would
// forbid what it has to do in its forks. It reads nothing but what the daemon
// sends it.
var templateSteps = []step{
	{name: "uids", do: (*jail).takeUIDs},
	{name: "cgroup_leaf", do: (*jail).makeLeaf, few: true},
	{name: "pipes", do: (*jail).makePipes},
	{name: "spawn", do: (*jail).spawn, few: true},
	{name: "init", do: (*jail).setUp, few: true},
	{name: "template_ready", do: (*jail).awaitTemplate},
	{name: "posture", do: (*jail).proveTemplate},
}

// startTemplate makes a template for jails of the order's kind.
func (r *Runner) startTemplate(ctx context.Context, o order) (*template, error) {
	o.template = nil
	j := &jail{runner: r, order: o, serves: &template{born: time.Now()}, outputFlood: make(chan struct{})}
	t := j.serves
	t.jail = j
	if err := j.perform(ctx, templateSteps); err != nil {
		return nil, err
	}
	if err := t.measure(); err != nil {
		j.undo.run()
		return nil, err
	}
	return t, nil
}

// measure notes what the template uses, and opens the way home of what it forks
// (cgroup v1).
func (t *template) measure() error {
	usage, err := t.jail.leaf.Usage()
	if err != nil {
		return err
	}
	t.bytes = usage.PeakMemoryBytes
	if t.log, err = inode(t.jail.out.readers[1]); err != nil {
		return err
	}
	joiner, err := t.jail.leaf.Joiner()
	if err != nil {
		return err
	}
	t.home = joiner.Leaf
	t.jail.undo.add(func() { joiner.Close() })
	return nil
}

// openOrders makes the socket of orders and returns the template's end.
func (t *template) openOrders(j *jail) (*os.File, error) {
	ours, theirs, err := socketPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, err
	}
	t.orders = ours
	j.undo.add(func() { ours.Close() })
	if t.peer, err = inode(theirs); err != nil {
		theirs.Close()
		return nil, err
	}
	return theirs, nil
}

// awaitTemplate tells the harness which level its forks will be of, and waits
// until it is ready for them.
func (j *jail) awaitTemplate() error {
	for _, words := range j.out.readers {
		go logLines(words, j.runner.log)
	}
	if err := wire.WriteFrame(j.job, wire.Kept, jobOf(j.spec).Encode()); err != nil {
		return err
	}
	if _, err := j.expect(wire.Blocked); err != nil {
		return err
	}
	event, fd, err := recvEvent(int(j.serves.orders.Fd()))
	if errors.Is(err, io.EOF) {
		return errTemplateDied
	}
	if err == nil && (event.Kind != wire.EventStarted || fd >= 0) {
		err = wire.ErrMalformed
	}
	return err
}

// templateLimits are few: no fork can raise one again, and those of a user are
// bounds on all his namespaces together.
func (j *jail) templateLimits() []wire.Rlimit {
	return []wire.Rlimit{
		{Resource: unix.RLIMIT_CORE, Value: 0},
		{Resource: unix.RLIMIT_RTPRIO, Value: 0},
		{Resource: unix.RLIMIT_NOFILE, Value: max(uint64(j.spec.Limits.MaxOpenFiles), 512)},
	}
}

// setIDs are CAP_SETGID and CAP_SETUID, which map a fork's ids.
const setIDs = "00000000000000c0"

// proveTemplate looks at init and template as prove does at init and payload.
func (j *jail) proveTemplate() error {
	init, seen, err := j.lookAtBoth()
	if err != nil {
		return err
	}
	wantInit := j.expectInit()
	group := j.runner.lease.Range().Group()
	wantInit.Dir, wantInit.Group = "/", group
	want, err := j.expectPayload(init.Namespaces)
	if err != nil {
		return err
	}
	want.Group = group
	want.ID, want.Filters, want.Undumpable, want.OOMScore = j.uids.Init, 0, false, ""
	want.Inheritable, want.Permitted, want.Effective = setIDs, setIDs, setIDs
	want.Dir = "/"
	want.FDs["4"] = fmt.Sprintf("socket:[%d]", j.serves.peer)
	want.FDs["5"] = "/" // of the proc of its own pid namespace, mounted nowhere
	want.FDs["6"] = "/memfd:" + supervisorName + " (deleted)"
	j.serves.namespaces = maps.Clone(j.runner.namespaces)
	for name := range j.serves.namespaces {
		j.serves.namespaces[name] = seen.Namespaces[name]
	}
	return j.differences(append(posture.Compare(wantInit, init), posture.Compare(want, seen)...))
}

// errTemplateDied is a fork that was asked of a process which is no more.
var errTemplateDied = errors.New("the template ended without a word")
