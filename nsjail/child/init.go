package child

import (
	"syscall"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// initMain is pid 1 of a jail.
func initMain(control int) int {
	msg, fds, err := wire.RecvPacket(control)
	wire.CloseAll(fds)
	if err != nil {
		return exitNoFrame
	}
	setup, err := wire.DecodeSetup(msg)
	if err != nil {
		return fail(control, stepError("setup_message", err))
	}
	j := &jail{setup: setup, control: control}
	list := steps
	if setup.Template {
		list = templateSteps
	}
	for _, s := range list {
		if skipped(setup.Skip, s.name) {
			continue
		}
		if err := s.do(j); err != nil {
			return fail(control, stepError(s.name, err))
		}
	}
	if report(control, wire.Event{Kind: wire.EventStarted}, j.pidfd) != nil {
		return exitNoFrame
	}
	unix.Close(j.pidfd)
	go exitWhenClosed(control)
	return supervise(j)
}

func fail(control int, f *fault) int {
	if report(control, f.event()) != nil {
		return exitNoFrame
	}
	return exitFault
}

// exitWhenClosed ends the jail when the daemon is gone, whatever became of it.
func exitWhenClosed(control int) {
	for {
		_, fds, err := wire.RecvPacket(control)
		wire.CloseAll(fds)
		if err != nil {
			syscall.Exit(exitOK)
		}
	}
}

// supervise reaps until the payload is dead and reports its wait status. It
// then stays, so that the daemon decides when the namespaces go.
func supervise(j *jail) int {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return fail(j.control, stepError("wait", err))
		}
		if pid == j.payload {
			e := wire.Event{Kind: wire.EventExited, Status: uint32(status)}
			var fs unix.Statfs_t
			if unix.Statfs("/tmp", &fs) == nil {
				e.FreeBytes, e.FreeInodes = fs.Bavail*uint64(fs.Bsize), fs.Ffree
			}
			if report(j.control, e) != nil {
				return exitNoFrame
			}
			select {}
		}
	}
}
