package cgroup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestV2(t *testing.T) {
	need(t, V2)
	t.Run("every limit is in the kernel's file", v2Files)
	t.Run("one process beyond the memory limit takes the group along", v2GroupKill)
	t.Run("kill without cgroup.kill wins against processes that fork", v2KillOldKernel)
	t.Run("a limit that the kernel refuses leaves no leaf", v2Refused)
	t.Run("the parent goes where the daemon may restructure", v2Delegation)
	t.Run("the root cgroup is changed on request only", v2Root)
}

func v2Files(t *testing.T) {
	l := leaf(t, open(t), Limits{MemoryBytes: 64 << 20, Pids: 17, CPUPercent: 150})
	for _, tc := range []struct{ file, want string }{
		{"memory.max", "67108864\n"},
		{"memory.swap.max", "0\n"},
		{"memory.oom.group", "1\n"},
		{"pids.max", "17\n"},
		{"cpu.max", "150000 100000\n"},
		{"cgroup.subtree_control", ""},
	} {
		t.Run(tc.file, func(t *testing.T) {
			got, err := os.ReadFile(filepath.Join(l.dirs[0], tc.file))
			require.NoError(t, err)
			assert.Equal(t, tc.want, string(got))
		})
	}
}

func v2GroupKill(t *testing.T) {
	l := leaf(t, open(t), Limits{MemoryBytes: 64 << 20, Pids: 60, CPUPercent: 100})
	bystander := start(t, l, command("sleep"))
	start(t, l, command("allocate", fmt.Sprint(128<<20)))()
	status := bystander().Sys().(syscall.WaitStatus)
	assert.Equal(t, syscall.SIGKILL, status.Signal())
	u, err := l.Usage()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, u.OOMKills, int64(2))
}

func v2KillOldKernel(t *testing.T) {
	l := leaf(t, open(t), crowded)
	start(t, l, command("breed"))()
	for n := 1; n > 0; {
		require.NoError(t, killOnce(l.dirs, killStarters))
		pids, err := readPids(l.dirs[0])
		require.NoError(t, err)
		n = len(pids)
	}
}

func v2Refused(t *testing.T) {
	h := open(t)
	// Without its controller a limit has no file.
	require.NoError(t, writeFile(filepath.Join(h.Paths()[0], subtreeControl), "-pids"))
	var err error
	printed := printedBy(t, func() { _, err = h.NewLeaf("refused", roomy) })
	require.ErrorContains(t, err, "limit leaf refused")
	assert.Empty(t, printed)
	assert.NoDirExists(t, filepath.Join(h.Paths()[0], "refused"))
}

// delegation is what the program "delegate" found.
type delegation struct {
	Err   string   // of the first Open
	Own   []string // own cgroup afterwards
	Paths []string
	Again []string // a second parent's, opened after the first
	Moves bool
}

// delegate is a daemon that opens two parents, one after the other.
func delegate(args []string) int {
	var d delegation
	var o Options
	if err := json.Unmarshal([]byte(args[0]), &o); err != nil {
		return 1
	}
	r, err := Probe(o)
	d.Moves = r.Moves
	for i := 0; err == nil && i < 2; i++ {
		var h *Hierarchy
		if h, err = Open(fmt.Sprintf("parent-%d", i), o); err != nil {
			break
		}
		d.Paths, d.Again = d.Again, h.Paths()
		var l *Leaf
		if l, err = h.NewLeaf("leaf", roomy); err == nil {
			// The kernel asks who may move a process across the common ancestor.
			_, err = startIn(l, command("sleep"))
			err = errors.Join(err, l.Kill(), l.WaitEmpty(context.Background()), l.Close())
		}
		if err == nil {
			err = h.Close()
		}
	}
	if err != nil {
		d.Err = err.Error()
	}
	own, err := ownGroups()
	for _, g := range own {
		d.Own = append(d.Own, g.dir)
	}
	if err != nil || json.NewEncoder(os.Stdout).Encode(d) != nil {
		return 1
	}
	return 0
}

