//go:build vmtest

package vmtest

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/vmtest/console"
)

// One machine runs every actor that the machine survives: each row then looks
// at the problems that name it.
func TestMachineReportsBadCommands(t *testing.T) {
	rows := []struct {
		name    string
		role    string
		timeout time.Duration
		want    []string // problems, each by a part; none means success
	}{
		{"a command that passes is no problem", "pass", time.Minute, nil},
		{"a skip is a failure", "skip", time.Minute, []string{"1 skipped, which counts as failed here: TestActor/poor_host"}},
		{"a failure is a failure", "fail", time.Minute, []string{"exit status 1", "1 failed: TestActor"}},
		{"a command that says nothing passed no test", "quiet", time.Minute, []string{"no test passed"}},
		{"a command over its time-out is killed", "hang", 2 * time.Second, []string{"killed at its time-out"}},
		{"a command cannot speak for the init", "forge", 2 * time.Second, []string{"killed at its time-out"}},
		{"what a command leaves is counted", "litter", time.Minute, []string{"left behind 1 processes, 1 cgroups, 1 mounts"}},
		{"a program that is not there could not be started", "absent", time.Minute, []string{"could not be started"}},
		{"after all that a command still starts clean", "last", time.Minute, []string{"no test passed"}},
	}
	var commands []console.Command
	for _, row := range rows {
		c := actor(row.role, row.timeout)
		if row.role == "absent" {
			c.Argv = []string{"/absent"}
		}
		commands = append(commands, c)
	}
	out, parser, err := boot(t, commands, time.Minute)
	require.NoError(t, err, out)
	problems := parser.Problems(names(commands))
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			for _, p := range problems {
				if about, ok := strings.CutPrefix(p, row.role+": "); ok {
					got = append(got, about)
				}
			}
			require.Len(t, got, len(row.want), out)
			for i, want := range row.want {
				assert.Contains(t, got[i], want)
			}
		})
	}
}

func TestMachineThatEndsEarlyIsAFailure(t *testing.T) {
	commands := []console.Command{actor("off", time.Minute), actor("pass", time.Minute)}
	out, parser, err := boot(t, commands, time.Minute)
	require.NoError(t, err, out)
	problems := strings.Join(parser.Problems(names(commands)), "\n")
	assert.Contains(t, problems, "off: no report of its end")
	assert.Contains(t, problems, "pass never began")
	assert.Contains(t, problems, "the final line is missing")
}

func TestMachineOverItsTimeoutIsKilled(t *testing.T) {
	commands := []console.Command{actor("hang", time.Hour)}
	start := time.Now()
	out, parser, err := boot(t, commands, 12*time.Second)
	require.ErrorIs(t, err, ErrTimeout, out)
	assert.Less(t, time.Since(start), 20*time.Second)
	assertGone(t, err)
	assert.Contains(t, strings.Join(parser.Problems(names(commands)), "\n"), "the final line is missing")
}

func actor(role string, timeout time.Duration) console.Command {
	return console.Command{Name: role, Argv: []string{"/actor", role}, Dir: "/", TimeoutMS: timeout.Milliseconds()}
}

func boot(t *testing.T, commands []console.Command, timeout time.Duration) (string, *console.Parser, error) {
	t.Helper()
	ctx := context.Background()
	kernel, err := Kernel(ctx, "cache")
	require.NoError(t, err)
	qemu, err := Qemu(ctx)
	require.NoError(t, err)
	b := &builder{module: "../..", scratch: t.TempDir(), tree: NewTree()}
	require.NoError(t, b.init(ctx))
	bin := filepath.Join(b.scratch, "actor")
	require.NoError(t, b.compile(ctx, []string{"CGO_ENABLED=0"}, "build", "-o", bin, "./internal/vmtest/testdata/actor"))
	require.NoError(t, b.tree.Host("/actor", bin))
	list, err := console.MarshalCommands(commands)
	require.NoError(t, err)
	b.tree.Bytes(console.CommandsPath, 0o644, list)
	m := Machine{Kernel: kernel, Initrd: filepath.Join(b.scratch, "initrd"), Memory: 512, Timeout: timeout}
	require.NoError(t, pack(b.tree, m.Initrd))
	var out bytes.Buffer
	var parser console.Parser
	err = m.Run(ctx, qemu, &out, &parser)
	return out.String(), &parser, err
}
