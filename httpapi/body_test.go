package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/sqlite"
)

// padded is hello with so many bytes.
func padded(size int) string { return hello + strings.Repeat(" ", size-len(hello)) }

// chunked sends a body without its length.
func chunked(client *http.Client, path, body string) (*http.Response, error) {
	r, err := http.NewRequest("POST", "http://x"+path, io.MultiReader(strings.NewReader(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", jsonType)
	return client.Do(r)
}

// slow is a request that lacks its last byte.
type slow struct {
	net.Conn
	tail string
}

// sendSlowly sends all of a body but its end, in small pieces, or as much of it as is
// taken: one that is answered before is read on for a while.
func sendSlowly(socket string, size int, inChunks bool) (s slow, err error) {
	s.Conn, err = dialPatiently(context.Background(), socket)
	if err != nil {
		return s, err
	}
	head, piece := fmt.Sprintf("Content-Length: %d", size), strings.Repeat(" ", 16<<10)
	begin := hello[:len(hello)-1]
	left := size - len(hello)
	s.tail = "}"
	if inChunks {
		head, s.tail = "Transfer-Encoding: chunked", "1\r\n}\r\n0\r\n\r\n"
		begin = fmt.Sprintf("%x\r\n%s\r\n", len(begin), begin)
	}
	_, err = fmt.Fprintf(s, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s\r\n\r\n%s", runPath, head, begin)
	for err == nil && left > 0 {
		n := min(left, len(piece))
		left -= n
		if inChunks {
			_, err = fmt.Fprintf(s, "%x\r\n%s\r\n", n, piece[:n])
		} else {
			_, err = io.WriteString(s, piece[:n])
		}
	}
	return s, nil
}

// finish sends the end, where it is still taken, and gives the answer.
func (s slow) finish(t *testing.T) *http.Response {
	t.Helper()
	_, _ = io.WriteString(s, s.tail)
	r, err := http.ReadResponse(bufio.NewReader(s), nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return r
}

func (d *daemon) noBodies() bool {
	d.server.bodies.mu.Lock()
	defer d.server.bodies.mu.Unlock()
	return len(d.server.bodies.purses) == 0
}

func TestBodiesBesideASlowOneOfTheirCaller(t *testing.T) {
	const share = 1 << 20
	d := start(t, Config{Executor: executorFunc(echo), Slots: 4, BodyBytes: 4 * share, WaitLimit: 10 * time.Millisecond, BodyTimeout: time.Minute})
	first, err := sendSlowly(d.path, share, false)
	require.NoError(t, err)
	for _, row := range []struct {
		name     string
		path     string
		size     int
		inChunks bool
		status   int
	}{
		{"a small one gets through", runPath, small, false, 200},
		{"so does one in chunks", runPath, small - 1, true, 200},
		{"and one that nobody waits for", asyncPath, small, false, 202},
		{"a larger one is refused", runPath, small + 1, false, 429},
		{"in chunks, too", runPath, small + 1, true, 429},
		{"also where nobody waits", asyncPath, small + 1, false, 429},
		{"as is there one in chunks", asyncPath, small + 1, true, 429},
		{"one that is too large is told so", runPath, maxBody + 1, false, 413},
	} {
		t.Run(row.name, func(t *testing.T) {
			var r reply
			if row.inChunks {
				got, err := chunked(d.client, row.path, padded(row.size))
				require.NoError(t, err)
				defer got.Body.Close()
				text, err := io.ReadAll(got.Body)
				require.NoError(t, err)
				r = reply{got, string(text)}
			} else {
				r = d.do("POST", row.path, padded(row.size), "Expect", "100-continue")
			}
			require.Equal(t, row.status, r.StatusCode, r.body)
			if row.status == 429 {
				assert.Equal(t, string(BusyBodies), r.problem(t).Reason)
				assert.Equal(t, "1", r.Header.Get("Retry-After"))
			}
		})
	}
	assert.Equal(t, 200, first.finish(t).StatusCode)
	require.Eventually(t, d.noBodies, 10*time.Second, time.Millisecond, "all room is free again")
	assert.Equal(t, 200, d.do("POST", runPath, padded(share)).StatusCode)
	got, err := chunked(d.client, runPath, padded(share))
	require.NoError(t, err)
	assert.Equal(t, 200, got.StatusCode, "in chunks it has the room as well")
	require.NoError(t, got.Body.Close())
}

func TestTheLargestBodiesFit(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo), BodyTimeout: time.Minute})
	for _, path := range []string{runPath, asyncPath} {
		assert.Less(t, d.do("POST", path, padded(maxBody)).StatusCode, 300, path)
		got, err := chunked(d.client, path, padded(maxBody))
		require.NoError(t, err)
		assert.Less(t, got.StatusCode, 300, "%s in chunks", path)
		require.NoError(t, got.Body.Close())
	}
	require.Eventually(t, d.noBodies, 10*time.Second, time.Millisecond, "all room is free again")
}

// beAnother sends a small request and a large one, and prints what it was told.
func beAnother(socket string) error {
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dialPatiently(ctx, socket) }}}
	for _, size := range []int{len(hello), small, 2 << 20} {
		r, err := client.Post("http://x"+runPath, jsonType, strings.NewReader(padded(size)))
		if err != nil {
			return err
		}
		r.Body.Close()
		fmt.Print(r.StatusCode, " ")
	}
	return nil
}