func v2Delegation(t *testing.T) {
	for _, tc := range []struct {
		name      string
		delegated bool   // the unit carries systemd's mark
		in        string // where the daemon starts below the unit
		crowded   bool   // another process is in the unit
		options   Options

		own     string // where the daemon ends, below the unit
		refused string // part of Open's error
		moves   bool
	}{
		{name: "nobody delegated: refused, nothing moved, with the remedy", refused: "Delegate=yes"},
		{name: "Delegate=yes: the daemon moves to a subgroup", delegated: true, own: "daemon", moves: true},
		{name: "DelegateSubgroup=daemon: it is there already", delegated: true, in: "daemon", own: "daemon"},
		{name: "DelegateSubgroup of another name", delegated: true, in: "main", own: "main"},
		{name: "on request without delegation", options: Options{EnableControllers: true}, own: "daemon", moves: true},
		{name: "delegated, but not to the daemon alone", delegated: true, crowded: true, own: "daemon", refused: "other processes", moves: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			unit := newUnit(t, tc.delegated)
			above, err := os.ReadFile(filepath.Join(filepath.Dir(unit), subtreeControl))
			require.NoError(t, err)
			in := filepath.Join(unit, tc.in)
			if tc.in != "" {
				require.NoError(t, os.Mkdir(in, 0o755))
			}
			if tc.crowded {
				cmd := command("sleep")
				require.NoError(t, startAt(t, unit, cmd.Start, func(a *syscall.SysProcAttr) { cmd.SysProcAttr = a }))
				t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
			}
			options, err := json.Marshal(tc.options)
			require.NoError(t, err)
			cmd := command("delegate", string(options))
			var out bytes.Buffer
			cmd.Stdout = &out
			require.NoError(t, startAt(t, in, cmd.Run, func(a *syscall.SysProcAttr) { cmd.SysProcAttr = a }))
			var d delegation
			require.NoError(t, json.Unmarshal(out.Bytes(), &d), out.String())

			assert.Equal(t, []string{filepath.Join(unit, tc.own)}, d.Own)
			assert.Equal(t, tc.moves, d.Moves)
			if tc.refused != "" {
				assert.Contains(t, d.Err, tc.refused)
			} else {
				require.Empty(t, d.Err)
				assert.Equal(t, []string{filepath.Join(unit, "parent-0")}, d.Paths)
				assert.Equal(t, []string{filepath.Join(unit, "parent-1")}, d.Again)
			}
			after, err := os.ReadFile(filepath.Join(filepath.Dir(unit), subtreeControl))
			require.NoError(t, err)
			assert.Equal(t, string(above), string(after), "no ancestor's controllers change")
		})
	}
}

// newUnit makes a cgroup like that of a systemd unit.
func newUnit(t *testing.T, delegated bool) string {
	t.Helper()
	dir := filepath.Dir(open(t).Paths()[0])
	unit := filepath.Join(dir, fmt.Sprintf("unit-%d", names.Add(1)))
	require.NoError(t, os.Mkdir(unit, 0o755))
	t.Cleanup(func() { require.NoError(t, removeTree(unit)) })
	if delegated {
		require.NoError(t, unix.Lsetxattr(unit, "trusted.delegate", []byte("1"), 0))
	}
	return unit
}

// startAt starts a process born in a v2 group.
func startAt(t *testing.T, dir string, start func() error, set func(*syscall.SysProcAttr)) error {
	t.Helper()
	f, err := openDir(dir)
	require.NoError(t, err)
	defer f.Close()
	set(&syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())})
	return start()
}

func v2Root(t *testing.T) {
	if os.Getenv("SAFEEXEC_VM") != "1" {
		t.Skip("changes the root cgroup: only in the VM")
	}
	own, err := ownGroups()
	require.NoError(t, err)
	require.True(t, isRoot(own[0].dir), "the VM runs tests in the root cgroup")
	require.NoError(t, writeFile(filepath.Join(own[0].dir, subtreeControl), "-cpu"))

	r, err := Probe(Options{})
	require.NoError(t, err)
	assert.Zero(t, r.Version)
	assert.Contains(t, r.Reason, "cpu")
	assert.Contains(t, r.Remedy, "enable_controllers")
	_, err = Open("refused", Options{})
	require.ErrorIs(t, err, ErrUnavailable)

	r, err = Probe(Options{EnableControllers: true})
	require.NoError(t, err)
	assert.Equal(t, []string{cpu}, r.Enables)
	leaf(t, open(t), roomy)
	r, err = Probe(Options{})
	require.NoError(t, err)
	assert.Equal(t, V2, r.Version, "%s", r.Reason)
}
