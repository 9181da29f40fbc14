package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// verdicts are what a program may come to, and what run makes of it; see shape.
var verdicts = []struct {
	name, file, code string
	flags            []string
	want             outcome
}{
	{"succeeded is 0 and the output alone", "p.py", "print(6*7)", nil,
		outcome{0, "42\n", ""}},
	{"JavaScript by its ending", "p.js", "console.log(6*7)", nil,
		outcome{0, "42\n", ""}},
	{"an ES module by its ending", "p.mjs", "import { format } from 'node:util'\nconsole.log(await format('%d', 42))", nil,
		outcome{0, "42\n", ""}},
	{"output without a line's end stays without", "p.js", "process.stdout.write('a')", []string{"--policy", "relaxed"},
		outcome{0, "a", ""}},
	{"an exception is 1", "p.py", "print('a')\n1/0", nil,
		outcome{1, "a\n", `Traceback (most recent call last):
  File "<program>", line 2, in <module>
    1/0
    ~^~
ZeroDivisionError: division by zero
safe-exec: failed: exception
hint: ...
`}},
	{"an exit status of its own is 1, whatever it chose", "p.py", "import sys\nsys.stderr.write('half a line')\nsys.exit(125)", []string{"--policy", "relaxed"},
		outcome{1, "", `half a line
safe-exec: failed: exit_nonzero
hint: ...
`}},
	{"a syntax error is 1 and says where", "p.py", "x = (", nil,
		outcome{1, "", `safe-exec: failed: syntax_error
  line 1, column 5: ...
hint: ...
`}},
	{"the policy's no is 3 and says where", "p.py", "import os", nil,
		outcome{3, "", `safe-exec: rejected: policy_violation
  line 1, column 8: import_blocked: ...
hint: ...
`}},
	{"the time limit is 3", "p.py", "while True: pass", []string{"--timeout", "200ms"},
		outcome{3, "", `safe-exec: timed_out: wall_timeout
hint: ...
`}},
	{"the memory limit is 3", "p.py", "x = bytearray(1 << 30)", []string{"--memory", "64"},
		outcome{3, "", `safe-exec: failed: memory_limit
hint: ...
`}},
}

// wording is what others choose the words of: hints, and messages behind a
// position.
var wording = regexp.MustCompile(`(?m)^(hint: |  line \d+, column \d+: (?:[a-z_]+: )?).+$`)

// shape leaves out the wording.
func shape(o outcome) outcome {
	o.stderr = wording.ReplaceAllString(o.stderr, "${1}...")
	return o
}

func TestVerdictsThroughTheDaemon(t *testing.T) {
	t.Parallel()
	d := start(t)
	for _, row := range verdicts {
		t.Run(row.name, func(t *testing.T) {
			args := append([]string{"run", "--socket", d.socket}, row.flags...)
			assert.Equal(t, row.want, shape(invoke(t, append(args, program(t, row.file, row.code))...)))
		})
	}
	log := d.wholeLog(t)
	without(t, log, "6*7") // the log never holds a program's text
	assert.Contains(t, log, "code_sha256")
}

// withoutDaemon are the flags of a run that finds no daemon.
func withoutDaemon(t *testing.T) []string {
	t.Helper()
	require.NoError(t, compile())
	return []string{"run", "--socket", filepath.Join(t.TempDir(), "none"), "--config", program(t, "c.yaml", "state_dir: "+stateDir+"\n")}
}

func TestVerdictsWithoutADaemon(t *testing.T) {
	t.Parallel()
	for _, row := range verdicts {
		switch row.file {
		case "p.js", "p.mjs": // a start costs a second: one of each exit status
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			args := append(withoutDaemon(t), row.flags...)
			assert.Equal(t, row.want, shape(invoke(t, append(args, program(t, row.file, row.code))...)))
		})
	}
}

func TestRefusedCallsAreNamed(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	got := invoke(t, "run", "--socket", d.socket, "--policy", "relaxed", program(t, "p.py", "import socket\nsocket.socket()"))
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "\n  system call refused: socket (1)\n")
}

func TestCutOutputIsSaid(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	got := invoke(t, "run", "--socket", d.socket, program(t, "p.py", "print('x' * 100_000)"))
	assert.Zero(t, got.code)
	assert.Equal(t, "safe-exec: stdout: 100001 bytes were written, more than the 65536 that are kept\n", got.stderr)
}

func TestStdinIsAProgramToo(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	for _, row := range []struct {
		name string
		args []string
	}{
		{"by a dash", []string{"--language", "py", "-"}},
		{"by nothing", []string{"--language", "python3"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := invokeAs(t, nil, "print(1)", append([]string{"run", "--socket", d.socket}, row.args...)...)
			assert.Equal(t, outcome{0, "1\n", ""}, got)
		})
	}
}

func TestJSONIsTheResultAndNothingElse(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	for _, row := range []struct {
		name, code string
		exit       int
		status     policy.Status
		reason     policy.Reason
	}{
		{"a success", "print(1)", 0, policy.Succeeded, policy.ReasonCompleted},
		{"a failure", "1/0", 1, policy.Failed, policy.ReasonException},
		{"a rejection", "import os", 3, policy.Rejected, policy.ReasonPolicyViolation},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := invoke(t, "run", "--json", "--socket", d.socket, program(t, "p.py", row.code))
			assert.Equal(t, row.exit, got.code)
			assert.Empty(t, got.stderr)
			var result policy.Result
			decoder := json.NewDecoder(strings.NewReader(got.stdout))
			decoder.DisallowUnknownFields()
			require.NoError(t, decoder.Decode(&result))
			assert.False(t, decoder.More())
			assert.Equal(t, []any{row.status, row.reason}, []any{result.Status, result.Termination.Reason})
			assert.NotEmpty(t, result.ExecutionID)
			assert.NotEmpty(t, result.Layers)
		})
	}
}
