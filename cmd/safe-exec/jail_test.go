package main

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/launcher"
)

// cProgram compiles a program; flags such as -static come from the caller.
func cProgram(t *testing.T, source string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "program.c"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(from, []byte(source), 0o600))
	out, err := exec.CommandContext(t.Context(), "cc", append(flags, "-Wall", "-Werror", "-o", to, from)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return to
}

// native says who it is and what it may, and ends with the status that its
// argument asks for.
const native = `
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void tell(const char *what, int result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done");
}

int main(int argc, char **argv)
{
	char *none[] = { "x", NULL };

	printf("%d arguments, %s, %s, uid %d\n", argc, argv[0], argv[1], getuid());
	tell("read the root", open("/", O_RDONLY));
	tell("read itself", open("/usr/bin/program", O_RDONLY));
	tell("read the job socket", (int)read(3, none, 1));
	tell("write its directory", open("file", O_WRONLY | O_CREAT, 0600));
	tell("open a socket", socket(AF_INET, SOCK_STREAM, 0));
	tell("execute a file of its own", execv("/tmp/file", none));
	return atoi(argv[argc - 1]);
}
`

func TestJailRunsAProgramUnderTheLockDown(t *testing.T) {
	const held = "read the root: Permission denied\n" +
		"read itself: Permission denied\n" +
		"read the job socket: Bad file descriptor\n" +
		"write its directory: done\n" +
		"open a socket: Operation not permitted\n" +
		"execute a file of its own: Permission denied\n"
	const socketRefused = "safe-exec: failed: exit_nonzero\n  system call refused: socket (1)\nhint: "
	static, dynamic := cProgram(t, native, "-static"), cProgram(t, native)
	for _, row := range []struct {
		name string
		args []string
		want outcome
	}{
		{"a static program", []string{"--", static, "a b", "0"},
			outcome{0, "3 arguments, program, a b, uid 1\n" + held, ""}},
		{"under Node's lock-down", []string{"--profile", "javascript", "--", static, "", "0"},
			outcome{0, "3 arguments, program, , uid 1\n" + held, ""}},
		{"a program that fails", []string{static, "7"},
			outcome{1, "2 arguments, program, 7, uid 1\n" + held, socketRefused + "The program itself chose exit status 7. The sandbox refused system calls on the way; denials names them.\n"}},
		{"a dynamically linked program with its libraries", []string{"--libraries", "--", dynamic, "0"},
			outcome{0, "2 arguments, program, 0, uid 1\n" + held, ""}},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, invoke(t, append([]string{"jail"}, row.args...)...))
		})
	}
}

func TestJailHoldsLimits(t *testing.T) {
	for _, row := range []struct {
		name, source string
		args         []string
		want         string
	}{
		{"time", "int main(void) { for (;;) ; }", []string{"--timeout", "200ms"}, "safe-exec: timed_out: wall_timeout\n"},
		{"memory", "#include <stdlib.h>\n#include <string.h>\nint main(void) { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }",
			[]string{"--memory", "32"}, "safe-exec: failed: memory_limit\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := invoke(t, append(append([]string{"jail"}, row.args...), "--", cProgram(t, row.source, "-static"))...)
			assert.Equal(t, exitLimited, o.code)
			assert.Contains(t, o.stderr, row.want)
		})
	}
}

func TestWrongUsageOfJail(t *testing.T) {
	static, dynamic := cProgram(t, "int main(void) { return 0; }", "-static"), cProgram(t, "int main(void) { return 0; }")
	script := program(t, "script.sh", "#!/bin/sh\n")
	somebody := nobody(0)
	for _, row := range []struct {
		name string
		as   *syscall.Credential
		args []string
		want string
	}{
		{"no program", nil, nil, "jail: no program given: safe-exec jail -- PROGRAM [ARGS]"},
		{"a program that is not there", nil, []string{"/nowhere"}, "jail: open /nowhere: no such file or directory"},
		{"a dynamically linked program", nil, []string{dynamic}, "jail: " + dynamic + " is dynamically linked: link it statically, or give --libraries"},
		{"a script", nil, []string{script}, "jail: " + script + ": no ELF program: "},
		{"an unknown profile", nil, []string{"--profile", "ruby", static}, `jail: there is no profile "ruby"`},
		{"a time limit above the maximum", nil, []string{"--timeout", "1h", static}, "--timeout is 1h, the maximum is 30s"},
		{"a time limit between two milliseconds", nil, []string{"--timeout", "1500us", static}, "jail: --timeout is 1.5ms, want whole milliseconds"},
		{"somebody who is not root", somebody, []string{static}, "jail: only root may run a program of its own in a jail"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := invokeAs(t, row.as, "", append([]string{"jail"}, row.args...)...)
			assert.Equal(t, exitUsage, o.code, o.stderr)
			assert.Contains(t, o.stderr, "safe-exec: "+row.want)
			assert.Empty(t, o.stdout)
		})
	}
}

// An interpreter is made undumpable by the shim; a program would be dumpable
// again by its exec, were it readable to who executes it.
func TestJailedProgramIsUndumpable(t *testing.T) {
	t.Parallel()
	path := cProgram(t, "#include <unistd.h>\nint main(void) { for (;;) sleep(1); }", "-static")
	mark := "mark-" + rand.Text()
	cmd := exec.CommandContext(t.Context(), binary, "jail", "--timeout", "20s", "--", path, mark)
	require.NoError(t, cmd.Start())
	defer func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait() // cancelled, which is not what is tested here
	}()
	dir := ""
	eventually(t, func() bool {
		dir = jailed(t, mark)
		return dir != ""
	}, "the program does not come to run")
	uid := func(path string) uint32 {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Sys().(*syscall.Stat_t).Uid
	}
	assert.NotZero(t, uid(dir), "the process has a uid of its own")
	assert.Zero(t, uid(dir+"/environ"), "its private files are the host root's")
}

// jailed finds the process in a jail that has the argument.
func jailed(t *testing.T, arg string) (dir string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, dir := range all {
		exe, _ := os.Readlink(dir + "/exe")
		line, _ := os.ReadFile(dir + "/cmdline") // of one that ended meanwhile: nothing
		if exe == launcher.Program && strings.Contains(string(line), arg) {
			return dir
		}
	}
	return ""
}

// No caller of the API can ask for it: the language has no name.
func TestJailIsNotInTheAPI(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	o := invokeAs(t, nil, "x", "run", "--socket", d.socket, "--language", "native", "-")
	assert.Equal(t, exitUsage, o.code)
	assert.Contains(t, o.stderr, `unknown language "native"`)
}
