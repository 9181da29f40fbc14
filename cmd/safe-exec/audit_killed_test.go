package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/ledger"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

func hashOf(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}

// trailOf reads a ledger: the begins by the hash of the code, and the ends by begin.
func trailOf(t *testing.T, dir string) (begins map[string][]ledger.Record, ends map[uint64][]ledger.Run, s ledger.Summary) {
	t.Helper()
	begins, ends = map[string][]ledger.Record{}, map[uint64][]ledger.Run{}
	s, err := ledger.Verify(dir, nil, func(r ledger.Record) {
		switch {
		case r.Begun != nil && r.Begun.Of == nil:
			begins[r.Begun.CodeSHA256] = append(begins[r.Begun.CodeSHA256], r)
		case r.Run != nil && r.Run.Begin > 0:
			ends[r.Run.Begin] = append(ends[r.Run.Begin], *r.Run)
		}
	})
	require.NoError(t, err)
	return begins, ends, s
}

// endOnce wants one end for each begin. The first that has another number says as much
// as all of them.
func endOnce(t *testing.T, begins map[string][]ledger.Record, ends map[uint64][]ledger.Run) {
	t.Helper()
	for _, list := range begins {
		for _, b := range list {
			require.Len(t, ends[b.Seq], 1, "%+v", b.Begun)
		}
	}
}

// A run that is cut off by a kill is in the ledger, whoever is killed and whoever waits
// for the run, with one begin that was there before any of its output, and one end.
func TestEachRunIsInTheLedgerThoughAProcessIsKilled(t *testing.T) {
	t.Parallel()
	const (
		syncRun = "import time\ntime.sleep(29)"
		streams = "import time\nprint('seen', flush=True)\ntime.sleep(29)"
	)
	job := gated("print('job')")
	for _, row := range []struct {
		name     string
		broker   bool // is killed
		executor bool
	}{
		{"the broker", true, false},
		{"the executor", false, true},
		{"both", true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			socket, state := newSocket(t), newState(t)
			dir := filepath.Join(state, "broker", "audit")
			args := []string{"--config", program(t, "c.yaml", noSpares+"runs: 4\n"), "--state-dir", state}
			d := startAt(t, socket, args...)
			_, answer := sleeper(t, d, syncRun)
			stream, err := httpTo(t, d).Post("http://x/v1/tools/safe-exec?stream=1", "application/json",
				strings.NewReader(`{"language":"python","code":"import time\nprint('seen', flush=True)\ntime.sleep(29)","limits":{"timeout_ms":30000}}`))
			require.NoError(t, err)
			defer stream.Body.Close()
			require.Equal(t, http.StatusOK, stream.StatusCode)
			for lines := bufio.NewScanner(stream.Body); lines.Scan() && !strings.Contains(lines.Text(), "seen"); {
			}
			id, err := newAgent(socket).submit("k", job)
			require.NoError(t, err)
			d.awaitGates(t, 1)
			pids, _ := d.awaitRuns(t, 3)
			running := watch(t, pids)
			begins, _, _ := trailOf(t, dir)
			for _, code := range []string{syncRun, streams, job} {
				require.Len(t, begins[hashOf(code)], 1, "what runs has begun: %s", code)
			}

			broker := d.broker(t)
			if row.broker {
				require.NoError(t, syscall.Kill(broker, syscall.SIGKILL))
			}
			if row.executor {
				d.signal(t, syscall.SIGKILL)
				d.wait(t)
				<-answer
				d = startAt(t, socket, args...)
			} else {
				<-answer
				d.logged(t, "the broker ended and is started again")
				for _, code := range []string{syncRun, streams, job} {
					d.logged(t, `"kind":"run","caller":"uid 0","language":"python","code_sha256":"`+hashOf(code))
				}
				eventually(t, func() bool {
					status, err := newAgent(socket).ask(http.MethodPost, "/v1/tools/safe-exec?dry_run=1", nil, map[string]any{"language": "python", "code": "1"}, new(answered))
					return err == nil && status == http.StatusOK
				}, "the new broker does not serve: %s", d)
			}
			running.allGone(t)
			stop := d.openGates(t)
			_, result, err := newAgent(socket).verdict(id)
			stop()
			require.NoError(t, err)
			assert.Equal(t, "job\n", result.Stdout)
			d.signal(t, syscall.SIGTERM)
			assert.Zero(t, d.wait(t).ExitStatus())

			begins, ends, summary := trailOf(t, dir)
			assert.Zero(t, summary.Open)
			assert.Len(t, begins[hashOf(job)], 2, "each attempt")
			endOnce(t, begins, ends)
			for _, code := range []string{syncRun, streams, job} {
				end := ends[begins[hashOf(code)][0].Seq][0]
				assert.Equal(t, policy.Errored, end.Status)
				if row.broker {
					assert.Equal(t, policy.ReasonRestarted, end.Reason, code)
				}
			}
			if row.broker {
				assert.EqualValues(t, 3, summary.CutOff)
			}
		})
	}
}

func TestAuditTellsOfRunsThatHaveNoEnd(t *testing.T) {
	dir := t.TempDir()
	l, err := ledger.Open(ledger.Config{Dir: dir})
	require.NoError(t, err)
	run := observe.Run{Caller: policy.Caller{Local: true, UID: 7}, Program: observe.ProgramOf(policy.Request{Language: "py", Code: "1"})}
	require.NoError(t, l.Began(&run))
	require.NoError(t, l.Close()) // as a daemon that never hears of its end
	assert.Contains(t, invoke(t, "audit", "verify", "--dir", dir).stdout, "; 1 run without an end yet")
	assert.Regexp(t, `^2 .* uid 7 .* open .* code 6b86b273ff34\n$`, invoke(t, "audit", "show", "--dir", dir).stdout)
	l, err = ledger.Open(ledger.Config{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, l.Close())
	assert.Contains(t, invoke(t, "audit", "verify", "--dir", dir).stdout, "; 1 run cut off by the end of a daemon")
	assert.Regexp(t, `^4 .* uid 7 .* error +restarted .* code 6b86b273ff34\n$`, invoke(t, "audit", "show", "--dir", dir).stdout)
}
