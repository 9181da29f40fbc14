package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
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
			_, _ = io.WriteString(w, `{}`)
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

// refused is the error of a job whose limit was lowered before it ran.
const refused = `,"error":{"type":"urn:safe-exec:problem:too_large","title":"t","code":"too_large","status":422,"detail":"limits.timeout_ms is 3000, the maximum is 2000","field":"limits.timeout_ms","predicate":"is 3000, the maximum is 2000","value":3000,"maximum":2000}`

func TestAJobThatWasRefusedIsPrintedAsTheAPISaysIt(t *testing.T) {
	d := fakeDaemon(t, answer{200, job("error", refused)})
	got := invoke(t, "jobs", "wait", "--json", "--socket", d.socket, "job_1")
	assert.Equal(t, 2, got.code, "as without --json")
	var printed struct{ Error map[string]any }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &printed))
	assert.Equal(t, "limits.timeout_ms", printed.Error["field"])
	assert.InDelta(t, 3000, printed.Error["value"], 0)
	assert.InDelta(t, 2000, printed.Error["maximum"], 0)
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
		{"wait for one that takes longer is 124", []string{"wait", "--timeout", "1ms", "job_1"}, []answer{{200, job("running", "")}, {200, job("running", "")}},
			outcome{124, "", "safe-exec: job job_1 has not finished within 1ms; it goes on\n"}, nil},
		{"wait names files that it does not keep", []string{"wait", "job_1"}, []answer{{200, job("succeeded", `,"result":{"status":"succeeded","files":[{"path":"a.png","text":""}]}`)}},
			outcome{0, "", "safe-exec: files came back and were not kept: a.png\nhint: --out DIR writes them\n"}, []string{"GET /v1/jobs/job_1?wait=25s"}},
		{"wait for one that we lost is 125", []string{"wait", "job_1"}, []answer{{200, job("error", `,"error":{"code":"setup_error","status":503,"step":"pivot","detail":"no jail"}`)}},
			outcome{125, "", "safe-exec: setup_error: no jail (step pivot)\n"}, []string{"GET /v1/jobs/job_1?wait=25s"}},
		{"get of one that was refused says why", []string{"get", "job_1"}, []answer{{200, job("error", refused)}},
			outcome{0, "error\n", "safe-exec: --timeout is 3s, the maximum is 2s\n"}, []string{"GET /v1/jobs/job_1"}},
		{"wait for one that was refused is 2", []string{"wait", "job_1"}, []answer{{200, job("error", refused)}},
			outcome{2, "", "safe-exec: --timeout is 3s, the maximum is 2s\n"}, nil},
		{"events are printed as they come", []string{"events", "job_1"}, []answer{{200, stream + badEnd}},
			outcome{1, "1\n", "oh\nsafe-exec: failed: exception\nhint: h\n"}, []string{"GET /v1/jobs/job_1/events"}},
		{"events as JSON are a line each", []string{"events", "--json", "--after", "1.4", "job_1"}, []answer{{200, goodEnd}},
			outcome{0, `{"id":"1.5","event":"result","data":` + okResult + "}\n" + `{"id":"1.6","event":"done","data":{"status":"succeeded"}}` + "\n", ""}, []string{"GET /v1/jobs/job_1/events"}},
		{"events say where an attempt begins anew", []string{"events", "job_1"}, []answer{{200, stream + "id: 2.1\nevent: started\ndata: {\"attempt\":2}\n\n" + "id: 2.2\nevent: stdout\ndata: {\"text\":\"1\\n\"}\n\n" + goodEnd}},
			outcome{0, "1\n1\n", "oh\nsafe-exec: attempt 2: the one before was cut off, and the output begins anew\n"}, []string{"GET /v1/jobs/job_1/events"}},
		{"events name the files that a wait would write", []string{"events", "job_1"}, []answer{{200, "id: 1.5\nevent: result\ndata: {\"status\":\"succeeded\",\"files\":[{\"path\":\"a.png\",\"text\":\"\"}]}\n\nid: 1.6\nevent: done\ndata: {}\n\n"}},
			outcome{0, "", "safe-exec: files came back and were not kept: a.png\nhint: safe-exec jobs wait --out DIR job_1 writes them\n"}, nil},
		{"events of no job is 1", []string{"events", "job_1"}, []answer{notFound}, outcome{1, "", "safe-exec: there is no such job\n"}, []string{"GET /v1/jobs/job_1/events"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := fakeDaemon(t, row.answers...)
			line := append([]string{"jobs", row.args[0], "--socket", d.socket}, row.args[1:]...)
			assert.Equal(t, row.want, invoke(t, line...))
			if row.asked != nil {
				assert.Equal(t, row.asked, d.seen)
			}
		})
	}
}

func TestWhoIsInterruptedIsToldThatTheJobGoesOn(t *testing.T) {
	for _, command := range []string{"wait", "events"} {
		asked := make(chan struct{})
		d := newSocket(t)
		ln, err := net.Listen("unix", d)
		require.NoError(t, err)
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/healthz" {
				_, _ = io.WriteString(w, "{}")
			} else {
				close(asked)
				<-r.Context().Done()
			}
		})}
		go func() { _ = server.Serve(ln) }()
		var errs bytes.Buffer
		cmd := exec.Command(binary, "jobs", command, "--socket", d, "job_1")
		cmd.Stderr = &errs
		require.NoError(t, cmd.Start())
		<-asked
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait()
		assert.Equal(t, 125, cmd.ProcessState.ExitCode())
		assert.Equal(t, "safe-exec: interrupted; job job_1 goes on\n", errs.String())
		require.NoError(t, server.Close())
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
		{"a flag behind the id", "safe-exec: jobs get: flags come first: --json\nhint: ", []string{"get", "a", "--json"}},
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
