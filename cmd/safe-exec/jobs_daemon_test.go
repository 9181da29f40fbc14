package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

const readsAndWrites = `
import workdir
print(workdir.read_text("d/in.csv") + workdir.stdin(), list(workdir.args), workdir.env["NAME"])
workdir.write_text("out/a.txt", "2")
`

func TestFilesGoInAndComeBack(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	csv, py := program(t, "in.csv", "a,1\n"), program(t, "p.py", readsAndWrites)
	for _, how := range []struct {
		name string
		args []string
	}{
		{"through the daemon", []string{"run", "--socket", d.socket}},
		{"without one", withoutDaemon(t)},
	} {
		t.Run(how.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "new")
			args := append(how.args, "--file", "d/in.csv="+csv, "--stdin", "-", "--arg", "-v", "--env", "NAME=value", "--out", out, "--stream", py)
			assert.Equal(t, outcome{0, "a,1\ntyped ['-v'] value\n", ""}, invokeAs(t, nil, "typed", args...))
			text, err := os.ReadFile(filepath.Join(out, "out", "a.txt"))
			require.NoError(t, err)
			assert.Equal(t, "2", string(text))
		})
	}
}

func TestAJobOnTheCommandLine(t *testing.T) {
	t.Parallel()
	d := startAlone(t) // its list of jobs is these
	at := func(command string, args ...string) outcome {
		return invoke(t, append([]string{"jobs", command, "--socket", d.socket}, args...)...)
	}
	submit := func(args ...string) string {
		got := invoke(t, append([]string{"run", "--socket", d.socket, "--async"}, args...)...)
		require.Equal(t, 0, got.code, got.stderr)
		return strings.TrimSpace(got.stdout)
	}
	py := program(t, "p.py", "import sys\nprint(1)\nprint(2, file=sys.stderr)\nsys.exit(3)")
	id := submit("--policy", "relaxed", "--key", "k", py)
	assert.Equal(t, id, submit("--policy", "relaxed", "--key", "k", py))
	want := outcome{1, "1\n", "2\nsafe-exec: failed: exit_nonzero\nhint: ...\n"}
	assert.Equal(t, want, shape(at("wait", id)))
	assert.Equal(t, want, shape(at("events", id)))
	assert.Equal(t, "failed\n", at("get", id).stdout)

	long := submit("--timeout", "30s", program(t, "long.py", "import time\ntime.sleep(30)"))
	assert.Equal(t, "cancelled\n", at("cancel", long).stdout)
	assert.Equal(t, 3, at("wait", long).code)
	var list []struct {
		JobID  string `json:"job_id"`
		Status policy.Status
	}
	require.NoError(t, json.Unmarshal([]byte(at("list", "--json").stdout), &list))
	require.Len(t, list, 2)
	assert.Equal(t, []string{long, id}, []string{list[0].JobID, list[1].JobID})
	assert.Equal(t, []policy.Status{policy.Cancelled, policy.Failed}, []policy.Status{list[0].Status, list[1].Status})
	assert.Equal(t, 1, at("get", "job_AAAAAAAAAAAAAAAAAAAAAAAAAA").code)
}
