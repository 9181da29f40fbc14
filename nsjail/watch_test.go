package nsjail_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// heard collects the events of a run.
type heard struct {
	mu   sync.Mutex
	list []policy.Event
}

func (h *heard) hear(e policy.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, e)
}

func (h *heard) text(kind policy.EventKind) string {
	var b strings.Builder
	for _, e := range h.list {
		if e.Kind == kind {
			b.Write(e.Data)
		}
	}
	return b.String()
}

func TestAWatcherHearsWhatHappensUpToTheLimits(t *testing.T) {
	for _, row := range []struct {
		name, code     string
		stdout, stderr string
		denied         []string
	}{
		{"both outputs", "import sys\nprint('out')\nprint('err', file=sys.stderr)", "out\n", "err\n", nil},
		{"no more than is kept, from the start", "print('x' * 1000 + 'y' * 1000)", strings.Repeat("x", 1000), "", nil},
		{"a refused call once, however often it is made", "import os\nfor _ in range(9):\n  try: os.mkfifo('/tmp/f')\n  except OSError: pass\n  try: os.chroot('/')\n  except OSError: pass", "", "", []string{"chroot"}},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			var h heard
			result := execute(t, mode, policy.Request{
				Language: "py", Level: relaxed, Code: row.code, Watch: h.hear,
				Limits: policy.LimitsRequest{MaxStdoutBytes: ptr(int64(1000))},
			})
			require.Equal(t, policy.Succeeded, result.Status, "%+v", result)
			require.NotEmpty(t, h.list)
			assert.Equal(t, policy.EventStarted, h.list[0].Kind)
			assert.Equal(t, row.stdout, h.text(policy.EventStdout))
			assert.Equal(t, row.stderr, h.text(policy.EventStderr))
			times := map[string]int{}
			for _, e := range h.list {
				if e.Kind == policy.EventDenial {
					times[e.Syscall]++
				}
			}
			for _, name := range row.denied {
				assert.Equal(t, 1, times[name], "%v", times)
			}
		})
	}
}

func TestAWatcherThatBlocksHoldsUpNoRun(t *testing.T) {
	inModes(t, "", func(t *testing.T, mode string) {
		never := make(chan struct{})
		defer close(never)
		result := execute(t, mode, policy.Request{
			Language: "py", Code: "print('a' * 1000)\nprint('done')", Watch: func(policy.Event) { <-never },
		})
		assert.Equal(t, policy.Succeeded, result.Status)
		assert.True(t, strings.HasSuffix(result.Stdout, "done\n"))
	})
}

func TestAProgramThatNeverRunsIsNotSaidToHaveStarted(t *testing.T) {
	for _, row := range []struct {
		name, language, code string
		status               policy.Status
		started              bool
	}{
		{"one that the policy refuses", "py", "import os", policy.Rejected, false},
		{"one that the policy of Node refuses", "js", "require('fs')", policy.Rejected, false},
		{"one that cannot be parsed", "py", "print(", policy.Failed, false},
		{"one that runs", "py", "pass", policy.Succeeded, true},
		{"one that fails while it runs", "py", "import json\nprint(1)\n{}[0]", policy.Failed, true},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			var h heard
			result := execute(t, mode, policy.Request{Language: row.language, Code: row.code, Watch: h.hear})
			require.Equal(t, row.status, result.Status, "%+v", result)
			if !row.started {
				assert.Empty(t, h.list)
				return
			}
			require.NotEmpty(t, h.list)
			assert.Equal(t, policy.EventStarted, h.list[0].Kind, "%+v", h.list)
		})
	}
}
