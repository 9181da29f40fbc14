package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/client"
	"safe-exec/policy"
)

// residentMB is what a process has in memory.
func residentMB(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	require.NotEmpty(t, fields)
	kb, err := strconv.Atoi(fields[0])
	require.NoError(t, err)
	return kb >> 10
}

// fills brings back all that a run may: 1 MiB of control characters, which are six
// times as much JSON, and two files of 2 MiB.
const fills = `
import sys
sys.stdout.write("\x01" * 1048576)
for i in range(2): open("f%d" % i, "wb").write(b"\xff" * (2 << 20))
`

// The verdict of one job is 12 MB, and each of many readers who hardly take any of it
// used to have it in the broker's memory, more than once.
func TestManySlowReadersOfALargeResult(t *testing.T) {
	t.Parallel()
	d := startAlone(t)
	c := client.New(d.socket)
	stdout := int64(1 << 20)
	job, err := c.Submit(t.Context(), policy.Request{
		Language: "py", Code: fills, Level: "relaxed", Limits: policy.LimitsRequest{MaxStdoutBytes: &stdout},
	}, client.SubmitOptions{})
	require.NoError(t, err)
	id := job.ID
	job, err = c.Wait(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, policy.Succeeded, job.Status)
	require.Len(t, job.Result.Files, 2)

	const readers, most = 150, 450 // MB: half of what so many took, and more than a budget and its garbage
	for _, tail := range []string{"", "/events"} {
		t.Run("GET a job"+tail, func(t *testing.T) {
			var answers sync.WaitGroup
			var mu sync.Mutex
			heard := map[string]int{}
			for range readers {
				reader, err := net.Dial("unix", d.socket)
				require.NoError(t, err)
				defer reader.Close()
				_, err = fmt.Fprintf(reader, "GET /v1/jobs/%s%s HTTP/1.1\r\nHost: x\r\n\r\n", id, tail)
				require.NoError(t, err)
				answers.Go(func() {
					_ = reader.SetReadDeadline(time.Now().Add(patience))
					head := make([]byte, len("HTTP/1.1 200"))
					_, _ = io.ReadFull(reader, head) // what did not come is counted as it is
					mu.Lock()
					defer mu.Unlock()
					heard[string(head)]++
				})
			}
			all := make(chan struct{})
			go func() { answers.Wait(); close(all) }()
			peak, runs := 0, 0
			for waiting := true; waiting; {
				select {
				case <-all:
					waiting = false
				default:
				}
				result, err := c.Execute(t.Context(), policy.Request{Language: "py", Code: "print(42)"})
				require.NoError(t, err, "others are served meanwhile")
				assert.Equal(t, "42\n", result.Stdout)
				runs++
				peak = max(peak, residentMB(t, d.broker(t)))
			}
			assert.Less(t, peak, most, "MB of the broker, with %d readers", readers)
			assert.Positive(t, heard["HTTP/1.1 200"], "%v", heard)
			assert.Positive(t, heard["HTTP/1.1 429"], "%v", heard)
			assert.Equal(t, readers, heard["HTTP/1.1 200"]+heard["HTTP/1.1 429"], "each is answered: %v", heard)
			t.Logf("%d MB at most, %v, %d runs meanwhile", peak, heard, runs)
		})
	}
}
