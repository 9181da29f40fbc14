package nsjail

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/nsjail/posture"
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// Filters on every thread: the payload has the start-up and the steady filter,
// the init its own.
const (
	payloadFilters = 2
	initFilters    = 1
)

// prove compares init and payload, as seen from outside, with what was asked
// for. The harness is blocked, so nothing moves meanwhile.
func (j *jail) prove() error {
	init, payload, err := j.lookAtBoth()
	if err != nil {
		return err
	}
	j.outside = [2]posture.Outside{init.Outside, payload.Outside}
	wantPayload, err := j.expectPayload(init.Namespaces)
	if err != nil {
		return err
	}
	return j.differences(append(posture.Compare(j.expectInit(), init), posture.Compare(wantPayload, payload)...))
}

func (j *jail) differences(diffs []posture.Difference) error {
	if len(diffs) == 0 || j.runner.ablated {
		return nil
	}
	texts := make([]string, len(diffs))
	for i, d := range diffs {
		texts[i] = d.String()
	}
	return &policy.Error{
		Code: policy.CodeSetup, Step: diffs[0].Step,
		Message: "the jail's posture is not what was asked for",
		Err:     errors.New(strings.Join(texts, "; ")),
	}
}

// lookAtBoth looks at init and payload at the same time: a run may be waiting.
func (j *jail) lookAtBoth() (init, payload posture.Process, err error) {
	var initErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		init, initErr = look(j.init)
	}()
	payload, err = look(j.payload)
	<-done
	return init, payload, errors.Join(initErr, err)
}

// look reads the posture of a process that is held by descriptor. Its pid means
// it and no other only while it lives, so that is asked afterwards.
func look(p *pidfd) (posture.Process, error) {
	pid, err := p.pid()
	if err != nil {
		return posture.Process{}, err
	}
	seen, err := posture.Read(pid)
	if err == nil && p.ended(0) {
		err = errors.New("the process ended while it was looked at")
	}
	return seen, err
}

func (j *jail) expectInit() posture.Expectation {
	null, log := wire.DevDir+"/null", j.runner.spawner.stderr // opened before the pivot
	if j.template != nil {
		null, log = devNull, j.template.log
	}
	// The pidfd is its own child's.
	return posture.Expectation{
		ID: j.uids.Init, Filters: initFilters, Foreign: j.foreign(),
		FDs:       map[string]string{"0": null, "1": null, "2": fmt.Sprintf("pipe:[%d]", log)},
		FDClasses: []string{"socket:[", "anon_inode:[pidfd]"},
		Mounts:    j.mounts(),
		Cgroups:   j.leaf.Membership(),
		Dir:       workDir,
		Program:   "/memfd:" + supervisorName + " (deleted)", // sealed: nothing on disk is executed
	}
}

// foreign are namespaces that no process of this jail may be in.
func (j *jail) foreign() []map[string]string {
	own := j.runner.namespaces
	switch {
	case j.template != nil:
		return []map[string]string{own, j.template.namespaces}
	case j.serves != nil && j.runner.hierarchy.Version() == cgroup.V2:
		// Who clones into a leaf must have it below its cgroup namespace's root.
		own = maps.Clone(own)
		delete(own, "cgroup")
	}
	return []map[string]string{own}
}

const (
	devNull = "/dev/null"
	workDir = "/tmp"
)

func (j *jail) expectPayload(namespaces map[string]string) (posture.Expectation, error) {
	e := posture.Expectation{
		ID: j.uids.Payload, Filters: payloadFilters,
		Foreign: j.foreign(), Namespaces: namespaces,
		FDs:        map[string]string{"0": devNull, "3": fmt.Sprintf("socket:[%d]", j.jobPeer)},
		FDClasses:  j.runtime.fdClasses,
		Mounts:     j.mounts(),
		Cgroups:    j.leaf.Membership(),
		Limits:     map[string]string{},
		Environ:    j.runtime.env,
		OOMScore:   oomScore,
		Dir:        workDir,
		Program:    j.runtime.image.Interpreter,
		Undumpable: true,
	}
	// Of its own, so that there is no controlling terminal to inject into.
	pid, err := j.payload.pid()
	if err != nil {
		return e, err
	}
	e.Session = pid
	for i, reader := range j.out.readers {
		number, err := inode(reader)
		if err != nil {
			return e, err
		}
		e.FDs[fmt.Sprint(i+1)] = fmt.Sprintf("pipe:[%d]", number)
	}
	for _, r := range j.rlimits() {
		e.Limits[rlimitNames[r.Resource]] = fmt.Sprintf("%d %d", r.Value, r.Value)
	}
	return e, nil
}

// inode is the number by which /proc shows a pipe (both ends alike) or a socket.
func inode(f *os.File) (uint64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	return st.Ino, nil
}

// mounts are in the order in which they were made: a fork adds its working
// directory to what its template has.
func (j *jail) mounts() []posture.Mount {
	root := posture.Mount{Point: "/", Type: "tmpfs", Options: "noatime,nodev,nosuid,ro", Super: "ro"}
	tmp := posture.Mount{Point: workDir, Type: "tmpfs", Options: "noatime,nodev,noexec,nosuid,rw"}
	dev := posture.Mount{Point: "/dev", Type: "tmpfs", Options: "noatime,noexec,nosuid,ro", Super: "ro"}
	switch {
	case j.serves != nil:
		return []posture.Mount{root, dev}
	case j.template != nil:
		return []posture.Mount{root, dev, tmp}
	}
	return []posture.Mount{root, tmp, dev}
}

// rlimits back the cgroup up, per process and uid.
func (j *jail) rlimits() []wire.Rlimit {
	if j.serves != nil {
		return j.templateLimits()
	}
	l := j.spec.Limits
	return []wire.Rlimit{
		{Resource: unix.RLIMIT_CORE, Value: 0},
		{Resource: unix.RLIMIT_MEMLOCK, Value: 0},
		{Resource: unix.RLIMIT_MSGQUEUE, Value: 0},
		{Resource: unix.RLIMIT_NOFILE, Value: uint64(l.MaxOpenFiles)},
		{Resource: unix.RLIMIT_FSIZE, Value: uint64(l.MaxDiskBytes)},
		// Above the cgroup's bound, whose counter is the evidence of a verdict.
		{Resource: unix.RLIMIT_NPROC, Value: uint64(l.MaxPids) + 2*initTasks},
		{Resource: unix.RLIMIT_SIGPENDING, Value: 64},
		{Resource: unix.RLIMIT_STACK, Value: 8 << 20},
		{Resource: unix.RLIMIT_RTPRIO, Value: 0},
	}
}

// initTasks is how many tasks of the leaf are the init's, while it is a program of
// the Go runtime with its threads.
const initTasks = 12

// rlimitNames are the rows of /proc/<pid>/limits.
var rlimitNames = map[uint32]string{
	unix.RLIMIT_CORE: "Max core file size", unix.RLIMIT_MEMLOCK: "Max locked memory",
	unix.RLIMIT_MSGQUEUE: "Max msgqueue size", unix.RLIMIT_NOFILE: "Max open files",
	unix.RLIMIT_FSIZE: "Max file size", unix.RLIMIT_NPROC: "Max processes",
	unix.RLIMIT_SIGPENDING: "Max pending signals", unix.RLIMIT_STACK: "Max stack size",
	unix.RLIMIT_RTPRIO: "Max realtime priority",
}
