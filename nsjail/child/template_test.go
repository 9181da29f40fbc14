package child_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/cgroup"
	"safe-exec/nsjail/child"
	"safe-exec/nsjail/posture"
	"safe-exec/nsjail/wire"
)

const (
	noCaps  = "0000000000000000"
	setCaps = "00000000000000c0" // CAP_SETGID, CAP_SETUID
)

func ids(n uint32) string { return strings.TrimSpace(strings.Repeat(fmt.Sprint(n)+"\t", 4)) }

// thread is the posture of the one thread of a process.
func thread(t *testing.T, p posture.Process) posture.Thread {
	t.Helper()
	require.Len(t, p.Threads, 1)
	for _, one := range p.Threads {
		return one
	}
	panic("unreachable")
}

func look(t *testing.T, pidfd *os.File) posture.Process {
	p, err := posture.Read(pid(t, pidfd))
	require.NoError(t, err)
	return p
}

// insidePID is what a process is in its own pid namespace.
func insidePID(t *testing.T, pidfd *os.File) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid(t, pidfd)))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "NSpid:"); ok {
			fields := strings.Fields(rest)
			return fields[len(fields)-1]
		}
	}
	return ""
}

// kinds shortens the targets of descriptors to what they are.
func kinds(fds map[string]string) map[string]string {
	short := make(map[string]string)
	for fd, target := range fds {
		short[fd], _, _ = strings.Cut(target, ":[")
		if strings.HasPrefix(target, "anon_inode:") {
			short[fd] = target
		}
		if strings.HasPrefix(target, "/memfd:"+child.SupervisorName) {
			short[fd] = "init"
		}
	}
	return short
}

var namespaces = []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}

// settled waits until the template has closed what was a fork's, which it does
// once the fork's init is a program of its own.
func settled(t *testing.T, s *stage) {
	t.Helper()
	require.Eventually(t, func() bool { return len(look(t, s.payload).FDs) == 7 }, noTimeout, time.Millisecond,
		"the template keeps more than null, its log, job, orders, /proc and the init")
}

