package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInputsOfRun(t *testing.T) {
	csv := program(t, "in.csv", "a,1\n")
	py := program(t, "p.py", "1")
	const head = `POST /v1/tools/safe-exec {"language":"python","code":"1","limits":{}`
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing, and files come back to be named", nil, head + `}`},
		{"arguments and environment", []string{"--arg", "-v", "--arg", "b c", "--env", "A=1=2", "--env", "B="}, head + `,"args":["-v","b c"],"env":{"A":"1=2","B":""}}`},
		{"files", []string{"--file", csv, "--file", "d/x.csv=" + csv}, head + `,"files":[{"path":"in.csv","content_base64":"YSwxCg=="},{"path":"d/x.csv","content_base64":"YSwxCg=="}]}`},
		{"stdin from a file", []string{"--stdin", csv}, head + `,"stdin":"a,1\n"}`},
		{"stdin of its own", []string{"--stdin", "-"}, head + `,"stdin":"typed"}`},
		{"files out, all", []string{"--out", t.TempDir()}, head + `}`},
		{"files out, some", []string{"--collect", "*.png", "--out", t.TempDir()}, head + `,"collect":["*.png"]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := fakeDaemon(t, answer{200, okResult})
			line := append(append([]string{"run", "--socket", d.socket}, row.args...), py)
			typed := ""
			if strings.Contains(row.want, "typed") {
				typed = "typed"
			}
			assert.Equal(t, outcome{0, "1\n", ""}, invokeAs(t, nil, typed, line...))
			assert.Equal(t, []string{row.want}, d.seen)
		})
	}
	for _, row := range []struct {
		name, want string
		args       []string
	}{
		{"two who want stdin", "run: --stdin - and a program from stdin: only one of the two can have it", []string{"--stdin", "-", "--language", "py", "-"}},
		{"a variable without a value", "--env A: want NAME=VALUE", []string{"--env", "A", py}},
		{"a file that is not there", "open /nope: no such file or directory", []string{"--file", "a=/nope", py}},
		{"more than may go in", "/dev/zero: stdin and files come to more than 2097152 bytes, the maximum of a request", []string{"--file", "/dev/zero", py}},
		{"a stream of a job", "run: --stream and --async do not go together", []string{"--stream", "--async", py}},
		{"files of a job", "run: --async and --out do not go together; safe-exec jobs wait has --out", []string{"--async", "--out", "x", py}},
		{"a key of no job", "run: --key is for --async", []string{"--key", "x", py}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := invoke(t, append([]string{"run"}, row.args...)...)
			assert.Equal(t, outcome{2, "", "safe-exec: " + row.want + "\n"}, got)
		})
	}
}

func TestRunStreamsAndSubmits(t *testing.T) {
	py := program(t, "p.py", "1")
	d := fakeDaemon(t, answer{200, stream + badEnd})
	assert.Equal(t, outcome{1, "1\n", "oh\nsafe-exec: failed: exception\nhint: h\n"}, invoke(t, "run", "--socket", d.socket, "--stream", py))
	assert.True(t, strings.HasPrefix(d.seen[0], "POST /v1/tools/safe-exec?stream=1 "), d.seen)
	d = fakeDaemon(t, answer{202, job("queued", "")}, answer{422, `{"code":"conflict","field":"Idempotency-Key","predicate":"was used before","detail":"Idempotency-Key was used before"}`},
		answer{429, `{"code":"busy","detail":"the queue of jobs is full"}`})
	assert.Equal(t, outcome{0, "job_1\n", ""}, invoke(t, "run", "--socket", d.socket, "--async", py))
	assert.Equal(t, outcome{2, "", "safe-exec: --key was used before\n"}, invoke(t, "run", "--socket", d.socket, "--async", "--key", "k", py))
	got := invoke(t, "run", "--socket", d.socket, "--async", py)
	assert.Equal(t, 125, got.code)
	assert.True(t, strings.HasPrefix(got.stderr, "safe-exec: the queue of jobs is full\n"), got.stderr)
	assert.True(t, strings.HasPrefix(d.seen[0], "POST /v1/tools/safe-exec/async "), d.seen)
}

func TestFilesThatComeBack(t *testing.T) {
	py := program(t, "p.py", "1")
	const good = `{"path":"d/a.txt","size":1,"text":"2"},{"path":"b","size":1,"content_base64":"/w=="}`
	for _, row := range []struct {
		name, files string
		prepare     func(t *testing.T, dir string)
		args        []string
		status      int
		stderr      string // DIR stands for the directory
		left        map[string]string
	}{
		{"are written", good, nil, nil, 0, "", map[string]string{"d/a.txt": "2", "b": "\xff"}},
		{"are not written over others", good, func(t *testing.T, dir string) { write(t, dir, "b", "1") }, nil, 125, "safe-exec: DIR/b is there already; --force writes over it\nsafe-exec: 1 of 2 files not written; the program itself: succeeded\n", map[string]string{"b": "1", "d/a.txt": "2"}},
		{"one that is not keeps no other from it", `{"path":"a/x","text":"1"},{"path":"b","text":"2"},{"path":"a","text":"3"},{"path":"c","text":"4"}`,
			func(t *testing.T, dir string) { write(t, dir, "a", "0") }, nil, 125,
			"safe-exec: write DIR/a/x: mkdir a: not a directory\nsafe-exec: DIR/a is there already; --force writes over it\nsafe-exec: 2 of 4 files not written; the program itself: succeeded\n",
			map[string]string{"a": "0", "b": "2", "c": "4"}},
		{"but with --force", good, func(t *testing.T, dir string) { write(t, dir, "b", "1") }, []string{"--force"}, 0, "", map[string]string{"b": "\xff", "d/a.txt": "2"}},
		{"a link is replaced and not followed", good, func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink(filepath.Join(dir, "d", "other"), filepath.Join(dir, "b")))
			write(t, dir, "d/other", "1")
		}, []string{"--force"}, 0, "", map[string]string{"b": "\xff", "d/a.txt": "2", "d/other": "1"}},
		{"a directory that leads out is refused", `{"path":"d/a","text":"2"}`, func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, "d")))
		}, []string{"--force"}, 125, "safe-exec: write DIR/d/a: ", map[string]string{}},
		{"a name that leads out writes nothing at all", good + `,{"path":"../x","text":"2"}`, nil, []string{"--force"}, 125, "safe-exec: the program named a file \"../x\", which is not written; nothing was\n", map[string]string{}},
		{"so does an absolute one", good + `,{"path":"/etc/x","text":"2"}`, nil, nil, 125, "safe-exec: the program named a file \"/etc/x\"", map[string]string{}},
		{"so does one with a line in it", good + `,{"path":"a\nb","text":"2"}`, nil, nil, 125, "safe-exec: the program named a file \"a\\nb\"", map[string]string{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			if row.prepare != nil {
				row.prepare(t, dir)
			}
			d := fakeDaemon(t, answer{200, `{"status":"succeeded","stdout":"1\n","files":[` + row.files + `]}`})
			got := invoke(t, append(append([]string{"run", "--socket", d.socket, "--out", dir}, row.args...), py)...)
			assert.Equal(t, row.status, got.code)
			assert.Equal(t, "1\n", got.stdout, "what it printed is printed all the same")
			assert.True(t, strings.HasPrefix(got.stderr, strings.ReplaceAll(row.stderr, "DIR", dir)), got.stderr)
			left := map[string]string{}
			require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() {
					text, _ := os.ReadFile(path)
					name, _ := filepath.Rel(dir, path)
					left[name] = string(text)
				}
				return err
			}))
			assert.Equal(t, row.left, left)
		})
	}
	d := fakeDaemon(t, answer{200, `{"status":"succeeded","files":[],"files_skipped":[{"path":"a\u001b","reason":"a link"}]}`})
	assert.Equal(t, outcome{0, "", "safe-exec: a\ufffd did not come back: a link\n"}, invoke(t, "run", "--socket", d.socket, "--out", t.TempDir(), py))
}

// A program that has run in vain is too late to say it.
func TestWhereFilesCannotGoIsSaidBeforeAnythingRuns(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	write(t, dir, "file", "1")
	require.NoError(t, os.Symlink("nothing", filepath.Join(dir, "link")))
	for _, row := range []struct {
		name, out, want string
		as              *syscall.Credential
	}{
		{"a file", "DIR/file", "DIR/file: not a directory", nil},
		{"below a file", "DIR/file/a/b", "DIR/file: not a directory", nil},
		{"a link to nothing", "DIR/link", "DIR/link is a link to what is not there", nil},
		{"where this user may not write", "/etc/a/b", "/etc: permission denied", nobody(0)},
	} {
		for _, command := range [][]string{{"run", "--language", "py", "-"}, {"jobs", "wait", "job_1"}} {
			t.Run(row.name+" "+command[0], func(t *testing.T) {
				d := fakeDaemon(t)
				require.NoError(t, os.Chmod(d.socket, 0o666))
				at, out := 1, strings.ReplaceAll(row.out, "DIR", dir)
				if command[0] == "jobs" {
					at = 2
				}
				line := slices.Concat(command[:at], []string{"--socket", d.socket, "--out", out}, command[at:])
				want := "safe-exec: --out " + out + ": " + strings.ReplaceAll(row.want, "DIR", dir) + "\n"
				assert.Equal(t, outcome{2, "", want}, invokeAs(t, row.as, "1", line...))
				assert.Empty(t, d.seen)
			})
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

func TestArgumentsBehindTheFileAreTheProgramsOwn(t *testing.T) {
	py := program(t, "p.py", "1")
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"words", []string{py, "a", "b c"}, `"args":["a","b c"]`},
		{"behind those of --arg", []string{"--arg", "-v", py, "a"}, `"args":["-v","a"]`},
		{"those with a dash behind a double one", []string{py, "--", "--json", "--"}, `"args":["--json","--"]`},
		{"a dash alone", []string{py, "-"}, `"args":["-"]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := fakeDaemon(t, answer{200, okResult})
			assert.Equal(t, outcome{0, "1\n", ""}, invoke(t, append([]string{"run", "--socket", d.socket}, row.args...)...))
			assert.Contains(t, d.seen[0], row.want)
		})
	}
}

