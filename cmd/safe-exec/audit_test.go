package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/ledger"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// audited is a ledger of two callers' runs.
func audited(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	l, err := ledger.Open(ledger.Config{Dir: dir})
	require.NoError(t, err)
	for i := range 4 {
		require.NoError(t, l.Append(observe.Run{
			Caller: policy.Caller{Local: true, UID: uint32(1000 + i%2)}, Finished: time.Now().Add(time.Duration(i-3) * time.Hour),
			Program: observe.ProgramOf(policy.Request{Language: "py", Code: fmt.Sprint(i)}), Result: &policy.Result{Status: policy.Failed},
		}))
	}
	require.NoError(t, l.Close())
	return dir
}

func TestAuditVerifySaysInOneLine(t *testing.T) {
	file := "audit-0000000000000001.jsonl"
	state := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.MkdirAll(filepath.Join(state, "broker"), 0o755))
	require.NoError(t, os.Rename(audited(t), filepath.Join(state, "broker", "audit")))
	assert.Contains(t, invoke(t, "audit", "verify", "--dir", state).stdout, "5 records, ", "the state_dir will do")
	assert.Equal(t, 4, strings.Count(invoke(t, "audit", "show", "--dir", state).stdout, "\n"))
	for _, row := range []struct {
		name string
		edit func(t *testing.T, dir string)
		args []string
		code int
		want string // a pattern, of stdout and stderr
	}{
		{"a whole ledger", nil, nil, 0, `^5 records, 4 runs, 1 file, seq 1\.\.5, head ok, hash [0-9a-f]{64}\n$`},
		{"an edit", func(t *testing.T, dir string) { replace(t, filepath.Join(dir, file), "uid 1001", "uid 1002") }, nil, 1, `^` + file + `:3: edited: its hash is not that of its text\n$`},
		{"a line that is missing", func(t *testing.T, dir string) { dropLine(t, filepath.Join(dir, file), 2) }, nil, 1, `^` + file + `:3: gap: seq 3 is missing\n$`},
		{"an end that is missing", func(t *testing.T, dir string) { dropLine(t, filepath.Join(dir, file), 4) }, nil, 1, `^` + file + `: truncated: seq 5 is missing at the end\n$`},
		{"an anchor of another ledger", nil, []string{"--anchor", "2:" + strings.Repeat("0", 64)}, 1, `^` + file + `:2: edited: seq 2 has another hash than was noted down\n$`},
		{"a FIFO in place of a file", func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, file)))
			require.NoError(t, syscall.Mkfifo(filepath.Join(dir, file), 0o600))
		}, nil, 1, `^` + file + `: edited: it is no regular file\n$`},
		{"a link in place of the head", func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "head")))
			require.NoError(t, os.Symlink("/etc/shadow", filepath.Join(dir, "head")))
		}, nil, 1, `^head: edited: it is a symbolic link\n$`},
		{"no ledger", func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, file)))
			require.NoError(t, os.Remove(filepath.Join(dir, "head")))
		}, nil, 2, `^safe-exec: there is no ledger in `},
		{"an anchor whose hash is none", nil, []string{"--anchor", "1:" + strings.Repeat("g", 64)}, 2, `^safe-exec: audit verify: --anchor "1:g+": want a sequence number`},
		{"an anchor that is none", nil, []string{"--anchor", "x"}, 2, `^safe-exec: audit verify: --anchor "x": want a sequence number`},
		{"an argument", nil, []string{"x"}, 2, `^safe-exec: audit verify: unexpected argument "x"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := audited(t)
			if row.edit != nil {
				row.edit(t, dir)
			}
			got := invoke(t, append([]string{"audit", "verify", "--dir", dir}, row.args...)...)
			assert.Equal(t, row.code, got.code)
			assert.Regexp(t, row.want, got.stdout+got.stderr)
		})
	}
}

func replace(t *testing.T, path, old, text string) {
	t.Helper()
	was, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(was), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(was), old, text, 1)), 0o600))
}

func dropLine(t *testing.T, path string, n int) {
	t.Helper()
	was, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(was), "\n")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(append(lines[:n:n], lines[n+1:]...), "")), 0o600))
}

// Everything that a caller can put into a request, and a program into its output, is
// a canary. Real runs, refusals and crashes leave none in the log, the metrics and the
// ledger.
func TestNoTextOfACallerLeavesTheJail(t *testing.T) {
	t.Parallel()
	state := newState(t)
	dir := defaultAuditDir(state)
	d := start(t, "--state-dir", state)
	const canary = "kanarienvogel"
	for _, body := range []string{
		`{"language":"python","code":"print('%s' + 'kanarien' + 'vogel'); raise ValueError('%s')"}`,
		`{"language":"python","code":"import %s"}`,
		`{"language":"python","code":"%s %s ("}`,
		`{"language":"javascript","code":"console.log('%s'); throw new Error('%s')"}`,
		`{"language":"%s","code":"1"}`,
		`{"language":"python","code":"1","%s":1}`,
		`{"language":"python","code":"1","policy":"%s"}`,
		`{"language":"python","code":"1","policy":{"deny":["%s"]}}`,
		`{"language":"python","code":"1","policy":{"%s":1}}`,
		`{"language":"python","code":"1","profile":"%s"}`,
		`{"language":"python","code":"1","start_mode":"%s"}`,
		`{"language":"python","code":"1","limits":{"%s":1}}`,
		`{"language":"python","code":"1","limits":{"timeout_ms":"%s"}}`,
		`{"language":"python","code":"print(1)","stdin":"%s"}`,
		`{"language":"python","code":"print(1)","args":["%s"]}`,
		`{"language":"python","code":"print(1)","env":{"%s":"%s"}}`,
		`{"language":"python","code":"print(1)","env":{"%s=":"%s"}}`,
		`{"language":"python","code":"print(1)","files":[{"path":"%s","content":"%s"}]}`,
		`{"language":"python","code":"print(1)","files":[{"path":"../%s","content":"%s"}]}`,
		`{"language":"python","code":"print(1)","files":[{"path":"a","%s":1}]}`,
		`{"language":"python","code":"print(1)","collect":["%s"]}`,
		`%s`,
	} {
		body = strings.ReplaceAll(body, "%s", canary)
		for _, path := range []string{"/v1/tools/safe-exec", "/v1/tools/safe-exec?dry_run=1", "/v1/tools/safe-exec/async", "/v1/tools/safe-exec?" + canary + "=1", "/" + canary} {
			post(t, d, path, body)
		}
	}
	text := fetch(t, d, "/metrics")
	require.Regexp(t, regexp.MustCompile(`safe_exec_runs_total\{kind="sync",language="python",reason="exception",start_mode="[a-z]+",status="failed"\} [1-9]`), text)
	require.Regexp(t, `safe_exec_runs_total\{kind="check"[^\n]*reason="syntax_error"`, text)
	require.Regexp(t, `safe_exec_problems_total\{code="invalid"\} [1-9]`, text)
	without(t, text, canary)
	// Callers' mistakes are no failures of ours, of which an operator is to hear.
	assert.Regexp(t, `safe_exec_runs_total\{kind="sync"[^\n]*reason="invalid"[^\n]*status="refused"\} [1-9]`, text)
	assert.NotRegexp(t, `safe_exec_runs_total\{[^\n]*status="error"`, text)

	log := d.wholeLog(t)
	require.Contains(t, log, `"code_sha256"`)
	without(t, log, canary)

	summary, err := ledger.Verify(dir, nil, nil)
	require.NoError(t, err)
	assert.Zero(t, summary.BeyondHead)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	runs := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		without(t, string(text), canary)
		runs += strings.Count(string(text), `"kind":"run"`)
	}
	assert.GreaterOrEqual(t, runs, 12)
}

func post(t *testing.T, d *served, path, body string) (status int) {
	t.Helper()
	r, err := httpTo(t, d).Post("http://x"+path, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	require.NoError(t, err)
	return r.StatusCode
}

func fetch(t *testing.T, d *served, path string) string {
	t.Helper()
	r, err := httpTo(t, d).Get("http://x" + path)
	require.NoError(t, err)
	defer r.Body.Close()
	require.Equal(t, http.StatusOK, r.StatusCode)
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(text)
}

func httpTo(t *testing.T, d *served) *http.Client {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", d.socket)
	}}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// While no record can be written nothing runs, unless the operator says otherwise.
func TestWhatCannotBeRecordedIsRefused(t *testing.T) {
	t.Parallel()
	const body = `{"language":"python","code":"print(1)"}`
	for _, row := range []struct {
		name, required string
		status         int
	}{
		{"required", "true", http.StatusServiceUnavailable},
		{"not required", "false", http.StatusOK},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			state := newState(t)
			dir := defaultAuditDir(state)
			d := start(t, "--state-dir", state, "--config", program(t, "audit.yaml", noSpares+"audit: {required: "+row.required+"}\n"))
			require.Equal(t, http.StatusOK, post(t, d, "/v1/tools/safe-exec", body))
			// What it is written to goes away under it, at one stroke: it writes there still.
			require.NoError(t, os.Rename(dir, dir+"-gone"))
			post(t, d, "/v1/tools/safe-exec", body)
			d.logged(t, "audit ledger cannot be written")
			for _, path := range []string{"/v1/tools/safe-exec", "/v1/tools/safe-exec?dry_run=1"} {
				assert.Equal(t, row.status, post(t, d, path, body), path)
			}
			r, err := httpTo(t, d).Get("http://x/readyz")
			require.NoError(t, err)
			assert.Equal(t, row.status, r.StatusCode)
			r.Body.Close()
			assert.Contains(t, fetch(t, d, "/metrics"), "\nsafe_exec_ledger_writable 0")
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.Chown(dir, int(defaultBrokerUID), int(defaultBrokerUID)))
			d.logged(t, "audit ledger is written again")
			assert.Equal(t, http.StatusOK, post(t, d, "/v1/tools/safe-exec", body))
			d.wholeLog(t)
			_, err = ledger.Verify(dir, nil, nil)
			assert.NoError(t, err)
		})
	}
}

// A ledger whose end is missing is nobody's to go on with but an operator's.
func TestServeRefusesALedgerThatWasCut(t *testing.T) {
	t.Parallel()
	state := newState(t)
	d := start(t, "--state-dir", state, "--config", program(t, "c.yaml", noSpares))
	for range 3 {
		require.Equal(t, http.StatusOK, post(t, d, "/v1/tools/safe-exec", `{"language":"python","code":"print(1)"}`))
	}
	require.NoError(t, d.cmd.Process.Signal(syscall.SIGTERM))
	d.wait(t)
	dropLine(t, filepath.Join(defaultAuditDir(state), "audit-0000000000000001.jsonl"), 6)
	got := invoke(t, "serve", "--socket", newSocket(t), "--state-dir", state)
	assert.Equal(t, 125, got.code)
	assert.Contains(t, got.stderr, "is missing at the end")
	assert.Contains(t, got.stderr, "safe-exec audit verify")
}

func TestAnUnreasonableLedgerIsAMistakeOfTheConfiguration(t *testing.T) {
	for text, want := range map[string]string{
		"audit: {file_mb: 0}":  "audit.file_mb is 0",
		"audit: {files: 1}":    "audit.files is 1",
		"audit: {sizes: true}": `line 1: unknown key "audit.sizes"`,
	} {
		_, err := parseConfig([]byte(text))
		assert.ErrorContains(t, err, want)
	}
}