func TestWhatATemplateAndItsForksAre(t *testing.T) {
	s := newStage(t)
	f := s.fork(s.order)
	settled(t, s)
	root := posture.Mount{Point: "/", Type: "tmpfs", Options: "noatime,nodev,nosuid,ro", Super: "ro"}
	tmp := posture.Mount{Point: "/tmp", Type: "tmpfs", Options: "noatime,nodev,noexec,nosuid,rw", Super: "rw"}
	dev := posture.Mount{Point: "/dev", Type: "tmpfs", Options: "noatime,noexec,nosuid,ro", Super: "ro"}
	bare := posture.Thread{CapInheritable: noCaps, CapPermitted: noCaps, CapEffective: noCaps, CapBounding: noCaps, CapAmbient: noCaps, NoNewPrivs: "1", Tracer: "0", Seccomp: "2", Filters: "1"}
	able := bare
	able.CapInheritable, able.CapPermitted, able.CapEffective, able.Seccomp, able.Filters = setCaps, setCaps, setCaps, "0", "0"
	template, init, payload := look(t, s.payload), look(t, f.init), look(t, f.payload)
	for _, row := range []struct {
		name   string
		pidfd  *os.File
		got    posture.Process
		thread posture.Thread
		uid    uint32
		pid    string // inside
		dir    string
		leaf   *cgroup.Leaf
		fds    map[string]string
		mounts []posture.Mount
	}{
		{"the template maps ids and mounts nothing", s.payload, template, able, ownUID, "100", "/", s.home,
			map[string]string{"0": "/dev/null", "3": "socket", "4": "socket", "5": "/", "6": "init"}, []posture.Mount{root, dev}},
		{"a forked init has nothing left but its socket", f.init, init, bare, forkUID, "1", "/tmp", f.leaf,
			map[string]string{"0": "/dev/null", "1": "/dev/null", "3": "socket", "5": "anon_inode:[pidfd]"}, []posture.Mount{root, dev, tmp}},
		{"a forked payload is that of a cold start", f.payload, payload, bare, forkUID + 1, "2", "/tmp", f.leaf,
			map[string]string{"0": "/dev/null", "1": "pipe", "2": "pipe", "3": "socket"}, []posture.Mount{root, dev, tmp}},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := row.thread
			want.UIDs, want.GIDs = ids(row.uid), ids(row.uid)
			if row.uid == ownUID {
				want.GIDs = ids(templateGID)
			}
			got := thread(t, row.got)
			got.UIDs, got.GIDs = strings.Join(strings.Fields(got.UIDs), "\t"), strings.Join(strings.Fields(got.GIDs), "\t")
			assert.Equal(t, want, got)
			assert.Equal(t, row.pid, insidePID(t, row.pidfd))
			assert.Equal(t, row.dir, row.got.Dir)
			assert.Equal(t, "/", row.got.Root)
			assert.Subset(t, row.got.Cgroups, row.leaf.Membership())
			fds := kinds(row.got.FDs)
			for _, log := range []string{"1", "2"} { // the test's own, where it is not said
				if row.fds[log] == "" {
					assert.Contains(t, fds, log)
					delete(fds, log)
				}
			}
			assert.Equal(t, row.fds, fds)
			for i := range row.got.Mounts { // sizes are not in question
				row.got.Mounts[i].Super, _, _ = strings.Cut(row.got.Mounts[i].Super, ",")
			}
			assert.ElementsMatch(t, row.mounts, row.got.Mounts)
		})
	}
	t.Run("a fork shares no namespace with its template, and its payload all with its init", func(t *testing.T) {
		assert.Equal(t, init.Namespaces, payload.Namespaces)
		for _, name := range namespaces {
			assert.NotEqual(t, template.Namespaces[name], init.Namespaces[name], name)
		}
	})
	t.Run("the payload leads a session of its own", func(t *testing.T) {
		assert.Equal(t, pid(t, f.payload), payload.Session)
	})
	t.Run("the payload has its limits", func(t *testing.T) {
		assert.Equal(t, "64 64", payload.Limits["Max open files"])
	})
	t.Run("a sibling shares no namespace", func(t *testing.T) {
		order := s.order
		order.InitID, order.PayloadID = s.inside(forkUID+2), s.inside(forkUID+3)
		other := look(t, s.fork(order).payload)
		for _, name := range namespaces {
			assert.NotEqual(t, payload.Namespaces[name], other.Namespaces[name], name)
		}
	})
}

// TestWhatAPayloadFinds runs Python in forks; what it prints is compared.
func TestWhatAPayloadFinds(t *testing.T) {
	s := newStage(t)
	for _, row := range []struct{ name, code, want string }{
		{"it is process 2 of its namespace", "print(posix.getpid(), posix.getppid())", "2 1"},
		{"its working directory is its own", "print(posix.getcwd()); fd = posix.open('a', posix.O_CREAT | posix.O_WRONLY); print(posix.fstat(fd).st_uid)", "/tmp\n1"},
		{"and is empty", "print(posix.listdir('/tmp'))", "[]"},
		{"it may not list the root", "\ntry: posix.listdir('/')\nexcept PermissionError: print('refused')", "refused"},
		{"its thread knows its number", "import _thread; print(_thread.get_native_id())", "2"},
		{"a thread can be started", "import _thread; l = _thread.allocate_lock(); l.acquire(); _thread.start_new_thread(l.release, ()); l.acquire(); print('ran')", "ran"},
		{"the end of a child is not ignored", "import _signal; print(int(_signal.getsignal(_signal.SIGCHLD)))", "0"},
		{"no signal is blocked", "import _signal; print(_signal.pthread_sigmask(_signal.SIG_BLOCK, []))", "set()"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := s.fork(s.order)
			defer f.end()
			_, err := f.job.WriteString(row.code)
			require.NoError(t, err)
			s.event(f.control, wire.EventExited)
			stderr, _ := io.ReadAll(f.stderr)
			stdout, _ := io.ReadAll(f.stdout)
			assert.Equal(t, row.want, strings.TrimSpace(string(stdout)), "%s", stderr)
		})
	}
}
