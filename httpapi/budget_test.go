package httpapi

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestABudgetIsSharedByCallers(t *testing.T) {
	const mib = 1 << 20
	uid := func(n uint32) policy.Caller { return policy.Caller{Local: true, UID: n} }
	type want struct {
		who policy.Caller
		mib int64
		ok  bool
	}
	for _, row := range []struct {
		name  string
		wants []want
	}{
		{"one caller gets a quarter", []want{{uid(1), 2, true}, {uid(1), 2, true}, {uid(1), 1, false}, {uid(2), 4, true}}},
		{"what is larger than that takes all of it", []want{{uid(1), 40, true}, {uid(1), 1, false}}},
		{"all together get no more than there is", []want{{uid(1), 4, true}, {uid(2), 4, true}, {uid(3), 4, true}, {uid(4), 4, true}, {uid(5), 1, false}}},
		{"root has a quarter beside", []want{{uid(0), 4, true}, {uid(0), 1, false}, {uid(1), 4, true}, {uid(2), 4, true}, {uid(3), 4, true}, {uid(4), 4, true}}},
		{"what is small is not counted", []want{{uid(1), 4, true}, {uid(1), 0, true}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBudget(16*mib, time.Millisecond, BusyReplies, "m")
			for range 2 { // what was given back can be taken again
				var held []func()
				for i, w := range row.wants {
					tried, ok := b.try(w.who, w.mib*mib)
					assert.Equal(t, w.ok, ok, "step %d", i)
					if ok {
						tried()
					}
					release, err := b.take(t.Context(), w.who, w.mib*mib)
					if !w.ok {
						assert.Equal(t, string(BusyReplies), ProblemOf(err).Reason, "step %d", i)
						continue
					}
					require.NoError(t, err, "step %d", i)
					held = append(held, release)
				}
				for _, release := range held {
					release()
					release()
				}
				assert.Empty(t, b.purses, "nobody is remembered who holds nothing")
			}
		})
	}
}

func TestAReplyWaitsForItsBytes(t *testing.T) {
	b := newBudget(4<<20, 10*time.Second, BusyReplies, "m")
	who := policy.Caller{Local: true, UID: 1}
	release, err := b.take(t.Context(), who, 1<<20)
	require.NoError(t, err)
	got := make(chan error, 1)
	go func() {
		_, err := b.take(context.Background(), who, 1<<20)
		got <- err
	}()
	release()
	assert.NoError(t, await(t, "the bytes", got))
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err = b.take(gone, who, 1<<20)
	assert.Equal(t, 400, ProblemOf(err).Status, "who went away")
}

// large gives a result that is 6 MiB of JSON.
func large(ctx context.Context, req policy.Request) (*policy.Result, error) {
	r, err := echo(ctx, req)
	r.Stdout = strings.Repeat("\x01", 1<<20)
	return r, err
}

// A reader of a large reply who drips, or takes nothing, is cut off in the end; until
// then others of his get no large one, and all else goes on.
func TestSlowReadersOfLargeReplies(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, tail string
		drip       bool
	}{
		{"a result of which nothing is taken", "", false},
		{"a result that is taken in drops", "", true},
		{"events of which nothing is taken", "/events", false},
		{"events that are taken in drops", "/events", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := start(t, Config{
				Executor: executorFunc(large), ReplyBytes: 4 << 20, WaitLimit: 10 * time.Millisecond, ReplyTimeout: 500 * time.Millisecond,
			})
			path := jobPrefix + submit(d, hello).JobID
			require.Contains(t, d.do("GET", path+"?wait=20s", "").body, `"succeeded"`)
			c, err := net.Dial("unix", d.path)
			require.NoError(t, err)
			defer c.Close()
			_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path+row.tail)
			require.NoError(t, err)
			first := make([]byte, 64)
			_, err = io.ReadFull(c, first)
			require.NoError(t, err)
			require.Contains(t, string(first), " 200 ")
			if row.drip {
				go func() {
					drop := make([]byte, 1<<10)
					for err := error(nil); err == nil; time.Sleep(20 * time.Millisecond) { // the pace is the subject
						_, err = c.Read(drop)
					}
				}()
			}
			second := d.do("GET", path, "")
			require.Equal(t, 429, second.StatusCode)
			assert.Equal(t, string(BusyReplies), second.problem(t).Reason)
			assert.Equal(t, 200, d.do("GET", jobsPath, "").StatusCode, "small replies go on")
			assert.Contains(t, d.do("POST", runPath, hello).body, `"succeeded"`, "and so do runs")
			require.Eventually(t, func() bool { return d.do("GET", path, "").StatusCode == 200 }, 2*time.Minute, 20*time.Millisecond,
				"the slow reader must be cut off")
		})
	}
}

// The reply of a run cannot be refused any more: where there is no room for it, its
// slot is kept.
func TestARunWhoseReplyFindsNoRoomKeepsItsSlot(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{"a result": "", "events": "?stream=1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, Config{
				Executor: executorFunc(large), Slots: 1, ReplyBytes: 4 << 20, WaitLimit: 10 * time.Millisecond, ReplyTimeout: 500 * time.Millisecond,
			})
			slow := func(query string) {
				c, err := net.Dial("unix", d.path)
				require.NoError(t, err)
				t.Cleanup(func() { c.Close() })
				_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", runPath+query, len(hello), hello)
				require.NoError(t, err)
				_, err = io.ReadFull(c, make([]byte, 8<<10))
				require.NoError(t, err)
			}
			slow("")    // it has the room
			slow(query) // and this one the slot
			refused := d.do("POST", runPath, hello)
			require.Equal(t, 429, refused.StatusCode)
			require.Eventually(t, func() bool { return d.do("POST", runPath, hello).StatusCode == 200 }, 2*time.Minute, 20*time.Millisecond)
			require.Eventually(t, func() bool {
				d.server.replies.mu.Lock()
				defer d.server.replies.mu.Unlock()
				return len(d.server.replies.purses) == 0
			}, 10*time.Second, time.Millisecond, "all room is free again")
		})
	}
}
