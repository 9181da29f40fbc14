package events

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func stdout(l *Log, text string) {
	l.Watch(policy.Event{Kind: policy.EventStdout, Data: []byte(text)})
}

// told lists what a reader gets after an id: kinds, and the text of output.
func told(t *testing.T, l *Log, after ID) (list []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		found, err := l.Next(ctx, after)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		for i, e := range found {
			require.True(t, i == 0 || after.Before(e.ID), "ids grow")
			after = e.ID
			var d struct{ Text string }
			require.NoError(t, json.Unmarshal(e.Data, &d))
			list = append(list, strings.TrimSpace(e.Kind+" "+d.Text))
		}
	}
}

func live() *Log {
	l := New(1)
	l.Queued("job_x", time.Unix(0, 0))
	l.Watch(policy.Event{Kind: policy.EventStarted})
	return l
}

func TestALogTellsARunInItsOrder(t *testing.T) {
	l := live()
	stdout(l, "a")
	l.Watch(policy.Event{Kind: policy.EventDenial, Syscall: "socket"})
	l.Watch(policy.Event{Kind: policy.EventStderr, Data: []byte("b")})
	assert.Equal(t, ID{1, 7}, l.Seal())
	l.Result(&policy.Result{Status: policy.Failed})
	stdout(l, "late")
	l.Append("late", nil)
	l.Restart(2)
	assert.Equal(t, []string{"queued", "started", "stdout a", "denial", "stderr b", "result", "done"}, told(t, l, ID{}))
	assert.Equal(t, []string{"denial", "stderr b", "result", "done"}, told(t, l, ID{1, 3}))
	assert.Empty(t, told(t, l, ID{1, 7}))
	assert.Len(t, told(t, l, ID{2, 1}), 7, "an id of an attempt that was not")
	assert.Len(t, told(t, l, ID{1, 8}), 7, "an id that was not given")
	data := map[string]string{}
	for _, e := range l.after(ID{}) {
		data[e.Kind] = string(e.Data)
	}
	assert.JSONEq(t, `{"job_id":"job_x","expires_at":"1970-01-01T00:00:00Z"}`, data[Queued])
	assert.JSONEq(t, `{"attempt":1}`, data[Started])
	assert.JSONEq(t, `{"syscall":"socket"}`, data[Denial])
	assert.JSONEq(t, `{"status":"failed"}`, data[Done])
	assert.Contains(t, data[Result], `"execution_id":""`)
}

func TestOurFailureIsNoResult(t *testing.T) {
	l := live()
	l.Fail(map[string]string{"code": "setup_error"})
	assert.Equal(t, []string{"queued", "started", "error", "done"}, told(t, l, ID{}))
}

func TestALogThatBrokeOffHasNoDone(t *testing.T) {
	l := live()
	waiting := make(chan error, 1)
	go func() {
		_, err := l.Next(t.Context(), ID{1, 2})
		waiting <- err
	}()
	l.Break()
	assert.ErrorIs(t, <-waiting, io.ErrUnexpectedEOF)
	found, err := l.Next(t.Context(), ID{})
	require.NoError(t, err)
	assert.Len(t, found, 2)
}

func TestAnotherAttemptIsToldFromItsStart(t *testing.T) {
	l := live()
	stdout(l, "lost")
	waiting := make(chan []Event, 1)
	go func() {
		found, _ := l.Next(t.Context(), ID{1, 3})
		waiting <- found
	}()
	l.Restart(2)
	l.Queued("job_x", time.Time{})
	found := <-waiting
	require.Len(t, found, 1)
	assert.Equal(t, ID{2, 1}, found[0].ID)
}

func TestWhatSomebodyWasToldNeverChanges(t *testing.T) {
	l := live()
	stdout(l, "a")
	stdout(l, "b")
	first := l.after(ID{1, 2})
	require.Len(t, first, 1, "pieces that nobody has seen are one event")
	stdout(l, "c")
	stdout(l, "d")
	l.Result(&policy.Result{})
	assert.Equal(t, []string{"queued", "started", "stdout ab", "stdout cd", "result", "done"}, told(t, l, ID{}))
	assert.Equal(t, first[0], l.after(ID{})[2])
}

func TestALogIsBounded(t *testing.T) {
	l := bounded(1, 100_000, 10)
	for range 110_000 {
		stdout(l, "x")
		_ = l.after(ID{1, l.n - 1}) // the worst reader: each byte is told at once
		l.Watch(policy.Event{Kind: policy.EventStderr, Data: []byte("yyy")})
		l.Watch(policy.Event{Kind: policy.EventDenial, Syscall: "socket"})
	}
	l.Result(&policy.Result{})
	out, errs := 0, 0
	for _, e := range l.entries {
		switch e.kind {
		case Stdout:
			out += len(e.text)
		case Stderr:
			errs += len(e.text)
		}
	}
	assert.Equal(t, 100_000, out)
	assert.Equal(t, 10, errs)
	assert.LessOrEqual(t, len(l.entries), maxFine+100_000/coarse+maxDenials+8)
}

func TestManyReadersSeeTheSame(t *testing.T) {
	l := live()
	var wg sync.WaitGroup
	got := make([]string, 8)
	for i := range got {
		wg.Go(func() {
			for _, line := range told(t, l, ID{}) {
				if text, ok := strings.CutPrefix(line, "stdout "); ok {
					got[i] += text
				}
			}
		})
	}
	want := ""
	for i := range 500 {
		text := string(rune('a' + i%26))
		want += text
		stdout(l, text)
	}
	l.Result(&policy.Result{})
	wg.Wait()
	for i := range got {
		assert.Equal(t, want, got[i], "reader %d", i)
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := New(1).Next(ctx, ID{})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestARebuiltLog(t *testing.T) {
	ended := Ended{JobID: "job_x", Last: ID{2, 20}, Ran: true, Result: &policy.Result{
		Status: policy.Succeeded, Stdout: "out", Stderr: "err", Denials: []policy.Denial{{Syscall: "socket", Count: 7}},
	}}
	verdict := []string{"result", "done"}
	for _, row := range []struct {
		name  string
		after ID
		want  []string
	}{
		{"who saw nothing gets all", ID{}, []string{"queued", "started", "stdout out", "stderr err", "denial", "result", "done"}},
		{"who saw an earlier attempt gets all", ID{1, 9}, []string{"queued", "started", "stdout out", "stderr err", "denial", "result", "done"}},
		{"who saw that it started gets the output", ID{2, 2}, []string{"stdout out", "stderr err", "denial", "result", "done"}},
		{"who saw some output gets the rest from the result", ID{2, 3}, verdict},
		{"who saw much output too", ID{2, 17}, verdict},
		{"who saw all output gets the verdict", ID{2, 18}, verdict},
		{"who saw the result gets the end", ID{2, 19}, verdict[1:]},
		{"who saw the end gets nothing", ID{2, 20}, nil},
		{"an id beyond the end is none of this log", ID{2, 99}, []string{"queued", "started", "stdout out", "stderr err", "denial", "result", "done"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, told(t, Rebuild(ended), row.after))
		})
	}
	never := Rebuild(Ended{JobID: "job_x", Result: &policy.Result{Status: policy.Cancelled}})
	assert.Equal(t, []string{"queued", "result", "done"}, told(t, never, ID{}))
	failed := Rebuild(Ended{JobID: "job_x", Ran: true, Problem: map[string]string{"code": "internal"}})
	assert.Equal(t, []string{"queued", "started", "error", "done"}, told(t, failed, ID{}))
}
