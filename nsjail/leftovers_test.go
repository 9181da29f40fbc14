package nsjail_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// host is what runs could leave behind.
type host struct {
	Processes, Mounts, Cgroups, NetNamespaces, FDs int
}

// more says that there is more of anything than before.
func (h host) more(before host) bool {
	return h.Processes > before.Processes || h.Mounts > before.Mounts || h.Cgroups > before.Cgroups ||
		h.NetNamespaces > before.NetNamespaces || h.FDs > before.FDs
}

// lookAtHost counts what belongs to this process and its jails. A namespace
// without a process needs a mount or a descriptor to live on, and those are
// counted.
func lookAtHost(t *testing.T) host {
	t.Helper()
	var h host
	uids, parent := shared.Owned()
	count := func(pattern string) int {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		return len(found)
	}
	h.FDs = count("/proc/self/fd/*")
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	h.Mounts = strings.Count(string(mounts), "\n")
	namespaces := make(map[string]bool)
	statuses, err := filepath.Glob("/proc/[0-9]*/status")
	require.NoError(t, err)
	for _, path := range statuses {
		b, _ := os.ReadFile(path) // a process that ended meanwhile counts for nothing
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "Uid:" {
				if uid, _ := strconv.Atoi(f[1]); uids.Has(uint32(uid)) {
					h.Processes++
					if ns, err := os.Readlink(filepath.Dir(path) + "/ns/net"); err == nil {
						namespaces[ns] = true
					}
				}
			}
		}
	}
	require.NoError(t, filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.Contains(path, "/"+parent) {
			h.Cgroups++
		}
		return nil
	}))
	h.NetNamespaces = len(namespaces)
	return h
}

// settledHost looks until nothing changes: jails end a moment after their answers.
func settledHost(t *testing.T) (h host) {
	t.Helper()
	alike := 0
	require.Eventually(t, func() bool {
		now := lookAtHost(t)
		if alike++; now != h {
			alike = 0
		}
		h = now
		return alike == 20
	}, 20*time.Second, 10*time.Millisecond)
	return h
}

// TestAThousandRunsLeaveNothing counts what the whole process has, so nothing runs beside.
func TestAThousandRunsLeaveNothing(t *testing.T) {
	short := policy.LimitsRequest{TimeoutMS: ptr(int64(100))}
	small := policy.LimitsRequest{MaxMemoryMB: ptr(int64(32))}
	programs := []policy.Request{
		{Language: "py", Code: "print(1)"},
		{Language: "py", Code: "print(1)"},
		{Language: "py", Code: "1/0"},
		{Language: "py", Level: relaxed, Code: "import os; os.abort()"},
		{Language: "py", Code: "import os"},
		{Language: "py", Code: "while True: pass", Limits: short},
		{Language: "py", Code: "x = bytearray(1 << 30)", Limits: small},
		{Language: "py", Level: relaxed, Code: "import threading, time\nfor _ in range(8): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()"},
		{Language: "js", Code: "console.log(1)"},
		{Language: "py", Level: relaxed, Code: "open('/tmp/x', 'wb').write(bytes(1 << 20))"},
	}
	var kinds []policy.Request
	for _, mode := range modesOf(t.Name(), "") {
		for _, req := range programs { // which also starts the templates, where jails are forked: these stay
			kinds = append(kinds, inMode(mode, req))
			execute(t, mode, req)
		}
	}
	before := settledHost(t)

	runs := repeated(1000, 100)
	const workers = 4
	jobs := make(chan policy.Request)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for req := range jobs {
				_, err := shared.Execute(context.Background(), req)
				assert.NoError(t, err)
			}
		})
	}
	for i := range runs {
		jobs <- kinds[i%len(kinds)]
	}
	close(jobs)
	wg.Wait()

	// An init that is dead is in /proc until the kernel has reaped it.
	var after host
	assert.Eventually(t, func() bool { after = lookAtHost(t); return !after.more(before) }, 30*time.Second, time.Millisecond)
	assert.False(t, after.more(before), "%+v instead of %+v", after, before)
}

func TestRunsAtOnceDoNotMix(t *testing.T) {
	inModes(t, "", func(t *testing.T, mode string) {
		const runs = 32
		var wg sync.WaitGroup
		for i := range runs {
			wg.Go(func() {
				code := "import os, time\nopen('/tmp/mine', 'w').write('" + strconv.Itoa(i) + "')\ntime.sleep(0.2)\nprint(os.listdir('/tmp'), open('/tmp/mine').read(), os.getuid())"
				result, err := shared.Execute(context.Background(), inMode(mode, policy.Request{Language: "py", Level: relaxed, Code: code, Limits: policy.LimitsRequest{TimeoutMS: ptr(int64(30000))}}))
				if assert.NoError(t, err) {
					assert.Equal(t, "['mine'] "+strconv.Itoa(i)+" 1\n", result.Stdout, "%+v %s", result.Termination, result.Stderr)
				}
			})
		}
		wg.Wait()
	})
}
