package sqlite

import (
	"context"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
)

// A function that SQLite calls in the midst of a statement panics through its code.
func TestAPanicIsTold(t *testing.T) {
	bang := func(c *conn) error {
		err := c.db.CreateFunction("bang", 0, 0, func(sqlite3.Context, ...sqlite3.Value) { panic("boom") })
		if err != nil {
			return err
		}
		return c.query("SELECT bang()", nil)
	}
	for _, row := range []struct {
		name string
		do   func(*Queue, context.Context) error
	}{
		{"of who writes", func(q *Queue, ctx context.Context) error { return q.do(ctx, &op{name: "test", run: bang}) }},
		{"of who reads", func(q *Queue, ctx context.Context) error { return q.read(ctx, "test", bang) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			q, err := Open(t.TempDir(), jobs.SystemClock{})
			require.NoError(t, err)
			require.Error(t, row.do(q, t.Context()))
			select {
			case err := <-q.Broken():
				assert.ErrorContains(t, err, "sqlite panicked: boom")
			case <-time.After(10 * time.Second):
				require.FailNow(t, "nobody is told")
			}
			assert.Error(t, q.Check(t.Context()), "a store that is not whole is not ready")
			assert.NoError(t, q.Close(), "and its end waits for nothing")
		})
	}
}
