package compile_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/seccomp"
	"safe-exec/seccomp/compile"
)

// TestGoUnderTheInitsFilter builds the program without cgo, as the init is: with
// it, threads come by glibc's flags.
func TestGoUnderTheInitsFilter(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "goinit")
	build := exec.Command("go", "build", "-o", bin, "./testdata/goinit")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	prog, err := compile.Compile(policy(t, "init", seccomp.Steady))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin)
	cmd.Env = []string{"TMPDIR=" + t.TempDir()}
	cmd.Stdin = bytes.NewReader(prog.Marshal())
	out, err = cmd.CombinedOutput()
	assert.NoError(t, err)
	assert.Equal(t, "ok\n", string(out))
}
