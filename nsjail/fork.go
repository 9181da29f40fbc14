package nsjail

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"safe-exec/cgroup"
	"safe-exec/nsjail/child"
	"safe-exec/nsjail/wire"
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
	controlPeer, err := j.openControl()
	if err != nil {
		return err
	}
	defer controlPeer.Close()
	jobPeer, err := j.openJob()
	if err != nil {
		return err
	}
	defer jobPeer.Close()
	if err := j.leaf.Admit(j.runner.lease.Range().Group()); err != nil {
		return err
	}
	joiner, err := j.leaf.Joiner()
	if err != nil {
		return err
	}
	defer joiner.Close()
	files := []*os.File{controlPeer, jobPeer, j.out.writers[0], j.out.writers[1]}
	if joiner.Version == cgroup.V2 {
		files = append(files, joiner.Dir)
	} else {
		files = slices.Concat(files, joiner.Leaf, j.template.home)
	}
	_, fd, err := ask(j.template.orders, j.runner.startTimeout, packet, descriptors(files)...)
	var fault *stepFault
	if err != nil && !errors.As(err, &fault) { // it did not answer: what state it is in, nobody knows
		j.template.suspect()
	}
	if err == io.EOF || errors.Is(err, syscall.EPIPE) {
		err = errTemplateDied
	}
	if err != nil {
		return err
	}
	if fd < 0 {
		return wire.ErrMalformed
	}
	j.init = newPidfd(fd)
	j.undo.add(j.init.close)
	j.undo.add(j.awaitInit)
	return nil
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
	memfd := syscall.EACCES
	if lackOfMemfdNoexec() != "" {
		memfd = syscall.EINVAL
	}
	return child.ForkOrder{
		CgroupV2: j.runner.unshareCgroup(), InitID: init, PayloadID: payload,
		TmpBytes: uint64(l.MaxDiskBytes), TmpInodes: uint64(l.MaxFiles), Rlimits: j.rlimits(),
		LandlockABI: uint32(j.runner.landlockABI), ReadRoots: j.runtime.image.Roots,
		StartupFilter: string(j.runtime.startup.Marshal()), InitFilter: string(j.runner.forkInitFilter.Marshal()),
		MemfdErrno: memfd, CloseFrom: j.runtime.closeFrom, Skip: j.runner.skip,
	}.Encode()
}
