package launcher_test

import (
	"bytes"
	"debug/elf"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/launcher"
)

// That it locks down and executes is tested in real jails, in cmd/safe-exec.
func TestLauncherNeedsNothingInTheImage(t *testing.T) {
	file, err := elf.NewFile(bytes.NewReader(launcher.Launcher()))
	require.NoError(t, err)
	assert.Equal(t, elf.EM_X86_64, file.Machine)
	for _, p := range file.Progs {
		assert.NotEqual(t, elf.PT_INTERP, p.Type, "it wants a loader")
		if p.Type == elf.PT_GNU_STACK {
			assert.Zero(t, p.Flags&elf.PF_X, "its stack is executable")
		}
	}
	for _, path := range []string{launcher.Program, "/usr/lib/safe-exec/steady.bpf"} {
		assert.Contains(t, string(launcher.Launcher()), path, "written in its source")
	}
}
