package httpapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A caller whose 202 was lost sends the same again, and must not hear that nothing
// was taken.
func TestAFullQueueKnowsWhatItTook(t *testing.T) {
	h := newHeld()
	cfg := Config{Executor: h}
	cfg.Jobs = store(t, cfg, 1)
	d := start(t, cfg)
	submit(d, hello)
	await(t, "the first", h.started)
	taken := d.do("POST", asyncPath, hello, "Idempotency-Key", "k")
	require.Equal(t, 202, taken.StatusCode)
	for _, row := range []struct {
		name, key, body string
		status          int
	}{
		{"the same request is the same job", "k", hello, 202},
		{"another body is refused as ever", "k", strings.ReplaceAll(hello, "hello", "other"), 422},
		{"another key finds no place", "l", hello, 429},
		{"a body that is none is told so", "k", "nonsense", 400},
	} {
		r := d.do("POST", asyncPath, row.body, "Idempotency-Key", row.key)
		require.Equal(t, row.status, r.StatusCode, row.name)
		if row.status == 202 {
			assert.Equal(t, taken.Header.Get("Location"), r.Header.Get("Location"))
			assert.Equal(t, "true", r.Header.Get("Idempotency-Replayed"))
		}
	}
	close(h.release)
}
