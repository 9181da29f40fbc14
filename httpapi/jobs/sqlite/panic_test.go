package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/queuetest"
	"safe-exec/httpapi/jobs/sqlite"
	"safe-exec/policy"
)

// The store asks for the time of day in the midst of its transactions.
type bomb struct {
	jobs.SystemClock
	armed atomic.Bool
}

func (b *bomb) Wall() time.Time {
	if b.armed.Swap(false) {
		panic("boom")
	}
	return b.SystemClock.Wall()
}

// panicKey has the directory for the process that panics and ends.
const panicKey = "SAFE_EXEC_SQLITE_PANIC"

func entry(id string) jobs.Entry {
	return jobs.Entry{ID: id, Owner: "a", Weight: 1, AtOnce: 8, TTL: time.Hour, Request: []byte("{}")}
}

// panicking is the life of a process whose store panics in a transaction. It ends
// as the broker does: with what is open.
func panicking(dir string) int {
	ctx, clock := context.Background(), &bomb{}
	q, err := sqlite.Open(dir, clock)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, id := range []string{"job_running", "job_waiting"} {
		if _, _, err := q.Enqueue(ctx, entry(id)); err != nil {
			fmt.Println(err)
			return 1
		}
		if id == "job_running" {
			if c, err := q.Claim(ctx, time.Hour); err != nil || c == nil {
				fmt.Println("claim", c, err)
				return 1
			}
		}
	}
	clock.armed.Store(true)
	if _, _, err = q.Enqueue(ctx, entry("job_panicked")); err == nil {
		fmt.Println("a job was confirmed that is not there")
		return 1
	}
	_, _, later := q.Enqueue(ctx, entry("job_later"))
	fmt.Printf("%s %s %s\n%v\n", code(err), code(later), code(q.Check(ctx)), <-q.Broken())
	return 3
}

func code(err error) policy.Code {
	var e *policy.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return policy.Code(fmt.Sprint(err))
}

func TestAPanicLeavesWhatAKillDoes(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), panicKey+"="+dir)
	out, _ := cmd.CombinedOutput()
	require.Equal(t, 3, cmd.ProcessState.ExitCode(), "%s", out)
	assert.Contains(t, string(out), "unavailable unavailable unavailable\nsqlite panicked: boom\n")
	assert.Contains(t, string(out), "panic_test.go", "the stack says where")

	q, err := sqlite.Open(dir, queuetest.NewClock())
	require.NoError(t, err)
	defer func() { assert.NoError(t, q.Close()) }()
	out1, err := q.Expire(t.Context(), jobs.Bounds{MaxAttempts: 3, MaxFinished: 100, MaxFinishedBytes: 1 << 20, MaxAge: time.Hour})
	require.NoError(t, err)
	assert.Equal(t, []jobs.Ref{{Owner: "a", ID: "job_running"}}, out1.Requeued)
	for id, want := range map[string]policy.Status{"job_running": policy.Queued, "job_waiting": policy.Queued} {
		r, err := q.Get(t.Context(), "a", id)
		require.NoError(t, err, id)
		assert.Equal(t, want, r.Status, id)
	}
	for _, id := range []string{"job_panicked", "job_later"} {
		_, err := q.Get(t.Context(), "a", id)
		assert.Equal(t, policy.CodeNotFound, code(err), id)
	}
	_, _, err = q.Enqueue(t.Context(), entry("job_new"))
	assert.NoError(t, err)
}
