package escape

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatEndedAControl(t *testing.T) {
	exit := func(code int) syscall.WaitStatus { return syscall.WaitStatus(code << 8) }
	for _, row := range []struct {
		name   string
		status syscall.WaitStatus
		want   syscall.Signal
	}{
		{"an exit is no signal", exit(3), 0},
		{"the shell tells of its child's", exit(128 + 11), syscall.SIGSEGV},
		{"out of memory on v2, where the group dies, ends the shell as well", syscall.WaitStatus(9), syscall.SIGKILL},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, endSignal(row.status)) })
	}
}

func TestAControlsVerdict(t *testing.T) {
	line := func(won, proof string) string {
		return marker + `{"won": ` + won + `, "proof": "` + proof + `"}` + "\n"
	}
	for _, row := range []struct {
		name    string
		outcome outcome
		want    controlled
		absent  bool
	}{
		{"its own word counts", outcome{stdout: line("true", "out")}, controlled{finding{Won: true, Proof: "out"}, "out"}, false},
		{"so does its loss", outcome{stdout: line("false", "EPERM")}, controlled{finding{Proof: "EPERM"}, "EPERM"}, false},
		{"a call that the kernel has not got is absent", outcome{stdout: line("false", "cachestat: ENOSYS")}, controlled{finding{Proof: "cachestat: ENOSYS"}, "cachestat: ENOSYS"}, true},
		{"a win is never absent", outcome{stdout: line("true", "read: ENOSYS")}, controlled{finding{Won: true, Proof: "read: ENOSYS"}, "read: ENOSYS"}, false},
		{"without a word its signal is told", outcome{signal: syscall.SIGKILL}, controlled{text: "ended by killed"}, false},
		{"or its last line", outcome{stderr: "a\nb\n"}, controlled{text: "said nothing: b"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := row.outcome.judge()
			assert.Equal(t, row.want, got)
			assert.Equal(t, row.absent, got.absent())
		})
	}
}
