package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/wiring"
)

// smallDisk is a daemon whose state is on a file system of 8 MiB, in a mount
// namespace of its own.
type smallDisk struct {
	*served
	ballast string
}

func startOnSmallDisk(t *testing.T, config string) smallDisk {
	t.Helper()
	require.NoError(t, compile())
	socket := newSocket(t)
	state := filepath.Dir(newSocket(t))
	by := []string{
		"unshare", "--mount", "--propagation", "private", "sh", "-c",
		"mount -t tmpfs -o size=8m,mode=711 small " + state + " && ln -s " + stateDir + "/" + wiring.CacheName + " " + state + ` && exec "$@"`, "sh",
	}
	d := launchBy(t, by, socket, "--config", program(t, "c.yaml", noSpares+config), "--state-dir", state)
	d.expect(t, "READY=1")
	return smallDisk{d, fmt.Sprintf("/proc/%d/root%s/ballast", d.cmd.Process.Pid, state)}
}

// fill takes all the room that there is.
func (d smallDisk) fill(t *testing.T) {
	t.Helper()
	f, err := os.OpenFile(d.ballast, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer f.Close()
	for {
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// queue sends jobs with much to keep until one is refused.
func (d smallDisk) queue(t *testing.T, a *agent, first int) (ids []string, refused reply) {
	t.Helper()
	for i := first; i < first+1000; i++ {
		code := fmt.Sprintf("print(%d) # %s", i, strings.Repeat("x", 64<<10))
		r := a.call("/v1/tools/safe-exec/async", map[string]any{"language": "python", "code": code})
		if r.HTTP != http.StatusAccepted {
			return ids, r
		}
		ids = append(ids, r.JobID)
	}
	require.FailNow(t, "the disk does not get full")
	return nil, reply{}
}

func TestAFullDisk(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, config string
		required     bool
	}{
		{"runs that cannot be recorded do not run", "", true},
		{"runs need no record", "audit: {required: false}\n", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := startOnSmallDisk(t, row.config)
			broker := d.broker(t)
			a := impatient(d.socket)
			old, err := a.submit("old", "print('old')")
			require.NoError(t, err)
			_, result, err := a.verdict(old)
			require.NoError(t, err)
			require.Equal(t, "old\n", result.Stdout)

			var accepted []string // before the disk is full, to end while it is
			for i := range 6 {
				id, err := a.submit(fmt.Sprint("key", i), fmt.Sprintf("import time\ntime.sleep(1)\nprint(%d)", i))
				require.NoError(t, err)
				accepted = append(accepted, id)
			}
			d.fill(t)
			more, refused := d.queue(t, a, len(accepted))
			accepted = append(accepted, more...)
			assert.Equal(t, http.StatusServiceUnavailable, refused.HTTP, "%+v", refused)
			assert.Equal(t, "unavailable", refused.Code)
			_, result, err = a.verdict(old)
			require.NoError(t, err, "what was there can be read")
			assert.Equal(t, "old\n", result.Stdout)

			var now, ready reply
			full := func() bool {
				d.fill(t)
				now, ready = a.run("print(1)"), a.call("/readyz", nil)
				return now.HTTP != http.StatusOK && ready.HTTP != http.StatusOK
			}
			if row.required {
				eventually(t, full, "it goes on running, or says that it is ready: %+v", &now)
				assert.Equal(t, http.StatusServiceUnavailable, now.HTTP)
				assert.Contains(t, now.Detail, "audit", "%+v", now)
				assert.Equal(t, http.StatusServiceUnavailable, ready.HTTP)
				assert.Contains(t, ready.Detail, "audit", "%+v", ready)
			} else {
				for range 5 {
					require.False(t, full(), "%+v %+v", now, ready)
					assert.Equal(t, "1\n", now.Stdout)
				}
			}

			require.NoError(t, os.Remove(d.ballast))
			d.serves(t)
			eventually(t, func() bool { return a.call("/readyz", nil).HTTP == http.StatusOK }, "it does not get ready again: %s", d)
			for i, id := range accepted {
				job, result, err := a.verdict(id)
				require.NoError(t, err)
				assert.Equal(t, fmt.Sprintf("%d\n", i), result.Stdout, "%+v", job)
			}
			again, err := a.submit("again", "print('again')")
			require.NoError(t, err)
			_, result, err = a.verdict(again)
			require.NoError(t, err)
			assert.Equal(t, "again\n", result.Stdout)
			assert.Equal(t, broker, d.broker(t), "nothing was started again")
		})
	}
}