// What is about to be lost is said: files that came back, and what was piped in.
func TestWhatIsDroppedIsSaid(t *testing.T) {
	py := program(t, "p.py", "1")
	const files = `{"status":"succeeded","files":[{"path":"a.png","text":""},{"path":"d/b\u001b","text":""},{"path":"c","text":""},{"path":"d","text":""},{"path":"e","text":""},{"path":"f","text":""}]}`
	const dropped = "safe-exec: files came back and were not kept: a.png, d/b\ufffd, c, d, e and 1 more\nhint: --out DIR writes them\n"
	const unread = "safe-exec: what came on standard input was not given to the program\nhint: --stdin - gives it\n"
	for _, row := range []struct {
		name, result, stdin string
		args                []string
		stderr              string
	}{
		{"files", files, "", []string{py}, dropped},
		{"files that --collect asks for", files, "", []string{"--collect", "*.png", py}, dropped},
		{"files that --out writes", `{"status":"succeeded","files":[]}`, "", []string{"--out", t.TempDir(), py}, ""},
		{"what was typed", okResult, "typed", []string{py}, unread},
		{"what was typed beside a result object", okResult, "typed", []string{"--json", py}, unread},
		{"what was typed beside a job", `{"job_id":"job_1","status":"queued"}`, "typed", []string{"--async", py}, unread},
		{"what was typed and given", okResult, "typed", []string{"--stdin", "-", py}, ""},
		{"a program that was typed", okResult, "1", []string{"--language", "python", "-"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := fakeDaemon(t, answer{200, row.result})
			got := invokeAs(t, nil, row.stdin, append([]string{"run", "--socket", d.socket}, row.args...)...)
			assert.Zero(t, got.code)
			assert.Equal(t, row.stderr, got.stderr)
		})
	}
	d := fakeDaemon(t, answer{200, files})
	got := invoke(t, "run", "--socket", d.socket, "--json", py)
	assert.Empty(t, got.stderr, "the result object has the files")
	assert.Contains(t, got.stdout, "a.png")
}
