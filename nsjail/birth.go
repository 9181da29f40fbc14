package nsjail

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/nsjail/wire"
)

// spawn has the spawner clone an init.
func (j *jail) spawn() error {
	return j.beBorn(func(files []*os.File, joiner *cgroup.Joiner) (int, error) {
		request := wire.Request{
			Kind: wire.RequestSpawn, InitUID: j.uids.Init, PayloadUID: j.uids.Payload,
			CgroupV2: joiner.Version == cgroup.V2, Skip: j.runner.skip,
		}
		files = append(files, j.runner.supervisor)
		if j.serves != nil {
			orders, err := j.serves.openOrders(j)
			if err != nil {
				return -1, err
			}
			defer orders.Close()
			files = append(files, orders)
			uids := j.runner.lease.Range()
			request.Template, request.FirstUID, request.UIDs, request.TemplateGID = true, uids.Forks().First, uids.Forks().Count, uids.Group()
		}
		_, fd, err := j.runner.spawner.call(request, descriptors(files, into(joiner, joiner.Home))...)
		return fd, err
	})
}

// beBorn opens what every init is born with, and into, and keeps the pidfd of the
// one that ask gives.
func (j *jail) beBorn(ask func(files []*os.File, joiner *cgroup.Joiner) (pidfd int, err error)) error {
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
	joiner, err := j.leaf.Joiner()
	if err != nil {
		return err
	}
	defer joiner.Close()
	fd, err := ask([]*os.File{controlPeer, jobPeer, j.out.writers[0], j.out.writers[1]}, joiner)
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

// into is what a clone into the leaf needs: its directory (v2), or its tasks files
// and those of the group that the cloning thread comes home to (v1).
func into(joiner *cgroup.Joiner, home []*os.File) []*os.File {
	if joiner.Version == cgroup.V2 {
		return []*os.File{joiner.Dir}
	}
	return slices.Concat(joiner.Leaf, home)
}

// openControl makes the control socket and returns the init's end.
func (j *jail) openControl() (peer *os.File, err error) {
	if j.control, peer, err = socketPair(unix.SOCK_SEQPACKET); err == nil {
		j.undo.add(func() { j.control.Close() })
	}
	return peer, err
}

func descriptors(files ...[]*os.File) (fds []int) {
	for _, f := range slices.Concat(files...) {
		fds = append(fds, int(f.Fd()))
	}
	return fds
}

// openJob makes the job socket and returns the harness's end.
func (j *jail) openJob() (peer *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socketpair: %w", err)
	}
	peer = os.NewFile(uintptr(fds[1]), "job")
	if j.job, err = pollable(fds[0], "job"); err == nil {
		j.undo.add(func() { j.job.Close() })
		j.jobPeer, err = inode(peer)
	}
	if err != nil {
		peer.Close()
		return nil, err
	}
	return peer, nil
}
