package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestWrongUsageOfRun(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	good := program(t, "good.py", "print(1)")
	noEnding := program(t, "noending", "print(1)")
	missing := filepath.Join(t.TempDir(), "missing.py")
	empty := program(t, "empty.py", "")
	large := program(t, "large.py", strings.Repeat("#", policy.MaxCodeBytes+1))
	help := "\nhint: safe-exec run --help lists the flags"
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"an unknown language", []string{"--language", "ruby", good}, `unknown language "ruby"; there are python and javascript`},
		{"no ending and no language", []string{noEnding}, "no ending of " + noEnding + " tells the language: use --language python or --language javascript"},
		{"stdin without a language", []string{"-"}, "no ending of stdin tells the language: use --language python or --language javascript"},
		{"a file that is not there", []string{missing}, "open " + missing + ": no such file or directory"},
		{"a directory", []string{"--language", "py", "/"}, "read /: is a directory"},
		{"an empty program", []string{empty}, empty + " is empty"},
		{"a program that is no text", []string{program(t, "bad.py", "x = '\xff'")}, "code is not valid UTF-8"},
		{"a program above 1 MiB", []string{large}, large + " has more than 1048576 bytes, the maximum of code"},
		{"a time limit above the maximum", []string{"--timeout", "31s", good}, "--timeout is 31s, the maximum is 30s"},
		{"a time limit of zero", []string{"--timeout", "0", good}, "--timeout is 0s, the minimum is 1ms"},
		{"a time limit below a millisecond", []string{"--timeout", "10us", good}, "--timeout is 10µs, want whole milliseconds"},
		{"a time limit between two milliseconds", []string{"--timeout", "1500us", good}, "--timeout is 1.5ms, want whole milliseconds"},
		{"a negative time limit", []string{"--timeout", "-1s", good}, "--timeout is -1s, the minimum is 1ms"},
		{"a time limit without a unit", []string{"--timeout", "5", good}, `run: --timeout "5": want a duration with its unit, such as 3s or 500ms` + help},
		{"memory above the maximum", []string{"--memory", "1025", good}, "--memory is 1025, the maximum is 1024"},
		{"memory of zero", []string{"--memory", "0", good}, "--memory is 0, the minimum is "},
		{"denying what no policy lists", []string{"--deny", "json,randon", good}, `--deny: no policy of profile python lists a module "randon"`},
		{"denying where there is no list", []string{"--policy", "relaxed", "--deny", "json", good}, `policy "relaxed" has no list of imports to deny from`},
		{"denying nothing", []string{"--deny", "", good}, "run: --deny is empty" + help},
		{"an unknown policy", []string{"--policy", "none", good}, `unknown policy "none"; this profile has strict, standard, relaxed`},
		{"memory that is no whole number", []string{"--memory", "1.5", good}, `run: --memory "1.5": want a whole number` + help},
		{"memory in octal, which would be another number", []string{"--memory", "010", good}, "--memory is 10, the minimum is 32"},
		{"memory in hexadecimal", []string{"--memory", "0x40", good}, `run: --memory "0x40": want a whole number` + help},
		{"an unknown flag of two lines", []string{"--a\nb", good}, "run: unknown flag --a; b" + help},
		{"an unknown flag with a control character", []string{"--a\x1b[31m", good}, "run: unknown flag --a\ufffd[31m" + help},
		{"memory beyond all numbers", []string{"--memory", "99999999999999999999", good}, `run: --memory "99999999999999999999": the number does not fit 64 bits` + help},
		{"a switch with a value", []string{"--json=maybe", good}, `run: --json "maybe": want true or false, or no value` + help},
		{"a flag without its value", []string{"--timeout"}, "run: --timeout needs a value" + help},
		{"a flag behind the file", []string{good, "--json"}, "run: put flags before the file: --json (to pass it to the program, write: " + good + " -- --json)" + help},
		{"a flag behind an argument", []string{good, "a b", "-x", "c"}, "run: put flags before the file: -x (to pass it to the program, write: " + good + " -- \"a b\" -x ...)" + help},
		{"a double dash behind an argument", []string{good, "a", "--", "--verbose"}, "run: put -- directly after the file: " + good + " -- a --verbose" + help},
		{"files to where a file is", []string{"--out", good, good}, "--out " + good + ": " + good + ": not a directory\n"},
		{"files to below a file", []string{"--out", good + "/a/b", good}, "--out " + good + "/a/b: " + good + ": not a directory\n"},
		{"an argument that no program can have", []string{"--arg", "ok", good, "\xff"}, "--arg (number 2) is not valid UTF-8"},
		{"a path that leads out", []string{"--file", "../x=" + good, good}, "--file (number 1): a path has no component"},
		{"an unknown flag", []string{"--root", good}, "run: unknown flag --root" + help},
	} {
		for _, how := range []struct {
			name string
			args []string
		}{
			{"through the daemon", []string{"run", "--socket", d.socket}},
			{"without one", withoutDaemon(t)},
		} {
			t.Run(row.name+" "+how.name, func(t *testing.T) {
				got := invoke(t, append(how.args, row.args...)...)
				assert.Equal(t, 2, got.code)
				assert.Empty(t, got.stdout)
				assert.True(t, strings.HasPrefix(got.stderr, "safe-exec: "+row.want), got.stderr)
			})
		}
	}
}

