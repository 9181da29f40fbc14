package posture

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func good() (Expectation, Process) {
	want := Expectation{
		ID: 1001, Filters: 2, Foreign: []map[string]string{{"user": "user:[1]"}, {"user": "user:[5]", "net": "net:[6]"}}, Namespaces: map[string]string{"net": "net:[3]"},
		FDs: map[string]string{"0": "/dev/null"}, FDClasses: []string{"anon_inode:[eventpoll]"},
		Mounts:  []Mount{{Point: "/", Type: "tmpfs", Options: "ro", Super: "ro"}},
		Cgroups: []string{"4:memory:/x/run-1"}, Limits: map[string]string{"Max core file size": "0 0"},
		Environ: []string{"HOME=/tmp"}, OOMScore: "1000",
		Session: 7, Dir: "/tmp", Program: "/usr/bin/python3", Undumpable: true,
	}
	return want, Process{
		Threads: map[string]Thread{"7": {
			UIDs: "1001 1001 1001 1001", GIDs: "1001 1001 1001 1001",
			CapInheritable: noCaps, CapPermitted: noCaps, CapEffective: noCaps, CapBounding: noCaps, CapAmbient: noCaps,
			NoNewPrivs: "1", Tracer: "0", Seccomp: "2", Filters: "2",
		}},
		Namespaces: map[string]string{"user": "user:[2]", "net": "net:[3]"},
		FDs:        map[string]string{"0": "/dev/null", "5": "anon_inode:[eventpoll]"},
		Mounts:     []Mount{{Point: "/", Type: "tmpfs", Options: "ro", Super: "ro,size=1k"}},
		Cgroups:    []string{"4:memory:/x/run-1", "0::/"}, Limits: map[string]string{"Max core file size": "0 0"},
		Environ: []string{"HOME=/tmp"}, OOMScore: "1000",
		Session: 7, Root: "/", Dir: "/tmp", Program: "/usr/bin/python3", Owner: 1000,
	}
}

func TestCompareFindsEachDifferenceByItsLayer(t *testing.T) {
	want, got := good()
	require.Empty(t, Compare(want, got))
	thread := func(change func(*Thread)) func(*Process) {
		return func(p *Process) {
			bad := p.Threads["7"]
			change(&bad)
			p.Threads["8"] = bad // a second thread that the first hides
		}
	}
	for _, row := range []struct {
		step   string
		change func(*Process)
	}{
		{"threads", func(p *Process) { p.Threads = nil }},
		{"setresuid", thread(func(t *Thread) { t.UIDs = "1001 0 1001 1001" })},
		{"setresgid", thread(func(t *Thread) { t.GIDs = "0 0 0 0" })},
		{"setgroups", thread(func(t *Thread) { t.Groups = "0" })},
		{"capabilities_effective", thread(func(t *Thread) { t.CapEffective = "0000000000000001" })},
		{"capabilities_permitted", thread(func(t *Thread) { t.CapPermitted = "0000000000000001" })},
		{"capabilities_inheritable", thread(func(t *Thread) { t.CapInheritable = "0000000000000001" })},
		{"capabilities_ambient", thread(func(t *Thread) { t.CapAmbient = "0000000000000001" })},
		{"bounding_set", thread(func(t *Thread) { t.CapBounding = "000001ffffffffff" })},
		{"no_new_privs", thread(func(t *Thread) { t.NoNewPrivs = "0" })},
		{"tracer", thread(func(t *Thread) { t.Tracer = "4711" })},
		{"seccomp_mode", thread(func(t *Thread) { t.Seccomp = "0" })},
		{"seccomp_filters", thread(func(t *Thread) { t.Filters = "1" })},
		{"namespace_user", func(p *Process) { p.Namespaces["user"] = "user:[1]" }},
		{"namespace_user", func(p *Process) { p.Namespaces["user"] = "user:[5]" }}, // the second that it must not be
		{"namespace_user", func(p *Process) { delete(p.Namespaces, "user") }},
		{"namespace_net", func(p *Process) { p.Namespaces["net"] = "net:[4]" }},
		{"fd_0", func(p *Process) { p.FDs["0"] = "/dev/pts/0" }},
		{"close_fds", func(p *Process) { p.FDs["9"] = "anon_inode:seccomp notify" }},
		{"mounts", func(p *Process) { p.Mounts = nil }},
		{"mounts", func(p *Process) { p.Mounts = append(p.Mounts, Mount{Point: "/proc"}) }},
		{"mounts", func(p *Process) { p.Mounts[0].Options = "rw" }},
		{"mounts", func(p *Process) { p.Mounts[0].Super = "rw" }},
		{"cgroup", func(p *Process) { p.Cgroups = []string{"4:memory:/x"} }},
		{"rlimits", func(p *Process) { p.Limits["Max core file size"] = "0 unlimited" }},
		{"oom_score_adj", func(p *Process) { p.OOMScore = "0" }},
		{"setsid", func(p *Process) { p.Session = 1 }},
		{"terminal", func(p *Process) { p.Terminal = 34816 }},
		{"root", func(p *Process) { p.Root = "/srv" }},
		{"directory", func(p *Process) { p.Dir = "/" }},
		{"program", func(p *Process) { p.Program = "/tmp/python3" }},
		{"dumpable", func(p *Process) { p.Owner = 1001 }},
		{"environment", func(p *Process) { p.Environ = append(p.Environ, "SECRET=1") }},
	} {
		t.Run(row.step, func(t *testing.T) {
			want, got := good()
			row.change(&got)
			diffs := Compare(want, got)
			require.NotEmpty(t, diffs)
			assert.Equal(t, row.step, diffs[0].Step)
		})
	}
}

