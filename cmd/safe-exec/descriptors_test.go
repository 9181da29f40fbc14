package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// under runs the daemon with limits on descriptors, soft:hard.
func under(nofile string) []string { return []string{"prlimit", "--nofile=" + nofile} }

func TestADaemonWithoutDescriptorsForItsCallersIsRefused(t *testing.T) {
	for _, row := range []struct {
		name, config, nofile, want string
	}{
		{"the defaults beyond the hard limit", "", "1024:1024", "queue is 64 and runs 8, which takes 1440 descriptors, but the hard limit is 1024"},
		{"TCP, which takes more", "tcp: {listen: 127.0.0.1:0}\n", "1440:2048", "which takes 3616 descriptors, but the hard limit is 2048"},
		{"a long queue", "queue: 1500\n", "1024:15000", "queue is 1500 and runs 8, which takes 15800 descriptors"},
	} {
		t.Run(row.name, func(t *testing.T) {
			line := append(under(row.nofile), binary, "serve", "--socket", newSocket(t), "--state-dir", stateDir, "--config", program(t, "c.yaml", row.config))
			var said bytes.Buffer
			cmd := exec.Command(line[0], line[1:]...)
			cmd.Stderr = &said
			require.Error(t, cmd.Run())
			assert.Equal(t, exitUsage, cmd.ProcessState.ExitCode(), said.String())
			assert.Contains(t, said.String(), row.want)
		})
	}
}

// A service manager gives a soft limit of 1024: what connections need is more.
func TestBothProcessesHaveAllDescriptorsThatTheyMay(t *testing.T) {
	t.Parallel()
	d := launchBy(t, under("256:4096"), newSocket(t), "--config", program(t, "c.yaml", noSpares))
	d.expect(t, "READY=1")
	for name, pid := range map[string]int{"executor": d.cmd.Process.Pid, brokerName: d.broker(t)} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
		require.NoError(t, err)
		found := ""
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "Max open files"); ok {
				found = strings.Join(strings.Fields(rest), " ")
			}
		}
		assert.Equal(t, "4095 4096 files", found, name) // one less: so Go knows its own doing
	}
	assert.Less(t, openFiles(d.broker(t)), brokerFiles/2, "what it has open without callers")
}
