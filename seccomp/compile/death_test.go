package compile_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
	"safe-exec/seccomp/compile"
)

// A death by SIGSYS has to mean the filter, and any other signal the program.
func TestDeaths(t *testing.T) {
	for _, row := range []struct {
		what string
		list string
		code string // empty: a read of the x32 ABI
		want syscall.Signal
	}{
		{"a call of the x32 ABI is the filter's kill", "python", "", unix.SIGSYS},
		{"a call of the x32 ABI is the filter's kill", "javascript", "", unix.SIGSYS},
		{"abort", "python", "import os; os.abort()", unix.SIGABRT},
		{"abort", "javascript", "process.abort()", unix.SIGABRT},
		{"kill -9", "python", "import os; os.kill(os.getpid(), 9)", unix.SIGKILL},
		{"kill -9", "javascript", "process.kill(process.pid, 'SIGKILL')", unix.SIGKILL},
		{"a wild pointer", "python", "import ctypes; ctypes.string_at(0)", unix.SIGSEGV},
	} {
		t.Run(row.list+": "+row.what, func(t *testing.T) {
			argv := []string{x32Read}
			if row.code != "" {
				argv = interpreter(t, row.list, row.code)
			}
			prog, err := compile.Compile(policy(t, row.list, seccomp.Startup))
			require.NoError(t, err)
			o := runUnder(t, prog, argv...)
			status := o.state.Sys().(syscall.WaitStatus)
			require.True(t, status.Signaled(), "%v %s", o.state, o.stderr)
			assert.Equal(t, row.want, status.Signal(), o.stderr)
			assert.Empty(t, o.denied)
		})
	}
}
