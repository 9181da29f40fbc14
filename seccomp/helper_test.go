package seccomp_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A filter cannot be taken off again, so whatever takes one runs in a child:
// this test binary, started again with the name of a role.
const roleEnv = "SECCOMP_TEST_ROLE"

var roles = map[string]func() error{
	"install thread":      installOnThread,
	"install all threads": installOnAllThreads,
	"target":              notifierTarget,
}

func TestMain(m *testing.M) {
	if name := os.Getenv(roleEnv); name != "" {
		if err := roles[name](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// role is a running child: it prints lines and reads lines.
type role struct {
	t   *testing.T
	cmd *exec.Cmd
	out *bufio.Reader
	in  *os.File
	err strings.Builder
}

func startRole(t *testing.T, name string) *role {
	t.Helper()
	r := &role{t: t, cmd: exec.CommandContext(t.Context(), "/proc/self/exe")}
	r.cmd.Env = []string{roleEnv + "=" + name}
	r.cmd.Stderr = &r.err
	stdout, err := r.cmd.StdoutPipe()
	require.NoError(t, err)
	stdin, ours, err := os.Pipe()
	require.NoError(t, err)
	r.cmd.Stdin, r.in, r.out = stdin, ours, bufio.NewReader(stdout)
	require.NoError(t, r.cmd.Start())
	stdin.Close()
	t.Cleanup(func() { r.in.Close() })
	return r
}

func (r *role) say(line string) {
	r.t.Helper()
	_, err := fmt.Fprintln(r.in, line)
	require.NoError(r.t, err)
}

func (r *role) hear() string {
	r.t.Helper()
	line, err := r.out.ReadString('\n')
	require.NoError(r.t, err, r.err.String())
	return strings.TrimSuffix(line, "\n")
}

func (r *role) wait() {
	r.t.Helper()
	require.NoError(r.t, r.cmd.Wait(), r.err.String())
}
