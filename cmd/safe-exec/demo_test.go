package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/hosttest"
)

// The demo is what a newcomer runs first, perhaps beside a daemon that others use.
func TestTheDemoIsNobodysBusiness(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, on string // what the shell does before it runs a program
		code     int
		want     string
	}{
		{"it runs to its end", "", 0, "== stopping the daemon"},
		{"a step fails", "exit 9", 1, "unexpected exit status 9, wanted 0"},
		{"it is interrupted, and again", "trap '' INT; { for _ in $(seq 50); do sleep 0.01; kill -INT 0; done; } & kill -INT 0; exit 1", 130, "== JavaScript does the same"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			require.NoError(t, os.CopyFS(top+"/deploy", os.DirFS("../../deploy")))
			require.NoError(t, os.Mkdir(top+"/bin", 0o755))
			note := filepath.Join(top, "started")
			wrapper := fmt.Sprintf(`#!/bin/sh
case $1 in
serve)
	[ ! -e %[1]s ] || exit 1
	{ echo $$; for a; do echo "$a"; done; cat "$3"; } >%[1]s ;;
run) %[2]s ;;
esac
exec %[3]s "$@"
`, note, row.on, binary)
			require.NoError(t, os.WriteFile(top+"/bin/safe-exec", []byte(wrapper), 0o755))

			var said syncBuffer
			// What ignores Ctrl-C, as the background of a script does, passes that on.
			demo := exec.Command("env", "--default-signal=INT", "sh", "-e", top+"/deploy/demo.sh")
			demo.Stdout, demo.Stderr = &said, &said
			demo.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is for all of a terminal's group
			demo.WaitDelay = time.Second
			require.NoError(t, demo.Start())
			defer func() { _ = demo.Process.Kill() }() // one that does not end
			ended := make(chan error, 1)
			go func() { ended <- demo.Wait() }()
			hosttest.Receive(t, 2*patience, ended, "the demo does not end: %s", &said)
			assert.Equal(t, row.code, demo.ProcessState.ExitCode(), said.String())
			assert.Contains(t, said.String(), row.want)

			text, err := os.ReadFile(note)
			require.NoError(t, err, said.String())
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			require.Len(t, lines, 9)
			config, socket, state := lines[3], lines[5], lines[7]
			assert.Equal(t, []string{"serve", "--config", config, "--socket", socket, "--state-dir", state}, lines[1:8])
			work := filepath.Dir(config)
			assert.Equal(t, []string{work, work}, []string{filepath.Dir(socket), filepath.Dir(state)})
			assert.NoDirExists(t, work, "it takes away what it has made")
			assert.Regexp(t, `^broker_user: 189\d{7}$`, lines[8])
			assert.NotContains(t, lines[8], strconv.Itoa(int(defaultBrokerUID)), "another daemon's broker may be that")
			daemon, err := strconv.Atoi(lines[0])
			require.NoError(t, err)
			assert.ErrorIs(t, syscall.Kill(daemon, 0), syscall.ESRCH, "it stops what it has started")
		})
	}
}
