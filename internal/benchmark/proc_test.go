package benchmark

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const supervisor = "safe-exec-supervisor"

func TestWhatWaitsIsToldByItsCommandLines(t *testing.T) {
	python := []string{"/usr/bin/python3.11", "-I", "harness"}
	template := append(append([]string{}, python...), "template")
	for _, row := range []struct {
		name           string
		jail           jail
		language, kind string
	}{
		{"an init and an interpreter are a warm spare", jail{{1, 1, []string{supervisor}}, {2, 2, python}}, "python", kindWarm},
		{"the interpreter may be listed first", jail{{2, 2, python}, {1, 1, []string{supervisor}}}, "python", kindWarm},
		{"a template has a number of its own", jail{{1, 1, []string{supervisor}}, {2, 100, template}}, "python", kindTemplate},
		{"what a template forked has its command line and not its number", jail{{1, 1, []string{supervisor}}, {2, 2, template}}, "python", kindFork},
		{"Node is JavaScript", jail{{1, 1, []string{supervisor}}, {2, 2, []string{"/usr/bin/node", "x"}}}, "javascript", kindWarm},
		{"what has no interpreter is in no language", jail{{1, 1, []string{supervisor}}}, "", kindWarm},
		{"a process that ended meanwhile has no command line", jail{{1, 1, []string{""}}}, "", kindWarm},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.language, languageOf(row.jail))
			assert.Equal(t, row.kind, kindOf(row.jail))
		})
	}
}

// The jails are found by uid, so processes of a uid range that no account has
// are some.
func TestProcessesAreFoundByTheirUID(t *testing.T) {
	uid := 1_800_000_000 + 16*uint32(os.Getpid()) // the next ones are no other test's
	cmd := exec.Command("sleep", "60")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}, Cloneflags: syscall.CLONE_NEWPID}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for _, row := range []struct {
		name     string
		first, n uint32
		want     int
	}{
		{"the first uid of the range is in it", uid, 1, 1},
		{"the last uid of the range is in it", uid - 9, 10, 1},
		{"what is behind the range is not", uid - 10, 10, 0},
		{"what is before the range is not", uid + 1, 10, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			found := jails(&Daemon{FirstUID: row.first, UIDs: row.n})
			assert.Len(t, found, row.want)
			for _, j := range found {
				require.NotNil(t, j.pid1(), "its namespace is new")
				assert.Equal(t, cmd.Process.Pid, j.pid1().pid)
				assert.Nil(t, j.payload())
			}
		})
	}
	assert.Eventually(t, func() bool { return sleeping(cmd.Process.Pid) }, 10*time.Second, time.Millisecond, "it comes to its sleep")
	assert.False(t, sleeping(os.Getpid()))
}

func TestMemoryOfAProcess(t *testing.T) {
	before, _ := memoryMB(os.Getpid())
	const size = 64 << 20
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	require.NoError(t, err)
	defer func() { assert.NoError(t, syscall.Munmap(b)) }()
	for i := 0; i < size; i += 4096 {
		b[i] = 1
	}
	private, _ := memoryMB(os.Getpid())
	assert.InDelta(t, size/megabyte, private-before, 8)
	gone, _ := memoryMB(1 << 30)
	assert.Zero(t, gone)
}

// Of a process that stands still, since three readings are compared.
func TestMemoryOfItsOwnIsAPartOfAllThatAProcessHas(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.Eventually(t, func() bool { return sleeping(cmd.Process.Pid) }, 10*time.Second, time.Millisecond)
	private, proportional := memoryMB(cmd.Process.Pid)
	assert.Positive(t, private)
	assert.GreaterOrEqual(t, proportional, private)
	assert.GreaterOrEqual(t, residentMB(cmd.Process.Pid), proportional)

	private, proportional = memoryOf("Pss: 70004 kB\nPrivate_Clean: 4 kB\nPrivate_Dirty: 70000 kB\nPrivate_Hugetlb: 0 kB\n")
	assert.Equal(t, proportional, private, "where it shares nothing both are the same")
}

func TestResourcesThatGrowAreSeen(t *testing.T) {
	d := &Daemon{Pid: os.Getpid(), CgroupParent: fmt.Sprintf("benchmark-test-%d", os.Getpid())}
	before := resources(d)
	f, err := os.Open("/dev/null")
	require.NoError(t, err)
	defer f.Close()
	parents, err := filepath.Glob("/sys/fs/cgroup/pids")
	require.NoError(t, err)
	root := append(parents, "/sys/fs/cgroup")[0]
	leaf := filepath.Join(root, d.CgroupParent, "leaf")
	require.NoError(t, os.MkdirAll(leaf, 0o755))
	t.Cleanup(func() {
		assert.NoError(t, os.Remove(leaf))
		assert.NoError(t, os.Remove(filepath.Dir(leaf)))
	})
	after := resources(d)
	assert.Equal(t, before.Descriptors+1, after.Descriptors)
	assert.Zero(t, before.Cgroups)
	assert.Equal(t, 1, after.Cgroups)
	assert.GreaterOrEqual(t, before.Namespaces, 7)
	assert.Positive(t, before.MemAvailableMB)
	assert.Greater(t, before.SlabMB, before.SlabUnreclaimableMB)
}

func TestSlabCachesThatGrewWithTheRuns(t *testing.T) {
	before := map[string]int{"net_namespace": 10, "pid": 500, "cred": 100}
	for _, row := range []struct {
		name  string
		runs  int
		after map[string]int
		want  []string
	}{
		{"one object for each run is a leak", 20_000, map[string]int{"net_namespace": 20_010, "pid": 500}, []string{"net_namespace"}},
		{"one for every second run is too", 20_000, map[string]int{"pid": 10_500}, []string{"pid"}},
		{"less is noise", 20_000, map[string]int{"pid": 10_499}, nil},
		{"some thousands come and go", 100, map[string]int{"cred": 5_099}, nil},
		{"a cache that is new counts", 20_000, map[string]int{"new": 20_000}, []string{"new"}},
		{"what shrank did not grow", 20_000, map[string]int{"pid": 0}, nil},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, sortedKeys(grown(before, row.after, row.runs))) })
	}
}
