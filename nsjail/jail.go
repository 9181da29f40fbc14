package nsjail

import (
	"context"
	"os"
	"sync"

	"safe-exec/cgroup"
	"safe-exec/nsjail/lease"
	"safe-exec/nsjail/posture"
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
