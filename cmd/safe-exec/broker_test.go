package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi"
	"safe-exec/httpapi/client"
	"safe-exec/policy"
)

// broker finds the process of the daemon that talks to callers, once there is one.
func (d *served) broker(t *testing.T) (broker int) {
	t.Helper()
	eventually(t, func() bool {
		for pid := range childrenOf(t, d.cmd.Process.Pid) {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // one that ended has none
			if strings.HasPrefix(string(line), "safe-exec\x00broker\x00") {
				broker = pid
				return true
			}
		}
		return false
	}, "the daemon has no broker: %s", d)
	return broker
}

func TestTheDaemonIsTwoProcesses(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	pid := d.broker(t)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	uid := fmt.Sprint(defaultBrokerUID)
	for _, line := range []string{
		"Uid:" + strings.Repeat("\t"+uid, 4), "Gid:" + strings.Repeat("\t"+uid, 4), "Groups:\t ", "NoNewPrivs:\t1", "Seccomp:\t2", "Seccomp_filters:\t1",
		"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000",
	} {
		assert.Contains(t, string(status), "\n"+line+"\n")
	}

	p, err := client.New(d.socket).Posture(t.Context())
	require.NoError(t, err)
	require.Len(t, p.Processes, 2)
	executor, broker := p.Processes[0], p.Processes[1]
	assert.Equal(t, []any{"executor", uint32(0), (*time.Time)(nil)}, []any{executor.Name, executor.UID, executor.Proved})
	assert.NotEqual(t, broker.Capabilities, executor.Capabilities)
	assert.Equal(t, []any{"broker", defaultBrokerUID, "0000000000000000", true, 1}, []any{broker.Name, broker.UID, broker.Capabilities, broker.NoNewPrivs, broker.Starts})
	assert.NotNil(t, broker.Proved)
	assert.Contains(t, broker.Tried, "seccomp_exec")
	assert.Positive(t, broker.LandlockABI)
}

func TestABrokerThatDiesIsReplacedAndItsRunsEnd(t *testing.T) {
	t.Parallel()
	d := startAlone(t)
	_, answer := sleeper(t, d, "import time\ntime.sleep(25)")
	pids, _ := d.awaitRuns(t, 1)
	watched := watch(t, pids)
	require.NoError(t, syscall.Kill(d.broker(t), syscall.SIGKILL))
	watched.allGone(t)
	assert.Equal(t, 125, (<-answer).code, "its caller is told no verdict")

	c := client.New(d.socket)
	var p *httpapi.Posture
	eventually(t, func() bool {
		var err error
		p, err = c.Posture(t.Context())
		return err == nil
	}, "no broker answers: %s", d)
	assert.Equal(t, 2, p.Processes[1].Starts)
	result, err := c.Execute(t.Context(), policy.Request{Language: "py", Code: "print(42)"})
	require.NoError(t, err)
	assert.Equal(t, "42\n", result.Stdout)
	assert.Equal(t, "42", string(result.ResultJSON))
	d.logged(t, "the broker ended and is started again")
}

func TestABrokerIsForServeToStart(t *testing.T) {
	assert.NotContains(t, invoke(t, "help").stdout, brokerName)
	assert.Equal(t, 2, invoke(t, brokerName).code)
	got := invoke(t, brokerName, "/tmp", "1")
	assert.Equal(t, 125, got.code)
	assert.Contains(t, got.stderr, "started by safe-exec serve only")
}

func TestWhoTheBrokerIs(t *testing.T) {
	for _, row := range []struct {
		name, user string
		uid        uint32
		want       string
	}{
		{"nobody is named", "", defaultBrokerUID, ""},
		{"a number", "4711", 4711, ""},
		{"a name", "daemon", 1, ""},
		{"root by number", "0", 0, "must not be root"},
		{"root by name", "root", 0, "must not be root"},
		{"a number of the jails", fmt.Sprint(defaultConfig().UIDs.First), 0, "the jails'"},
		{"a number that stands for none", "4294967295", 0, "nobody's number"},
		{"a user that there is not", "no-such-user", 0, "no-such-user"},
		{"a number that is too large", "4294967296", 0, "unknown user"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := defaultConfig()
			c.BrokerUser = row.user
			uid, _, err := c.brokerUser()
			if row.want != "" {
				assert.ErrorContains(t, err, row.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, row.uid, uid)
		})
	}
}

func TestADirectoryOfAnotherIsNotTakenOver(t *testing.T) {
	dir := filepath.Dir(newSocket(t))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "state", "broker"), 0o700))
	got := invoke(t, "serve", "--socket", filepath.Join(dir, "s"), "--state-dir", filepath.Join(dir, "state"))
	assert.Equal(t, 2, got.code)
	assert.Contains(t, got.stderr, "belongs to 0:0, and the broker is")
}
