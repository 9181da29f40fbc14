package child

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// descriptors follows a program through a table of open descriptors, each with
// what it was opened as, and gives what is open at the end.
func descriptors(t *testing.T, p program, open map[int]string) map[int]string {
	t.Helper()
	uses := func(o op, fd arg) {
		assert.Contains(t, open, int(fd), "%s uses a closed descriptor", o.step)
	}
	for _, o := range p.ops {
		switch o.nr {
		case unix.SYS_DUP3:
			uses(o, o.args[0])
			open[int(o.args[1])] = open[int(o.args[0])]
		case unix.SYS_READ, unix.SYS_LANDLOCK_RESTRICT_SELF:
			uses(o, o.args[0])
		case unix.SYS_CLOSE_RANGE: // at once, or by the exec that all end with
			maps.DeleteFunc(open, func(fd int, _ string) bool {
				return arg(fd) >= o.args[0] && arg(fd) <= o.args[1]
			})
		case unix.SYS_EXECVE:
			delete(open, testErrPipe) // close-on-exec
		}
	}
	return open
}

func TestOnlyTheNamedDescriptorsSurviveTheExec(t *testing.T) {
	left := func(m map[int]string) map[int]string {
		for _, fd := range []int{10, 29, 32, 1 << 20} { // around the pipe, and far
			m[fd] = "left over"
		}
		return m
	}
	for _, row := range []struct {
		name    string
		program program
		open    map[int]string
		want    map[int]string
	}{
		{"the payload has null, two pipes and the job socket", testPayload(), left(map[int]string{
			0: "null", 1: "null", 2: "daemon's log", wire.FDControl: "control", wire.FDJob: "job",
			wire.FDStdout: "stdout", wire.FDStderr: "stderr",
			testNull: "null", testRuleset: "ruleset", testErrPipe: "fault",
		}), map[int]string{0: "null", 1: "stdout", 2: "stderr", payloadJob: "job"}},
		{"the init has control, and what it gives the payload", testInit(), left(map[int]string{
			0: "spawner's", 1: "spawner's", 2: "daemon's log", 3: "spawner's socket",
			testRequest[0]: "reply", testRequest[1]: "control", testRequest[2]: "job",
			testRequest[3]: "stdout", testRequest[4]: "stderr", testRequest[5]: "supervisor",
			testNull: "null", testMapped: "ids", testErrPipe: "fault",
		}), map[int]string{
			0: "null", 1: "null", 2: "daemon's log", wire.FDControl: "control", wire.FDJob: "job",
			wire.FDStdout: "stdout", wire.FDStderr: "stderr", wire.FDSupervisor: "supervisor",
		}},
		{"the supervisor has control, the payload, itself and its filter", testSupervisor(), left(map[int]string{
			0: "null", 1: "null", 2: "daemon's log", wire.FDControl: "control", testProgram: "supervisor",
			testRuleset: "ruleset", testPidfd: "payload", coldFilter: "filter",
		}), map[int]string{
			0: "null", 1: "null", 2: "daemon's log", supervisorControl: "control", supervisorFaults: "null",
			supervisorPayload: "payload", supervisorProgram: "supervisor", supervisorFilter: "filter",
		}},
		{"a template has orders and /proc too", testTemplate(), left(map[int]string{
			0: "null", 1: "null", 2: "daemon's log", wire.FDControl: "control", wire.FDJob: "job",
			wire.FDStdout: "stdout", wire.FDStderr: "stderr", wire.FDOrders: "orders", wire.FDSupervisor: "supervisor",
			testNull: "null", testRuleset: "ruleset", testProc: "proc", testErrPipe: "fault",
		}), map[int]string{0: "null", 1: "stdout", 2: "stderr", payloadJob: "job", templateOrders: "orders", templateProc: "proc", templateSupervisor: "supervisor"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, descriptors(t, row.program, row.open))
		})
	}
}

// TestNothingUsesADescriptorThatIsGone: past close_fds there is the filter, which
// takes none, and the exec.
func TestNothingUsesADescriptorThatIsGone(t *testing.T) {
	list := names(testPayload())
	last := len(list) - slices.Index(reversed(list), "close_fds")
	assert.Equal(t, []string{"startup_filter", "exec"}, list[last:])
}
