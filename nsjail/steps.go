package nsjail

import (
	"errors"
	"fmt"
	"io"
	"os"

	"safe-exec/cgroup"
	"safe-exec/nsjail/wire"
)

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

func (j *jail) makePipes() (err error) {
	if j.out, err = newOutput(); err == nil {
		j.undo.add(j.out.close)
	}
	return err
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
	if errors.Is(err, io.EOF) {
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

// oomScore makes the kernel choose the payload before the init should the leaf
// run out of memory on cgroup v1, which has no group kill.
const oomScore = "1000"

func (j *jail) setOOMScore() error {
	pid, err := j.payload.pid()
	if err != nil {
		return err
	}
	return os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte(oomScore), 0)
}