func TestWrongUsageOfTheOthers(t *testing.T) {
	empty := program(t, "empty.yaml", "")
	for _, row := range []struct {
		name, want string
		args       []string
	}{
		{"no command", "usage: safe-exec COMMAND [FLAGS]\n", nil},
		{"an unknown command", "safe-exec: unknown command \"nope\"\nhint: safe-exec help lists the commands\n", []string{"nope"}},
		{"help of what there is not", "safe-exec: unknown command \"nope\"\nhint: safe-exec help lists the commands\n", []string{"help", "nope"}},
		{"version of something", "safe-exec: version: unexpected argument \"foo\"\n", []string{"version", "foo"}},
		{"a token without a name", "safe-exec: token new: the name must be ", []string{"token", "new"}},
		{"a token of two names", "safe-exec: token: unexpected argument \"b\"\n", []string{"token", "new", "a", "b"}},
		{"a token that is not to be new", "safe-exec: token: want new NAME\n", []string{"token", "a"}},
		{"a list of no jobs", "safe-exec: jobs list: --limit 0: want a number above 0\n", []string{"jobs", "list", "--limit", "0"}},
		{"a wait for no time", "safe-exec: jobs wait: --timeout -5s: want a duration above 0\n", []string{"jobs", "wait", "--timeout", "-5s", "job_1"}},
		{"serve with an argument", "safe-exec: serve: unexpected argument \"x\"\nhint: ", []string{"serve", "x"}},
		{"serve with an unknown flag", "safe-exec: serve: unknown flag --x\nhint: ", []string{"serve", "--x"}},
		{"serve with a flag of one dash", "safe-exec: serve: unknown flag -config; flags begin with two dashes\nhint: ", []string{"serve", "-config", "/nope"}},
		{"serve with a flag of one dash that begins as -h does", "safe-exec: serve: unknown flag -html; flags begin with two dashes\nhint: ", []string{"serve", "-html", "x"}},
		{"serve on an empty path, as of a variable that is not set", "safe-exec: serve: --socket is empty\nhint: ", []string{"serve", "--socket", ""}},
		{"jobs of two daemons", "safe-exec: jobs list: --socket and --url do not go together\nhint: ", []string{"jobs", "list", "--socket", "/s", "--url", "http://127.0.0.1:1"}},
		{"serve with a flag without a name", "safe-exec: serve: unknown flag --=x\nhint: ", []string{"serve", "--=x"}},
		{"serve with a configuration that is not there", "safe-exec: open /nope: no such file or directory\n", []string{"serve", "--config", "/nope"}},
		{"serve with a path that no socket can have", "safe-exec: socket is 108 bytes long, the kernel takes 107\n", []string{"serve", "--socket", "/" + strings.Repeat("x", 107)}},
		{"doctor with an argument", "safe-exec: doctor: unexpected argument \"x\"\nhint: ", []string{"doctor", "x"}},
		{"doctor with a configuration that is not there", "safe-exec: open /nope: no such file or directory\n", []string{"doctor", "--config", "/nope"}},
		{"bench without rounds", "safe-exec: bench: rounds and slice must be above 0", []string{"bench", "--rounds", "0"}},
		{"bench of a figure that there is not", "safe-exec: bench: there is no figure \"speed\"; there are hello, imports", []string{"bench", "--only", "hello,speed"}},
		{"bench of a language that there is not", "safe-exec: bench: there is no language \"ruby\"; there are python, javascript", []string{"bench", "--language", "ruby"}},
		{"bench against a sandbox that it does not know", "safe-exec: bench: there is no peer \"chroot\"; there are bwrap, nsjail", []string{"bench", "--compare", "chroot"}},
		{"bench of a soak without its length", "safe-exec: bench: the figure soak needs --soak N\n", []string{"bench", "--only", "soak"}},
		{"bench of a soak that --only leaves out", "safe-exec: bench: --soak N and --only without soak do not go together", []string{"bench", "--only", "hello", "--soak", "5"}},
		{"bench with more sleepers than there is room for", "safe-exec: bench: sleepers must be between 1 and 500\n", []string{"bench", "--sleepers", "501"}},
		{"policy of two daemons", "safe-exec: policy: --socket and --url do not go together\n", []string{"policy", "--socket", "/s", "--url", "http://127.0.0.1:1"}},
		{"policy with two formats", "safe-exec: policy: give --prompt or --json, one of the two\n", []string{"policy", "--prompt", "--json"}},
		{"policy of a language that there is not", "safe-exec: unknown language \"ruby\"; there are python and javascript\n", []string{"policy", "--language", "ruby"}},
		{"policy of a level that there is not", "safe-exec: no daemon listens on /nope: these rules are those of " + empty + "\nsafe-exec: unknown policy \"lax\"; this profile has strict, standard, relaxed\n",
			[]string{"policy", "--socket", "/nope", "--config", empty, "--level", "lax"}},
		{"run without a daemon, with a configuration that is not there", "safe-exec: open /nope: no such file or directory\n",
			[]string{"run", "--socket", "/nope", "--config", "/nope", program(t, "p.py", "print(1)")}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := invoke(t, row.args...)
			assert.Equal(t, 2, got.code)
			assert.Empty(t, got.stdout)
			assert.True(t, strings.HasPrefix(got.stderr, row.want), got.stderr)
		})
	}
}