func TestReadSeesALiveProcess(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.Env, cmd.Dir = []string{"CANARY=1"}, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: &syscall.Credential{Uid: 1234, Gid: 1234}}
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() {
		stdin.Close()
		require.NoError(t, cmd.Wait())
	}()
	// Start returns in the middle of the exec, when there is no environment yet.
	_, err = stdin.Write([]byte("x"))
	require.NoError(t, err)
	_, err = io.ReadFull(stdout, make([]byte, 1))
	require.NoError(t, err)
	p, err := Read(cmd.Process.Pid)
	require.NoError(t, err)
	assert.Len(t, p.Threads, 1)
	assert.Contains(t, p.Namespaces, "user")
	assert.Contains(t, p.FDs["0"], "pipe:[")
	assert.Equal(t, "/dev/null", p.FDs["2"])
	assert.NotEmpty(t, p.Mounts)
	assert.NotEmpty(t, p.Cgroups)
	assert.Contains(t, p.Limits, "Max open files")
	assert.Equal(t, []string{"CANARY=1"}, p.Environ)
	assert.Equal(t, "/", p.Root)
	assert.Equal(t, "/", p.Dir)
	program, err := filepath.EvalSymlinks(cmd.Path)
	require.NoError(t, err)
	assert.Equal(t, program, p.Program)
	assert.Equal(t, cmd.Process.Pid, p.Session)
	assert.Zero(t, p.Terminal)
	assert.Equal(t, uint32(1234), p.Owner)
	for _, th := range p.Threads {
		assert.Len(t, th.CapBounding, len(noCaps))
		assert.Equal(t, "0", th.Seccomp)
		assert.Equal(t, "0", th.Tracer)
	}
}

func TestReadOfNoProcessIsAnError(t *testing.T) {
	_, err := Read(1 << 30)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestStatOfAProcessWithAnOddName(t *testing.T) {
	for _, row := range []struct {
		what, stat        string
		session, terminal int
		fault             bool
	}{
		{"an ordinary one", "12 (cat) S 1 12 10 34816 12 0", 10, 34816, false},
		{"a name with what looks like fields", "12 (x) S 1 2 3 4 5) R 1 12 10 0 -1 0", 10, 0, false},
		{"a name with a line feed", "12 (a\nb) S 1 12 10 0 -1 0", 10, 0, false},
		{"a line that is cut short", "12 (cat) S 1 12", 0, 0, true},
		{"nothing", "", 0, 0, true},
	} {
		t.Run(row.what, func(t *testing.T) {
			session, terminal, err := parseStat(row.stat)
			assert.Equal(t, row.fault, err != nil)
			assert.Equal(t, []int{row.session, row.terminal}, []int{session, terminal})
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("12 (cat) S 1 12 10 0 -1 0")
	f.Add("1 2 0:1 / / rw - tmpfs none rw\n")
	f.Add("Uid:\t0\t0\t0\t0\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, _, _ = parseStat(text)
		_ = parseStatus(text)
		for _, m := range parseMountinfo(text) {
			assert.NotEmpty(t, m.Point)
		}
	})
}
