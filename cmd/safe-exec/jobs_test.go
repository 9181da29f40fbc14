package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script stands where a daemon would: it answers /healthz, and everything else
// with these replies, in their order.
type script struct {
	socket string
	mu     sync.Mutex
	seen   []string // method, target and body
}

type answer struct {
	status int
	body   string
}

const problemType = "application/problem+json"

func fakeDaemon(t *testing.T, answers ...answer) *script {
	t.Helper()
	s := &script{socket: newSocket(t)}
	ln, err := net.Listen("unix", s.socket)
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" {
			_, _ = io.WriteString(w, `{"status":"ok"}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen = append(s.seen, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		if !assert.NotEmpty(t, answers, "no answer is left") {
			return
		}
		a := answers[0]
		answers = answers[1:]
		switch {
		case a.status >= 400:
			w.Header().Set("Content-Type", problemType)
		case strings.HasPrefix(a.body, "id: "):
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	})}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	return s
}

const (
	okResult  = `{"status":"succeeded","stdout":"1\n","termination":{"reason":"completed"}}`
	badResult = `{"status":"failed","stderr":"oh","termination":{"reason":"exception","hint":"h"}}`
	stream    = "id: 1.1\nevent: queued\ndata: {}\n\nid: 1.2\nevent: started\ndata: {\"attempt\":1}\n\n" +
		"id: 1.3\nevent: stdout\ndata: {\"text\":\"1\\n\"}\n\nid: 1.4\nevent: stderr\ndata: {\"text\":\"oh\"}\n\n"
	goodEnd = "id: 1.5\nevent: result\ndata: " + okResult + "\n\nid: 1.6\nevent: done\ndata: {\"status\":\"succeeded\"}\n\n"
	badEnd  = "id: 1.5\nevent: result\ndata: " + badResult + "\n\nid: 1.6\nevent: done\ndata: {\"status\":\"failed\"}\n\n"
)

func job(status, rest string) string {
	return `{"job_id":"job_1","status":"` + status + `"` + rest + `}`
}

func TestJobsCommands(t *testing.T) {
	notFound := answer{404, `{"code":"not_found","detail":"there is no such job"}`}
	for _, row := range []struct {
		name    string
		args    []string
		answers []answer
		want    outcome
		asked   []string
	}{
		{"list asks for all pages", []string{"list"}, []answer{{200, `{"jobs":[{"job_id":"b","status":"queued","created_at":"2030-01-02T03:04:05Z"}],"next":"n"}`},
			{200, `{"jobs":[{"job_id":"a","status":"succeeded","created_at":"2030-01-01T00:00:00Z"}]}`}},
			outcome{0, "b  queued     2030-01-02T03:04:05Z\na  succeeded  2030-01-01T00:00:00Z\n", ""}, []string{"GET /v1/jobs", "GET /v1/jobs?after=n"}},
		{"list of one state, and no more than wanted", []string{"list", "--status", "queued", "--limit", "1", "--json"}, []answer{{200, `{"jobs":[{"job_id":"b","status":"queued","attempt":1},{"job_id":"a"}],"next":"n"}`}},
			outcome{0, "[\n  {\n    \"job_id\": \"b\",\n    \"status\": \"queued\",\n    \"attempt\": 1\n  }\n]\n", ""}, []string{"GET /v1/jobs?status=queued"}},
		{"list of none", []string{"list", "--json"}, []answer{{200, `{"jobs":[]}`}}, outcome{0, "[]\n", ""}, []string{"GET /v1/jobs"}},
		{"get says the status", []string{"get", "job_1"}, []answer{{200, job("running", "")}}, outcome{0, "running\n", ""}, []string{"GET /v1/jobs/job_1"}},
		{"get of a job that failed has its hint and is no failure", []string{"get", "job_1"}, []answer{{200, job("failed", `,"result":`+badResult)}},
			outcome{0, "failed\n", "hint: h\n"}, []string{"GET /v1/jobs/job_1"}},
		{"get of no job is 1", []string{"get", "job_1"}, []answer{notFound}, outcome{1, "", "safe-exec: there is no such job\n"}, []string{"GET /v1/jobs/job_1"}},
		{"cancel says what became of it", []string{"cancel", "job_1"}, []answer{{200, job("cancelled", "")}}, outcome{0, "cancelled\n", ""}, []string{"DELETE /v1/jobs/job_1"}},
		{"wait prints as run does", []string{"wait", "job_1"}, []answer{{200, job("running", "")}, {200, job("succeeded", `,"result":`+okResult)}},
			outcome{0, "1\n", ""}, []string{"GET /v1/jobs/job_1?wait=25s", "GET /v1/jobs/job_1?wait=25s"}},
		{"wait for one that failed is 1", []string{"wait", "job_1"}, []answer{{200, job("failed", `,"result":`+badResult)}},
			outcome{1, "", "oh\nsafe-exec: failed: exception\nhint: h\n"}, []string{"GET /v1/jobs/job_1?wait=25s"}},
		{"wait for one that we lost is 125", []string{"wait", "job_1"}, []answer{{200, job("error", `,"error":{"code":"setup_error","status":503,"step":"pivot","detail":"no jail"}`)}},
			outcome{125, "", "safe-exec: setup_error: no jail (step pivot)\n"}, []string{"GET /v1/jobs/job_1?wait=25s"}},
		{"events are printed as they come", []string{"events", "job_1"}, []answer{{200, stream + badEnd}},
			outcome{1, "1\n", "oh\nsafe-exec: failed: exception\nhint: h\n"}, []string{"GET /v1/jobs/job_1/events"}},
		{"events as JSON are a line each", []string{"events", "--json", "--after", "1.4", "job_1"}, []answer{{200, goodEnd}},
			outcome{0, `{"id":"1.5","event":"result","data":` + okResult + "}\n" + `{"id":"1.6","event":"done","data":{"status":"succeeded"}}` + "\n", ""}, []string{"GET /v1/jobs/job_1/events"}},
		{"events of no job is 1", []string{"events", "job_1"}, []answer{notFound}, outcome{1, "", "safe-exec: there is no such job\n"}, []string{"GET /v1/jobs/job_1/events"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := fakeDaemon(t, row.answers...)
			line := append([]string{"jobs", row.args[0], "--socket", d.socket}, row.args[1:]...)
			assert.Equal(t, row.want, invoke(t, line...))
			assert.Equal(t, row.asked, d.seen)
		})
	}
}

func TestWrongUsageOfJobs(t *testing.T) {
	for _, row := range []struct {
		name, want string
		args       []string
	}{
		{"no command", "safe-exec: jobs: there is no command\nhint: ", nil},
		{"an unknown one", "safe-exec: jobs: unknown command \"kill\"\nhint: ", []string{"kill"}},
		{"no id", "safe-exec: jobs get: which job? give its id\nhint: ", []string{"get"}},
		{"two ids", "safe-exec: jobs get: unexpected argument \"b\"\nhint: safe-exec jobs get --help", []string{"get", "a", "b"}},
		{"an id of a list", "safe-exec: jobs list: unexpected argument \"a\"\nhint: ", []string{"list", "a"}},
		{"a url in the clear", "safe-exec: example.org is not this machine: ", []string{"list", "--url", "http://example.org"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := invoke(t, append([]string{"jobs"}, row.args...)...)
			assert.Equal(t, 2, got.code)
			assert.Empty(t, got.stdout)
			assert.True(t, strings.HasPrefix(got.stderr, row.want), got.stderr)
		})
	}
	got := invoke(t, "jobs", "list", "--socket", "/nope/s")
	assert.Equal(t, 125, got.code)
	assert.Contains(t, got.stderr, "no daemon answers on /nope/s: no such file or directory")
}

func TestInputsOfRun(t *testing.T) {
	csv := program(t, "in.csv", "a,1\n")
	py := program(t, "p.py", "1")
	const head = `POST /v1/tools/safe-exec {"language":"python","code":"1","limits":{}`
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing, and nothing comes back", nil, head + `,"collect":[]}`},
		{"arguments and environment", []string{"--arg", "-v", "--arg", "b c", "--env", "A=1=2", "--env", "B="}, head + `,"args":["-v","b c"],"env":{"A":"1=2","B":""},"collect":[]}`},
		{"files", []string{"--file", csv, "--file", "d/x.csv=" + csv}, head + `,"files":[{"path":"in.csv","content_base64":"YSwxCg=="},{"path":"d/x.csv","content_base64":"YSwxCg=="}],"collect":[]}`},
		{"stdin from a file", []string{"--stdin", csv}, head + `,"stdin":"a,1\n","collect":[]}`},
		{"stdin of its own", []string{"--stdin", "-"}, head + `,"stdin":"typed","collect":[]}`},
		{"files out, all", []string{"--out", t.TempDir()}, head + `}`},
		{"files out, some", []string{"--collect", "*.png", "--out", t.TempDir()}, head + `,"collect":["*.png"]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := fakeDaemon(t, answer{200, okResult})
			line := append(append([]string{"run", "--socket", d.socket}, row.args...), py)
			assert.Equal(t, outcome{0, "1\n", ""}, invokeAs(t, nil, "typed", line...))
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
	d = fakeDaemon(t, answer{202, job("queued", "")}, answer{422, `{"code":"conflict","detail":"another request has this Idempotency-Key"}`},
		answer{429, `{"code":"busy","detail":"the queue of jobs is full"}`})
	assert.Equal(t, outcome{0, "job_1\n", ""}, invoke(t, "run", "--socket", d.socket, "--async", py))
	assert.Equal(t, outcome{2, "", "safe-exec: another request has this Idempotency-Key\n"}, invoke(t, "run", "--socket", d.socket, "--async", "--key", "k", py))
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
		{"are not written over others", good, func(t *testing.T, dir string) { write(t, dir, "b", "1") }, nil, 125, "safe-exec: DIR/b is there already; --force writes over it\n", map[string]string{"b": "1", "d/a.txt": "2"}},
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

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}
