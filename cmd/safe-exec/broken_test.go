package main

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/sqlite"
)

// mine panics in the midst of the store's next transaction.
type mine struct {
	jobs.SystemClock
	laid bool
}

func (m *mine) Wall() time.Time {
	if m.laid {
		panic("boom")
	}
	return m.SystemClock.Wall()
}

func TestABrokerEndsWithItsStore(t *testing.T) {
	for _, row := range []struct {
		name   string
		panics bool
		closed int
		want   error
		logged string // with the stack
	}{
		{"at once when that panics, and closes nothing", true, 0, errStoreBroke, `^\{.*"level":"ERROR".*sqlite panicked: boom\\n.*broken_test.go`},
		{"in order when it was asked to", false, 1, errServed, "^$"},
	} {
		t.Run(row.name, func(t *testing.T) {
			clock := &mine{}
			queue, err := sqlite.Open(t.TempDir(), clock)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, queue.Close()) })
			closed := 0
			s := &brokerServer{broken: queue.Broken(), end: func() error { closed++; return nil }}
			var log bytes.Buffer
			forever := make(chan struct{})
			t.Cleanup(func() { close(forever) })
			err = s.serve(func() error {
				clock.laid = row.panics
				_, _, err := queue.Enqueue(t.Context(), jobs.Entry{ID: "j", Owner: "a", Weight: 1, AtOnce: 8, TTL: time.Hour, Request: []byte("{}")})
				assert.Equal(t, row.panics, err != nil)
				if row.panics {
					<-forever // there are runs, which nobody waits for
				}
				return errServed
			}, slog.New(slog.NewJSONHandler(&log, nil)))
			assert.ErrorIs(t, err, row.want)
			assert.Equal(t, row.closed, closed)
			assert.Regexp(t, row.logged, log.String())
		})
	}
}

var errServed = errors.New("served")
