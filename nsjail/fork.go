package nsjail

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"safe-exec/cgroup"
	"safe-exec/nsjail/child"
)

// holdTemplate keeps the template until this jail has ended.
func (j *jail) holdTemplate() error {
	if !j.template.hold() {
		return errTemplateDied
	}
	j.undo.add(j.template.letGo)
	return nil
}

// fork has the template fork an init and a payload, into the leaf and fresh
// namespaces; package child has what these do.
func (j *jail) fork() error {
	packet, err := j.forkOrder()
	if err != nil {
		return err
	}
	if err := j.leaf.Admit(j.runner.lease.Range().Group()); err != nil {
		return err
	}
	return j.beBorn(func(files []*os.File, joiner *cgroup.Joiner) (int, error) {
		_, fd, err := ask(j.template.orders, j.runner.startTimeout, packet, descriptors(files, into(joiner, j.template.home))...)
		var fault *stepFault
		if err != nil && !errors.As(err, &fault) { // it did not answer: what state it is in, nobody knows
			j.template.suspect()
		}
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
			err = errTemplateDied
		}
		return fd, err
	})
}

func (j *jail) forkOrder() ([]byte, error) {
	uids := j.runner.lease.Range().Forks()
	inside := func(host uint32) (uint32, error) {
		id, ok := child.InsideID(uids.First, uids.Count, j.template.jail.uids.Init, host)
		if !ok {
			return 0, fmt.Errorf("host uid %d has no place in the template's user namespace", host)
		}
		return id, nil
	}
	init, err := inside(j.uids.Init)
	if err != nil {
		return nil, err
	}
	payload, err := inside(j.uids.Payload)
	if err != nil {
		return nil, err
	}
	l := j.spec.Limits
	memfd := syscall.EINVAL
	if j.runner.memfdNoexec {
		memfd = syscall.EACCES
	}
	return child.ForkOrder{
		CgroupV2: j.runner.unshareCgroup(), InitID: init, PayloadID: payload,
		TmpBytes: uint64(l.MaxDiskBytes), TmpInodes: uint64(l.MaxFiles), Rlimits: j.rlimits(),
		LandlockABI: uint32(j.runner.landlockABI), ReadRoots: j.runtime.image.Roots,
		StartupFilter: string(j.runtime.startup.Marshal()), InitFilter: string(j.runner.initFilter.Marshal()),
		MemfdErrno: memfd, CloseFrom: j.runtime.closeFrom, Skip: j.runner.skip,
	}.Encode()
}
