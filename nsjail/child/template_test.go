package child_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

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
		if strings.HasPrefix(target, "/memfd:"+child.ForkInitName) {
			short[fd] = "init"
		}
	}
	return short
}

var namespaces = []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}

func TestWhatATemplateAndItsForksAre(t *testing.T) {
	s := newStage(t)
	f := s.fork(s.order)
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

// gone says whether a process has ended, and waits for it.
func gone(t *testing.T, pidfd *os.File) {
	t.Helper()
	polled := []unix.PollFd{{Fd: int32(pidfd.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(polled, int(noTimeout.Milliseconds()))
	require.NoError(t, err)
	require.Equal(t, 1, n, "it lives on")
}

func alive(t *testing.T, pidfd *os.File) {
	t.Helper()
	require.NoError(t, unix.PidfdSendSignal(int(pidfd.Fd()), 0, nil, 0))
}

func TestHowForksEnd(t *testing.T) {
	s := newStage(t)
	for _, row := range []struct {
		name string
		end  func(*testing.T, *fork)
		want syscall.WaitStatus
	}{
		{"by the program", func(t *testing.T, f *fork) {
			_, err := f.job.WriteString("import sys; open('/tmp/x', 'w').write('x'); sys.exit(7)")
			require.NoError(t, err)
		}, 7 << 8},
		{"by a signal from outside", func(t *testing.T, f *fork) {
			require.NoError(t, unix.PidfdSendSignal(int(f.payload.Fd()), unix.SIGKILL, nil, 0))
		}, syscall.WaitStatus(unix.SIGKILL)},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := s.fork(s.order)
			row.end(t, f)
			e, _ := s.event(f.control, wire.EventExited)
			assert.Equal(t, row.want, syscall.WaitStatus(e.Status))
			free := s.order.TmpBytes
			if row.want.Exited() {
				free -= 4096 // the file
			}
			assert.Equal(t, free, e.FreeBytes)
			assert.NotZero(t, e.FreeInodes)
			alive(t, f.init) // the daemon decides when the namespaces go
			f.control.Close()
			gone(t, f.init)
		})
	}
	t.Run("with the daemon's end of control", func(t *testing.T) {
		f := s.fork(s.order)
		f.control.Close()
		gone(t, f.init)
		gone(t, f.payload)
	})
	t.Run("not with the template, but with its init", func(t *testing.T) {
		f := s.fork(s.order)
		s.orders.Close()
		e, _ := s.event(s.control, wire.EventExited)
		assert.Zero(t, e.Status)
		alive(t, f.init)
		alive(t, f.payload)
		s.control.Close()
		gone(t, s.init)
		gone(t, f.init)
		gone(t, f.payload)
	})
}

func TestAStepOfAForkThatFailsIsNamed(t *testing.T) {
	s := newStage(t)
	for _, row := range []struct {
		name  string
		order func(*child.ForkOrder)
		reply bool // who says it: the template or the fork
		step  string
		errno syscall.Errno
	}{
		{"ids that the template does not have", func(o *child.ForkOrder) { o.InitID = 5000 }, true, "spawn_uid_map", unix.EPERM},
		{"memory files that can be executed", func(o *child.ForkOrder) { o.MemfdErrno = unix.ENOSYS }, false, "memfd_noexec_proof", s.order.MemfdErrno},
		{"a directory that cannot be mounted", func(o *child.ForkOrder) { o.TmpInodes = 1 << 63 }, false, "mount_tmp", unix.EINVAL},
		{"a root that is not there", func(o *child.ForkOrder) { o.ReadRoots = []string{"/usr", "/nowhere"} }, false, "landlock_ruleset", unix.ENOENT},
		{"an init's filter that is none", func(o *child.ForkOrder) { o.InitFilter = "" }, false, "init_filter", unix.EINVAL},
		{"a payload's limit above the template's", func(o *child.ForkOrder) { o.Rlimits = []wire.Rlimit{{Resource: unix.RLIMIT_NOFILE, Value: 1 << 20}} }, false, "rlimits", unix.EPERM},
		{"a payload's filter that is none", func(o *child.ForkOrder) { o.StartupFilter = "" }, false, "startup_filter", unix.EINVAL},
	} {
		t.Run(row.name, func(t *testing.T) {
			order := s.order
			row.order(&order)
			packet, err := order.Encode()
			require.NoError(t, err)
			f := s.send(packet)
			socket := f.reply
			if !row.reply {
				s.event(f.reply, wire.EventStarted)
				socket = f.control
			}
			e, _ := s.event(socket, wire.EventFault)
			assert.Equal(t, row.step, e.Step)
			assert.Equal(t, row.errno, syscall.Errno(e.Errno))
		})
	}
	t.Run("and the template serves on", func(t *testing.T) { s.fork(s.order) })
}

func TestAnOrderThatIsMalformedEndsTheTemplate(t *testing.T) {
	s := newStage(t)
	whole, err := s.order.Encode()
	require.NoError(t, err)
	const header, size, operation = 48, 32, 64
	with := func(at int, v uint32) []byte {
		b := append([]byte(nil), whole...)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for _, row := range []struct {
		name   string
		packet []byte
	}{
		{"an empty one", []byte{0}},
		{"one that ends in its header", whole[:header-1]},
		{"one that is cut short", whole[:len(whole)-1]},
		{"one with more behind", append(append([]byte(nil), whole...), 0)},
		{"another version", with(0, 9)},
		{"more operations than there are", with(16, 1<<31)},
		{"as many as overflow", with(20, 1<<32-1)},
		{"more data than there is", with(size, 1<<32-1)},
		{"a map beyond the data", with(36, 1<<20)},
		{"a step's name beyond the data", with(header+44, 1<<20)},
		{"an unknown check", with(header+48, 9)},
		{"a result beyond the data", with(header+56, 1<<20)},
		{"a pointer beyond the data", with(header+4, 1<<30|1)},
	} {
		t.Run(row.name, func(t *testing.T) {
			s.startTemplate()
			f := s.send(row.packet)
			e, _ := s.event(s.control, wire.EventExited)
			assert.Equal(t, "71", strconv.Itoa(syscall.WaitStatus(e.Status).ExitStatus()))
			_, _, err := wire.RecvPacket(int(f.reply.Fd()))
			assert.ErrorIs(t, err, io.EOF)
		})
	}
}

func TestOrdersThatNoTemplateTakesAreNotWritten(t *testing.T) {
	good := child.ForkOrder{MemfdErrno: unix.EACCES, CloseFrom: 4}
	for _, row := range []struct {
		name   string
		change func(*child.ForkOrder)
		want   error
	}{
		{"a good one is written", func(*child.ForkOrder) {}, nil},
		{"a payload that loses its job socket", func(o *child.ForkOrder) { o.CloseFrom = 3 }, syscall.EINVAL},
		{"one that keeps a fork's descriptors", func(o *child.ForkOrder) { o.CloseFrom = child.ForkFDs + 1 }, syscall.EINVAL},
		{"nothing said of memory files", func(o *child.ForkOrder) { o.MemfdErrno = 0 }, syscall.EINVAL},
		{"filters larger than a packet", func(o *child.ForkOrder) { o.StartupFilter = strings.Repeat("x", 64<<10) }, child.ErrOrderSize},
	} {
		t.Run(row.name, func(t *testing.T) {
			order := good
			row.change(&order)
			_, err := order.Encode()
			assert.Equal(t, row.want, err)
		})
	}
}
