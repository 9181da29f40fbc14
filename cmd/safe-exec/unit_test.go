package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/broker"
)

// unit reads the systemd unit as key and value; no key is there twice.
func unit(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/safe-exec.service")
	require.NoError(t, err)
	keys := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '[' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		require.True(t, ok, line)
		require.NotContains(t, keys, key)
		keys[key] = value
	}
	return keys
}

// The kernel counts filters along the line of descent, and a jail with one that
// is not ours is refused. The list is of systemd.exec(5).
func TestTheUnitLoadsNoFilter(t *testing.T) {
	keys := unit(t)
	for _, key := range []string{
		"SystemCallFilter", "SystemCallArchitectures", "SystemCallLog", "RestrictNamespaces", "RestrictAddressFamilies",
		"RestrictRealtime", "RestrictSUIDSGID", "MemoryDenyWriteExecute", "LockPersonality", "PrivateDevices",
		"ProtectClock", "ProtectHostname", "ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables",
	} {
		assert.NotContains(t, keys, key)
	}
}

func TestAForeignFilterIsNoticed(t *testing.T) {
	// Python, since neither coreutils nor Go has a word for it.
	const allowAll = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
program = (ctypes.c_uint64 * 1)(0x7fff000000000006)  # return SECCOMP_RET_ALLOW
class Fprog(ctypes.Structure): _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
fprog = Fprog(1, ctypes.addressof(program))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(fprog), 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])`
	d := launchBy(t, []string{"python3", "-c", allowAll}, newSocket(t))
	assert.Equal(t, 125, d.wait(t).ExitStatus())
	assert.True(t, d.said("seccomp_filters"), "%s", d)
}

func TestTheUnitsCapabilitiesAreEnough(t *testing.T) {
	t.Parallel()
	bits := map[string]int{
		"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_SETUID": unix.CAP_SETUID,
		"CAP_SETGID": unix.CAP_SETGID, "CAP_MKNOD": unix.CAP_MKNOD, "CAP_SYS_ADMIN": unix.CAP_SYS_ADMIN,
		"CAP_SETPCAP": unix.CAP_SETPCAP, "CAP_SYS_PTRACE": unix.CAP_SYS_PTRACE, "CAP_KILL": unix.CAP_KILL,
	}
	caps, mask := "-all", uint64(0)
	for name := range strings.FieldsSeq(unit(t)["CapabilityBoundingSet"]) {
		require.Contains(t, bits, name)
		caps += ",+" + strings.ToLower(strings.TrimPrefix(name, "CAP_"))
		mask |= 1 << bits[name]
	}
	d := launchBy(t, []string{"setpriv", "--bounding-set", caps, "--no-new-privs"}, newSocket(t))
	d.expect(t, "READY=1") // after a self-test in each language
	status, err := os.ReadFile("/proc/" + d.pid() + "/status")
	require.NoError(t, err)
	assert.Contains(t, string(status), fmt.Sprintf("\nCapBnd:\t%016x\n", mask))
	for _, row := range verdicts {
		args := append([]string{"run", "--socket", d.socket}, row.flags...)
		assert.Equal(t, row.want, shape(invoke(t, append(args, program(t, row.file, row.code))...)), row.name)
	}
	for file, code := range map[string]string{"a.py": "print(1)", "a.js": "console.log(1)"} {
		got := invoke(t, "run", "--socket", d.socket, "--start-mode", "fork", program(t, file, code))
		assert.Equal(t, outcome{0, "1\n", ""}, got, "a template has none but these either")
	}
	without(t, d.wholeLog(t), `"level":"ERROR"`)
}

func TestTheUnitStartsWhatThereIs(t *testing.T) {
	line := strings.Fields(unit(t)["ExecStart"])
	require.Greater(t, len(line), 1)
	_, file, ok := strings.Cut(strings.Join(line, " "), " --config ")
	require.True(t, ok)
	config := program(t, "c.yaml", "runs: 0\n") // refused after the command line was taken
	args := strings.Fields(strings.Replace(strings.Join(line[1:], " "), file, config, 1))
	got := invoke(t, args...)
	assert.Equal(t, outcome{2, "", "safe-exec: " + config + ": line 1: runs is 0, it must be at least 1\n"}, got)
	assert.Equal(t, "2", unit(t)["RestartPreventExitStatus"])
}

// systemd must not kill the daemon in the midst of what it gives its broker, nor while
// it takes down its jails and images after that.
func TestTheUnitLetsTheDaemonFinish(t *testing.T) {
	const takenDown = 20 * time.Second // milliseconds on an idle host; a second each for the broker and its groups at worst
	most, err := strconv.Atoi(unit(t)["TimeoutStopSec"])
	require.NoError(t, err, "in seconds")
	assert.Greater(t, time.Duration(most)*time.Second, broker.DefaultDrain+takenDown)
}

// systemd's own checker, where the machine has it; it knows words that the
// tests above do not.
func TestSystemdKnowsTheUnit(t *testing.T) {
	checker, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze on this machine")
	}
	text, err := os.ReadFile("../../deploy/safe-exec.service")
	require.NoError(t, err)
	file := program(t, "safe-exec.service", strings.ReplaceAll(string(text), "/usr/local/bin/safe-exec", binary))
	out, err := exec.Command(checker, "verify", file).CombinedOutput()
	assert.NoError(t, err, string(out))
	for line := range strings.Lines(string(out)) {
		assert.Contains(t, line, "DelegateSubgroup", "only what systemd 254 brought may be unknown")
	}
}
