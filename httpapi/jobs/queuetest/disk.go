package queuetest

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// SmallDisk mounts a tmpfs of so many bytes for the time of a test, which must run
// as root.
func SmallDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, syscall.Mount("small", dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, "size="+size))
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

func fullDisk(t *testing.T, d Driver) {
	q := &queue{t: t, clock: NewClock(), dir: SmallDisk(t, "12m"), open: d}
	q.reopen()
	t.Cleanup(func() { _ = q.Close() }) // a second time
	ballast := filepath.Join(q.dir, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, 8<<20), 0o600))
	running := q.add(job("a"))
	c := q.claim()
	var accepted []string
	var full error
	for full == nil && len(accepted) < 1000 {
		j := job("a")
		j.Request = bytes.Repeat([]byte("x"), 64<<10)
		var id string
		r, _, err := q.Enqueue(t.Context(), j)
		if full = err; err == nil {
			id = r.ID
			accepted = append(accepted, id)
		}
	}
	require.NotEmpty(t, accepted)
	assert.Equal(t, policy.CodeUnavailable, codeOf(full), "%v", full)
	assert.ErrorContains(t, full, "full")
	assert.Equal(t, policy.CodeUnavailable, codeOf(q.Check(t.Context())), "a store without room for a request says so, however little else it has room for")
	for range 3 {
		j := job("a")
		j.Request = bytes.Repeat([]byte("x"), 64<<10)
		_, _, err := q.Enqueue(t.Context(), j)
		assert.Equal(t, policy.CodeUnavailable, codeOf(err))
	}
	for _, id := range accepted {
		assert.Equal(t, policy.Queued, q.get("a", id).Status, "what was accepted can be read")
	}
	_, err := q.Heartbeat(t.Context(), c.Lease(), lease)
	assert.NoError(t, err, "a lease can be kept")

	require.NoError(t, os.Remove(ballast))
	require.NoError(t, q.Complete(t.Context(), c.Lease(), verdict("v")), "there is room again")
	q.clock.Pass(time.Minute)
	assert.NoError(t, q.Check(t.Context()), "and it says so")
	q.reopen()
	assert.Equal(t, "v", string(q.get("a", running).Verdict))
	for range accepted {
		q.finish("v")
	}
	assert.Nil(t, q.claim(), "what was refused is not there")
	for _, id := range accepted {
		assert.Equal(t, policy.Succeeded, q.get("a", id).Status)
	}
}
