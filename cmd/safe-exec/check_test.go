package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestProgramsThatAreOnlyChecked(t *testing.T) {
	t.Parallel()
	d := startAlone(t)
	for _, row := range []struct {
		name, file, code string
		flags            []string
		status           int
		stdout           string // FILE stands for the file's path
		hint             bool
	}{
		{"one that would run is 0 and says what it imports", "p.py", "import re, json\nprint('ran')", nil, 0, "FILE: would run under policy strict; imports json, re\n", false},
		{"one without imports says so", "p.py", "while True: pass", nil, 0, "FILE: would run under policy strict; no imports\n", false},
		{"one in JavaScript", "p.js", "console.log(1)", nil, 0, "FILE: would run under policy strict; no imports\n", false},
		{"one that the policy refuses is 3, a line for each place", "p.py", "import os\nx = open('a')\n", nil, 3,
			"FILE:1:8: module os is blocked...\nFILE:2:5: open is blocked...\n", true},
		{"one that writes a line of its own into a message does not", "p.js", "require('a\\nFILE:1:1: all is well')", nil, 3, "FILE:1:1: ...\n", true},
		{"one that --deny refuses is 3", "p.py", "import random", []string{"--deny", "json,random"}, 3, "FILE:1:8: module random is denied by the request itself...\n", true},
		{"one that is no program is 1", "p.py", "x = (", nil, 1, "FILE:1:5: ...\n", true},
	} {
		for _, how := range []struct {
			name string
			args []string
		}{
			{"through the daemon", []string{"run", "--socket", d.socket}},
			{"without one", withoutDaemon(t)},
		} {
			t.Run(row.name+" "+how.name, func(t *testing.T) {
				file := program(t, row.file, row.code)
				got := invoke(t, append(append(how.args, row.flags...), "--check", file)...)
				assert.Equal(t, row.status, got.code, got.stderr)
				want, lines := strings.SplitAfter(row.stdout, "\n"), strings.SplitAfter(got.stdout, "\n")
				require.Len(t, lines, len(want), got.stdout)
				for i := range want {
					begin, _, open := strings.Cut(strings.ReplaceAll(want[i], "FILE", file), "...")
					if open {
						assert.True(t, strings.HasPrefix(lines[i], begin), lines[i])
					} else {
						assert.Equal(t, begin, lines[i])
					}
				}
				assert.Equal(t, row.hint, strings.HasPrefix(got.stderr, "hint: "), got.stderr)
			})
		}
	}
	without(t, d.wholeLog(t), "random is ") // a program's mistakes are its caller's
}

func TestACheckAsJSONIsTheCheckAndNothingElse(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	got := invokeAs(t, nil, "import os", "run", "--socket", d.socket, "--language", "py", "--check", "--json", "-")
	assert.Equal(t, 3, got.code)
	assert.Empty(t, got.stderr)
	var checked policy.CheckResult
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &checked))
	assert.False(t, checked.WouldRun)
	assert.Equal(t, "os", checked.Violations[0].Name)
	assert.EqualValues(t, 5000, checked.LimitsApplied.TimeoutMS)
}

func TestPolicyIsToldWithAndWithoutADaemon(t *testing.T) {
	t.Parallel()
	d, empty := common.daemon(t), program(t, "empty.yaml", "")
	for _, row := range []struct {
		name string
		args []string
		has  []string
	}{
		{"the default for people", nil, []string{"python, policy strict\n", "imports: json, math, ", "blocked names: eval, exec, ", "- Only these modules can be imported: json"}},
		{"another level", []string{"--level", "standard"}, []string{"python, policy standard\n", "decimal", "only with constant names: getattr, setattr\n"}},
		{"another language", []string{"--language", "js"}, []string{"javascript, policy strict\n", "string_decoder"}},
		{"a paragraph for a prompt", []string{"--prompt"}, []string{"You write Python 3.", "json.dumps"}},
		{"JSON", []string{"--json"}, []string{`"name": "strict"`, `"default": true`, `"interpreter_version": "3.`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			there := invoke(t, append([]string{"policy", "--socket", d.socket}, row.args...)...)
			here := invoke(t, append([]string{"policy", "--socket", "/nope", "--config", empty}, row.args...)...)
			assert.Equal(t, "safe-exec: no daemon listens on /nope: these rules are those of "+empty+"\n", here.stderr)
			here.stderr = ""
			assert.Equal(t, there, here)
			assert.Zero(t, here.code, here.stderr)
			for _, want := range row.has {
				assert.Contains(t, here.stdout, want)
			}
		})
	}
}

func TestCallersHaveCeilings(t *testing.T) {
	t.Parallel()
	const group, agent = "daemon", 1 // a group that every distribution has
	d := startAlone(t, fmt.Sprintf(`
group: %s
callers:
  - {gid: %d, level: tiny}
  - {uid: 0, level: standard}
profiles:
  python: {levels: {tiny: {extends: strict, remove: {imports: [random]}}}}
  javascript: {levels: {tiny: {imports: [url]}}}
`, group, agent))
	py := program(t, "p.py", "print(1)")
	require.NoError(t, os.Chmod(strings.TrimSuffix(py, "/p.py"), 0o755))
	for _, row := range []struct {
		name string
		as   *syscall.Credential
		args []string
		want outcome
	}{
		{"root, who is named, at his ceiling", nil, []string{"run", "--policy", "standard", py}, outcome{0, "1\n", ""}},
		{"root above his ceiling", nil, []string{"run", "--policy", "relaxed", py},
			outcome{2, "", "safe-exec: --policy \"relaxed\" allows more than \"standard\", the widest that this caller may ask for\n"}},
		{"a group whose ceiling is below the default, and who asks for nothing", nobody(agent), []string{"policy", "--json"}, outcome{0, "\"name\": \"tiny\"", ""}},
		{"the same above its ceiling", nobody(agent), []string{"run", "--language", "py", "--policy", "strict", "-"},
			outcome{2, "", "safe-exec: --policy \"strict\" allows more than \"tiny\", the widest that this caller may ask for\n"}},
		{"a check above the ceiling", nobody(agent), []string{"run", "--language", "py", "--policy", "strict", "--check", "-"},
			outcome{2, "", "safe-exec: --policy \"strict\" allows more than \"tiny\", the widest that this caller may ask for\n"}},
		{"what the ceiling leaves out", nobody(agent), []string{"run", "--language", "py", "--check", "-"}, outcome{3, "stdin:1:8: module random is", "hint: "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			args := append([]string{row.args[0], "--socket", d.socket}, row.args[1:]...)
			got := invokeAs(t, row.as, "import random", args...)
			assert.Equal(t, row.want.code, got.code)
			assert.Contains(t, got.stdout, row.want.stdout)
			assert.Contains(t, got.stderr, row.want.stderr)
		})
	}
}