// slowQueue keeps jobs when it is let.
type slowQueue struct {
	jobs.Queue
	asked, let chan struct{}
}

func (q slowQueue) Enqueue(ctx context.Context, e jobs.Entry) (jobs.Record, bool, error) {
	q.asked <- struct{}{}
	<-q.let
	return q.Queue.Enqueue(ctx, e)
}

func TestABodyHasItsRoomUntilItsJobIsKept(t *testing.T) {
	queue, err := sqlite.Open(t.TempDir(), jobs.SystemClock{})
	require.NoError(t, err)
	slow := slowQueue{queue, make(chan struct{}, 1), make(chan struct{})}
	cfg := Config{Executor: executorFunc(echo), BodyBytes: 4 << 20, WaitLimit: 10 * time.Millisecond}
	cfg.Jobs, err = jobs.New(jobs.Config{
		Executor: cfg.Executor, Queue: slow, Problem: func(err error) any { return ProblemOf(err) },
		Workers: 1, MaxQueued: 4, MaxQueuedPerOwner: 4, MaxFinished: 4, MaxFinishedBytes: 1 << 20, MaxAge: time.Hour,
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, queue.Close()) })
	d := start(t, cfg)
	first := d.later("POST", asyncPath, padded(1<<20))
	await(t, "the job that shall be kept", slow.asked)
	assert.Equal(t, 429, d.do("POST", runPath, padded(1<<20)).StatusCode)
	assert.Equal(t, 200, d.do("POST", runPath, padded(small)).StatusCode)
	close(slow.let)
	assert.Equal(t, 202, await(t, "the job", first).StatusCode)
	require.Eventually(t, d.noBodies, 10*time.Second, time.Millisecond, "all room is free again")
	assert.Equal(t, 200, d.do("POST", runPath, padded(1<<20)).StatusCode)
}

func resident(t *testing.T) (bytes int) {
	text, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	_, err = fmt.Sscan(rest, &bytes)
	require.NoError(t, err)
	return bytes << 10
}

// One caller sends as many bodies of the largest size as he may have runs, all at once
// and none to its end. What he holds stays within his share, and others do not notice.
func TestSlowLargeBodiesDoNotFillTheMemory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: the other caller is another uid")
	}
	const bodies, most = 12, 160 << 20 // without a bound it would be 220 MiB, and in chunks twice that
	for _, inChunks := range []bool{false, true} {
		t.Run(fmt.Sprintf("in chunks: %t", inChunks), func(t *testing.T) {
			d := start(t, Config{Executor: executorFunc(echo), Slots: 16, WaitLimit: 100 * time.Millisecond, BodyTimeout: time.Minute})
			d.letAllIn()
			another := again(t, "another", d.path)
			another.SysProcAttr.Credential = &syscall.Credential{Uid: 54321, Gid: 54321}
			debug.FreeOSMemory()
			before := resident(t)

			type result struct {
				slow
				err error
			}
			answers := make(chan result, bodies)
			for range bodies {
				go func() {
					s, err := sendSlowly(d.path, maxBody, inChunks)
					answers <- result{s, err}
				}()
			}
			var sent []slow
			for range bodies {
				one := await(t, "a body", answers)
				require.NoError(t, one.err)
				sent = append(sent, one.slow)
			}
			grown := resident(t) - before
			assert.Less(t, grown, most)
			assert.Equal(t, 200, d.do("POST", runPath, padded(small)).StatusCode, "a small one of the same caller")
			told, err := another.Output()
			require.NoError(t, err)
			assert.Equal(t, "200 200 200 ", string(told), "all of another's")
			refused := 0
			for _, s := range sent {
				if r := s.finish(t); r.StatusCode != 200 {
					refused++
					assert.Equal(t, 429, r.StatusCode)
					assert.Equal(t, "1", r.Header.Get("Retry-After"))
				}
			}
			t.Logf("%d bodies of %d MiB are held, %d refused, with %d MiB", bodies-refused, maxBody>>20, refused, grown>>20)
			assert.Positive(t, refused)
			require.Eventually(t, d.noBodies, 10*time.Second, time.Millisecond, "all room is free again")
		})
	}
}
