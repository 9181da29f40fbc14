package child

import (
	"safe-exec/nsjail/wire"
)

// initMain is pid 1 of a jail, up to where it becomes the supervisor.
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
	j := &jail{setup: setup, control: control, program: wire.FDSupervisor}
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
	return exitNoFrame // the last step does not return
}

func fail(control int, f *fault) int {
	if report(control, f.event()) != nil {
		return exitNoFrame
	}
	return exitFault
}
