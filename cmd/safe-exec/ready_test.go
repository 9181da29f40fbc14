package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

type storeOf struct{ err error }

func (s storeOf) Ready(context.Context) error { return s.err }

func TestWhatKeepsADaemonFromBeingReady(t *testing.T) {
	wrong := &policy.Error{Code: policy.CodeUnavailable, Message: "the disk is full", Step: "jobs.check", Err: errors.New("/var/lib/x")}
	for _, row := range []struct {
		name string
		edit func(*readiness)
		want *policy.Error
	}{
		{"nothing", func(*readiness) {}, nil},
		{"the link is gone", func(r *readiness) { c := make(chan struct{}); close(c); r.ended = c }, &policy.Error{Code: policy.CodeUnavailable, Step: "executor", Message: "what runs programs is gone, and is being started again"}},
		{"the executor does not answer", func(r *readiness) {
			r.describe = func() (httpapi.Description, error) { return httpapi.Description{}, wrong }
		}, &policy.Error{Code: policy.CodeUnavailable, Step: "jobs.check", Message: "the disk is full"}},
		{"a layer does not hold", func(r *readiness) {
			r.describe = func() (httpapi.Description, error) { return httpapi.Description{}, nil }
		}, &policy.Error{Code: policy.CodeSetup, Step: "posture", Message: "a layer of the jails does not hold, so nothing runs; GET /v1/posture says which"}},
		{"the ledger cannot be written", func(r *readiness) { r.recording = func() error { return wrong } }, wrong},
		{"the store of jobs cannot be written, and no path is told", func(r *readiness) { r.store = storeOf{wrong} }, &policy.Error{Code: policy.CodeUnavailable, Step: "jobs.check", Message: "the disk is full"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := &readiness{
				ended: make(chan struct{}), recording: func() error { return nil }, store: storeOf{},
				describe: func() (httpapi.Description, error) {
					return httpapi.Description{Posture: httpapi.Posture{Check: httpapi.PostureCheck{Held: true}}}, nil
				},
			}
			row.edit(r)
			err := r.check()
			if row.want == nil {
				assert.NoError(t, err)
			} else {
				assert.Equal(t, row.want, err)
			}
		})
	}
}

func TestADaemonWhoseJobsAreDamagedIsNotReadyAndStillRuns(t *testing.T) {
	t.Parallel()
	state := newState(t)
	d := start(t, "--state-dir", state, "--config", program(t, "c.yaml", noSpares))
	a := impatient(d.socket)
	id, err := a.submit("k", "print(1)")
	require.NoError(t, err)
	_, _, err = a.verdict(id) // or its end is written over the damage
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, get(t, d, "/readyz", nil))
	for _, name := range []string{"jobs.db", "jobs.db-wal"} { // the first page of the one, the header of the other stay
		f, err := os.OpenFile(filepath.Join(state, brokerName, name), os.O_RDWR, 0)
		require.NoError(t, err)
		defer f.Close()
		info, err := f.Stat()
		require.NoError(t, err)
		_, err = f.WriteAt(make([]byte, max(info.Size()-4096, 0)), 4096)
		require.NoError(t, err)
	}

	assert.Equal(t, http.StatusServiceUnavailable, get(t, d, "/v1/jobs", nil))
	eventually(t, func() bool { // it is looked at once a second at most
		return get(t, d, "/readyz", nil) == http.StatusServiceUnavailable
	}, "it goes on saying that it is ready: %s", d)
	var p httpapi.Problem
	assert.Equal(t, http.StatusServiceUnavailable, get(t, d, "/readyz", &p))
	assert.Equal(t, []any{policy.CodeUnavailable, "the store of jobs is damaged"}, []any{p.Code, p.Detail})
	assert.Equal(t, http.StatusOK, get(t, d, "/healthz", nil))
	text := fetch(t, d, "/metrics")
	assert.Contains(t, text, "\nsafe_exec_ready 0")
	assert.Contains(t, text, "\nsafe_exec_job_store_writable 0")
	assert.Equal(t, http.StatusOK, post(t, d, "/v1/tools/safe-exec", `{"language":"python","code":"print(1)"}`), "whoever waits for a run has it")
}

func get(t *testing.T, d *served, path string, into any) (status int) {
	t.Helper()
	r, err := httpTo(t, d).Get("http://x" + path)
	require.NoError(t, err)
	defer r.Body.Close()
	if into != nil {
		require.NoError(t, json.NewDecoder(r.Body).Decode(into))
	}
	return r.StatusCode
}