func TestHelpThatWasAskedForIsOnStdout(t *testing.T) {
	for _, row := range []struct {
		args []string
		want []string
	}{
		{[]string{"help"}, []string{"serve", "run", "doctor", "bench"}},
		{[]string{"--help"}, []string{"serve", "run", "doctor", "bench"}},
		{[]string{"serve", "--help"}, []string{"--socket PATH", "--state-dir DIR", "--config FILE", "SIGTERM"}},
		{[]string{"version"}, []string{"safe-exec ", "go1.", "linux/"}},
		{[]string{"--version"}, []string{"safe-exec "}},
		{[]string{"audit", "verify", "--help"}, []string{"state_dir", "/broker/audit"}},
		{[]string{"run", "-h"}, []string{"[FILE|- [ARGUMENT...]]", "$SAFE_EXEC_SOCKET", "--language L", "--json", "--policy P", "--deny NAMES", "--check", "--timeout D", "--memory MB", "--stdin FILE", "--arg A", "--env NAME=VALUE", "--file [NAME=]PATH", "--out DIR", "--stream", "--async", "exit status: 0"}},
		{[]string{"jobs", "--help"}, []string{"list", "get", "wait", "cancel", "events", "exit status: 0"}},
		{[]string{"jobs", "wait", "--help"}, []string{"safe-exec jobs wait [FLAGS] ID", "--timeout D", "--out DIR", "--url URL", "exit status: 0", "124"}},
		{[]string{"help", "run"}, []string{"usage: safe-exec run ", "--language L", "exit status: 0", "2 wrong usage, or not allowed to this caller"}},
		{[]string{"help", "jobs", "wait"}, []string{"usage: safe-exec jobs wait ", "124"}},
		{[]string{"token", "new", "--help"}, []string{"usage: safe-exec token new NAME\n", "exit status: 0"}},
		{[]string{"doctor", "--help"}, []string{"--json", "exit status: 0"}},
		{[]string{"policy", "--help"}, []string{"--language L", "--level P", "--prompt", "--json", "exit status: 0"}},
		{[]string{"version", "--help"}, []string{"usage: safe-exec version\n", "exit status: 0"}},
		{[]string{"help", "version"}, []string{"usage: safe-exec version\n"}},
		{[]string{"audit", "--help"}, []string{"usage: safe-exec audit verify|show [FLAGS]\n", "safe-exec audit verify --help", "safe-exec audit show --help", "exit status: 0"}},
		{[]string{"bench", "--help"}, []string{"--rounds N", "--only FIGURES", "--compare PEERS", "--soak N", "--table FILE", "--json"}},
	} {
		t.Run(strings.Join(row.args, " "), func(t *testing.T) {
			got := invoke(t, row.args...)
			assert.Zero(t, got.code)
			assert.Empty(t, got.stderr)
			for _, want := range row.want {
				assert.Contains(t, got.stdout, want)
			}
		})
	}
}

func TestEveryHelpHasTheExitStatuses(t *testing.T) {
	for _, c := range commands() {
		got := invoke(t, c.name, "--help")
		assert.Zero(t, got.code, c.name)
		assert.Contains(t, got.stdout, "exit status: ", c.name)
	}
	for _, command := range [][]string{{"run"}, {"policy"}, {"jobs"}, {"jobs", "list"}, {"jobs", "wait"}} {
		assert.Contains(t, invoke(t, append(command, "--help")...).stdout, "125 safe-exec failed or has no room for this caller now", command)
	}
}

func TestHelpOfJobsHasTheExitStatusesOfThatCommandAlone(t *testing.T) {
	for command, has := range map[string][2]bool{ // that of a program, that of a time-out
		"list": {false, false}, "get": {false, false}, "cancel": {false, false}, "events": {true, false}, "wait": {true, true},
	} {
		got := invoke(t, "jobs", command, "--help").stdout
		assert.Equal(t, has[0], strings.Contains(got, "3 a limit"), got)
		assert.Equal(t, has[1], strings.Contains(got, "124"), got)
	}
}

// A job that would be refused must be refused while its caller is listening.
func TestAJobOverALimitIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	caller := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", d.socket)
	}}}
	defer caller.CloseIdleConnections()
	body := []byte(`{"language":"python","code":"print(1)","limits":{"timeout_ms":30001}}`)
	reply, err := caller.Post("http://x/v1/tools/safe-exec/async", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	var problem struct {
		Field   string
		Maximum int64
	}
	require.NoError(t, json.Unmarshal(text, &problem))
	assert.Equal(t, http.StatusUnprocessableEntity, reply.StatusCode)
	assert.Equal(t, "limits.timeout_ms", problem.Field)
	assert.EqualValues(t, 30000, problem.Maximum)
}
