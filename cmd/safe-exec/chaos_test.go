package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// What a daemon must survive is tried on a real one: killed at random instants,
// and under load from honest and hostile programs. `make test` has a short form;
// `make chaos` the long one.
var (
	chaosKills = flag.Int("chaos-kills", 6, "times that the daemon is killed")
	chaosLoad  = flag.Duration("chaos-load", 15*time.Second, "time under load")
)

// agent is a caller of a daemon: plain HTTP, so that the product's own client
// hides nothing.
type agent struct{ http.Client }

func newAgent(socket string) *agent {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	return &agent{http.Client{Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 64}}}
}

// ask sends one request and decodes the answer; an error is a connection that broke, or an answer that is no JSON.
func (a *agent) ask(method, path string, headers map[string]string, body, answer any) (int, error) {
	var text io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		text = bytes.NewReader(b)
	}
	r, err := http.NewRequest(method, "http://safe-exec"+path, text)
	if err != nil {
		return 0, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	resp, err := a.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	var other *json.UnmarshalTypeError // the status of a problem document is a number
	if err := json.Unmarshal(b, answer); err != nil && !(resp.StatusCode >= 400 && errors.As(err, &other)) {
		return resp.StatusCode, fmt.Errorf("%d %q: %w", resp.StatusCode, b, err)
	}
	return resp.StatusCode, nil
}

// answered is what a test looks at in a job.
type answered struct {
	JobID  string          `json:"job_id"`
	Status string          `json:"status"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// ran is what a test looks at in a result.
type ran struct {
	Status  string `json:"status"`
	Stdout  string `json:"stdout"`
	Metrics struct {
		Attempt int64 `json:"attempt"`
	} `json:"metrics"`
	Termination struct {
		Reason string `json:"reason"`
	} `json:"termination"`
}

var errNotAccepted = errors.New("not accepted")

// submit sends a job under its key. An error other than errNotAccepted says
// nothing of whether the daemon has it: the same key asks again.
func (a *agent) submit(key, code string) (id string, err error) {
	var got answered
	status, err := a.ask(http.MethodPost, "/v1/tools/safe-exec/async", map[string]string{"Idempotency-Key": key},
		map[string]any{"language": "python", "code": code, "limits": allTheTime}, &got)
	switch {
	case err != nil:
		return "", err
	case status == http.StatusAccepted:
		return got.JobID, nil
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return "", errNotAccepted
	}
	return "", fmt.Errorf("status %d", status)
}

// verdict waits for a job's end.
func (a *agent) verdict(id string) (answered, ran, error) {
	var job answered
	var result ran
	for {
		status, err := a.ask(http.MethodGet, "/v1/jobs/"+id+"?wait=30s", nil, nil, &job)
		if err != nil {
			return job, result, err
		}
		if status != http.StatusOK {
			return job, result, fmt.Errorf("status %d", status)
		}
		if job.Status != "queued" && job.Status != "running" {
			break
		}
	}
	if job.Result == nil {
		return job, result, fmt.Errorf("status %s without a result: %s", job.Status, job.Error)
	}
	return job, result, json.Unmarshal(job.Result, &result)
}
