package compile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
	"safe-exec/seccomp/bpfsim"
	"safe-exec/seccomp/compile"
)

// filters are all that the product loads.
var filters = []struct {
	list  string
	phase seccomp.Phase
	// calls is how many system calls may at most be allowed, with whatever
	// arguments. It may be lowered; raising it widens what reaches the kernel.
	calls int
}{
	{"python", seccomp.Steady, 92},
	{"python", seccomp.Startup, 97},
	{"javascript", seccomp.Steady, 84},
	{"javascript", seccomp.Startup, 88},
	{"init", seccomp.Steady, 42},
	{"forkinit", seccomp.Steady, 8},
	{"broker", seccomp.Steady, 74},
	{"native", seccomp.Steady, 8}, // beside those of python or javascript
}

func policy(t testing.TB, list string, phase seccomp.Phase) seccomp.Policy {
	t.Helper()
	name := list + ".syscalls"
	f, err := os.Open(filepath.Join("..", "..", "profiles", name))
	require.NoError(t, err)
	defer f.Close()
	p, err := seccomp.ParsePolicy(name, f, phase)
	require.NoError(t, err)
	return p
}

func machine(t *testing.T, p seccomp.Policy) *bpfsim.Machine {
	t.Helper()
	prog, err := compile.Compile(p)
	require.NoError(t, err)
	m, err := bpfsim.New(prog)
	require.NoError(t, err)
	return m
}

func TestListsAllowNoMoreThan(t *testing.T) {
	for _, f := range filters {
		p := policy(t, f.list, f.phase)
		t.Run(p.Name, func(t *testing.T) {
			allowed := make(map[string]bool)
			for _, r := range p.Rules {
				if r.Action == seccomp.Allow {
					allowed[r.Syscall] = true
				}
			}
			assert.LessOrEqual(t, len(allowed), f.calls, "the list allows more calls than it did")
			prog, err := compile.Compile(p)
			require.NoError(t, err)
			t.Logf("%d calls, %d rules, %d instructions, %.12s", len(allowed), len(p.Rules), len(prog), prog.Digest())
		})
	}
}

// steadyReports: what steady reports, start-up must not answer with an errno,
// which would outrank the notification.
func TestStartupHidesNoReport(t *testing.T) {
	for _, list := range []string{"python", "javascript"} {
		steady := machine(t, policy(t, list, seccomp.Steady))
		startup := machine(t, policy(t, list, seccomp.Startup))
		for nr := range uint32(600) {
			for _, args := range [][6]uint64{{}, {1, 1, 1, 1, 1, 1}, {15, 2, 7, 0x20, 5, 6}, {^uint64(0), ^uint64(0), ^uint64(0)}} {
				call := bpfsim.Call{Nr: nr, Args: args}
				after, before := run(t, steady, call), run(t, startup, call)
				if _, errno := before.Errno(); errno || after != seccomp.Notify {
					assert.Equal(t, after, before, "%s: %s", list, compile.SyscallName(int(nr)))
				}
			}
		}
	}
}

func run(t *testing.T, m *bpfsim.Machine, c bpfsim.Call) seccomp.Action {
	t.Helper()
	a, err := m.Run(c)
	require.NoError(t, err)
	return a
}

const (
	pthread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD |
		unix.CLONE_SYSVSEM | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	goThread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM |
		unix.CLONE_THREAD | unix.CLONE_SETTLS
	rwx  = unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC
	rx   = unix.PROT_READ | unix.PROT_EXEC
	high = 1 << 40
)

// answers of one call in the steady filters of Python and JavaScript, and in
// the init's.
func TestSteadyAnswers(t *testing.T) {
	const (
		allow  = seccomp.Allow
		notify = seccomp.Notify
		kill   = seccomp.KillProcess
	)
	refuse, nosys, inval := seccomp.Errno(unix.EPERM), seccomp.Errno(unix.ENOSYS), seccomp.Errno(unix.EINVAL)
	nr := func(n uint32, args ...uint64) bpfsim.Call {
		c := bpfsim.Call{Nr: n}
		copy(c.Args[:], args)
		return c
	}
	for _, row := range []struct {
		what             string
		call             bpfsim.Call
		python, js, init seccomp.Action
	}{
		{"a read is allowed", nr(unix.SYS_READ, 3), allow, allow, allow},
		{"i386 kills, even a harmless number", bpfsim.Call{Nr: 20, Arch: bpfsim.ArchI386}, kill, kill, kill},
		{"an unknown architecture kills", bpfsim.Call{Nr: 0, Arch: 1}, kill, kill, kill},
		{"the x32 read kills", nr(bpfsim.X32 | unix.SYS_READ), kill, kill, kill},
		{"the x32 execve kills", nr(bpfsim.X32 | 520), kill, kill, kill},
		{"an x32 number beyond all kills", nr(0xfffffffe), kill, kill, kill},
		{"number -1 is refused, for a tracer uses it to skip a call", nr(0xffffffff), notify, notify, refuse},
		{"a number no kernel has is refused", nr(9999), notify, notify, refuse},

		{"a thread of glibc is allowed", nr(unix.SYS_CLONE, pthread), allow, allow, refuse},
		{"a thread of Go is allowed in the init alone", nr(unix.SYS_CLONE, goThread), notify, notify, allow},
		{"a thread with high bits set is the same thread", nr(unix.SYS_CLONE, pthread|high), allow, allow, refuse},
		{"clone as fork is refused", nr(unix.SYS_CLONE, uint64(unix.SIGCHLD)), notify, notify, refuse},
		{"a thread in a new user namespace is refused", nr(unix.SYS_CLONE, pthread|unix.CLONE_NEWUSER), notify, notify, refuse},
		{"a thread that shares no memory is refused", nr(unix.SYS_CLONE, pthread&^unix.CLONE_VM), notify, notify, refuse},
		{"a traced thread is refused", nr(unix.SYS_CLONE, pthread|unix.CLONE_PTRACE), notify, notify, refuse},
		{"clone3 does not exist", nr(unix.SYS_CLONE3), nosys, nosys, refuse},
		{"fork is refused", nr(unix.SYS_FORK), notify, notify, refuse},
		{"vfork is refused", nr(unix.SYS_VFORK), notify, notify, refuse},
		{"execve is refused", nr(unix.SYS_EXECVE), notify, notify, refuse},
		{"execveat is refused", nr(unix.SYS_EXECVEAT), notify, notify, refuse},

		{"socketpair of AF_UNIX is allowed in Python alone",
			nr(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC), allow, notify, refuse},
		{"socketpair of AF_UNIX with a high bit is the same",
			nr(unix.SYS_SOCKETPAIR, unix.AF_UNIX|high, unix.SOCK_STREAM|unix.SOCK_CLOEXEC), allow, notify, refuse},
		{"socketpair of AF_INET is refused", nr(unix.SYS_SOCKETPAIR, unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC), notify, notify, refuse},
		{"socketpair of AF_TIPC is refused", nr(unix.SYS_SOCKETPAIR, unix.AF_TIPC, unix.SOCK_STREAM|unix.SOCK_CLOEXEC), notify, notify, refuse},
		{"socketpair of datagrams is refused", nr(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_DGRAM), notify, notify, refuse},
		{"a socket is refused", nr(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM), notify, notify, refuse},
		{"a socket of AF_UNIX is refused", nr(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM), notify, notify, refuse},
		{"a socket with a high bit is refused", nr(unix.SYS_SOCKET, unix.AF_UNIX|high, unix.SOCK_STREAM), notify, notify, refuse},
		{"send is allowed", nr(unix.SYS_SENDTO, 5, 1, 1, 0), allow, notify, allow},
		{"send out of band is refused", nr(unix.SYS_SENDTO, 5, 1, 1, unix.MSG_OOB), notify, notify, allow},
		{"send to an address is refused", nr(unix.SYS_SENDTO, 5, 1, 1, 0, 0x7f0000000000), notify, notify, allow},
		{"recv out of band is refused", nr(unix.SYS_RECVFROM, 5, 1, 1, unix.MSG_OOB), notify, notify, allow},
		{"recv out of band with a high bit is refused", nr(unix.SYS_RECVFROM, 5, 1, 1, unix.MSG_OOB|high), notify, notify, allow},
		{"passing descriptors is the init's alone", nr(unix.SYS_SENDMSG, 5), notify, notify, allow},

		{"anonymous memory is allowed", nr(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS), allow, allow, allow},
		{"writable code is the JIT's alone", nr(unix.SYS_MMAP, 0, 4096, rwx, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS), notify, allow, refuse},
		{"writable code from a file is refused in Python", nr(unix.SYS_MMAP, 0, 4096, rwx, unix.MAP_PRIVATE), notify, allow, refuse},
		{"a shared library is allowed", nr(unix.SYS_MMAP, 0, 4096, rx, unix.MAP_PRIVATE), allow, allow, refuse},
		{"code from nowhere is refused in Python", nr(unix.SYS_MMAP, 0, 4096, rx, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS), notify, allow, refuse},
		{"making memory executable is the JIT's alone", nr(unix.SYS_MPROTECT, 0, 4096, rx), notify, allow, refuse},
		{"mprotect that grows downwards is refused", nr(unix.SYS_MPROTECT, 0, 4096, unix.PROT_READ|unix.PROT_GROWSDOWN), notify, notify, refuse},
		{"mremap may move", nr(unix.SYS_MREMAP, 0, 1, 1, unix.MREMAP_MAYMOVE), allow, allow, refuse},
		{"mremap that leaves the old mapping is refused", nr(unix.SYS_MREMAP, 0, 1, 1, unix.MREMAP_MAYMOVE|unix.MREMAP_DONTUNMAP), notify, notify, refuse},
		{"madvise for page-out is refused", nr(unix.SYS_MADVISE, 0, 1, unix.MADV_PAGEOUT), notify, notify, refuse},

		{"a lock wakes its own process", nr(unix.SYS_FUTEX, 0, 1|128), allow, allow, allow},
		{"a shared wake is refused", nr(unix.SYS_FUTEX, 0, 1), notify, notify, refuse},
		{"a shared wake with a high bit is refused", nr(unix.SYS_FUTEX, 0, high|1), notify, notify, refuse},
		{"a thread can be joined", nr(unix.SYS_FUTEX, 0, 9|256), allow, allow, refuse},
		{"requeue is refused", nr(unix.SYS_FUTEX, 0, 4|128), notify, notify, refuse},
		{"priority inheritance is refused", nr(unix.SYS_FUTEX, 0, 6|128), notify, notify, refuse},

		{"own limits can be read", nr(unix.SYS_PRLIMIT64, 0, 3, 0, 0x7000), allow, allow, refuse},
		{"limits cannot be set", nr(unix.SYS_PRLIMIT64, 0, 3, 0x7000, 0), notify, notify, refuse},
		{"limits cannot be set from above 4 GiB", nr(unix.SYS_PRLIMIT64, 0, 3, high, 0), notify, notify, refuse},
		{"limits of others cannot be read", nr(unix.SYS_PRLIMIT64, 7, 3, 0, 0x7000), notify, notify, refuse},

		{"abort is allowed", nr(unix.SYS_TGKILL, 2, 2, uint64(unix.SIGABRT)), allow, allow, refuse},
		{"kill -9 of itself is allowed", nr(unix.SYS_KILL, 2, uint64(unix.SIGKILL)), allow, allow, refuse},
		{"a forged SIGSYS is refused", nr(unix.SYS_KILL, 2, uint64(unix.SIGSYS)), notify, notify, refuse},
		{"a forged SIGSYS with a high bit is refused", nr(unix.SYS_KILL, 2, high|uint64(unix.SIGSYS)), notify, notify, refuse},
		{"a forged SIGSYS to a thread is refused", nr(unix.SYS_TGKILL, 2, 2, uint64(unix.SIGSYS)), notify, notify, refuse},
		{"SIGIO is allowed", nr(unix.SYS_KILL, 2, uint64(unix.SIGIO)), allow, allow, refuse},
		{"a real-time signal is refused", nr(unix.SYS_KILL, 2, 34), notify, notify, refuse},
		{"a signal with data is refused", nr(unix.SYS_RT_SIGQUEUEINFO, 2, 31), notify, notify, refuse},
		{"preemption of Go is the init's", nr(unix.SYS_TGKILL, 1, 1, uint64(unix.SIGURG)), allow, allow, allow},

		{"a lock on a file is refused", nr(unix.SYS_FCNTL, 3, unix.F_SETLK), notify, notify, refuse},
		{"flock is refused", nr(unix.SYS_FLOCK, 3, 2), notify, notify, refuse},
		{"a lease is refused", nr(unix.SYS_FCNTL, 3, unix.F_SETLEASE), notify, notify, refuse},
		{"the signal of a descriptor cannot be chosen", nr(unix.SYS_FCNTL, 3, unix.F_SETSIG), notify, notify, refuse},
		{"a pipe cannot be grown", nr(unix.SYS_FCNTL, 3, unix.F_SETPIPE_SZ), notify, notify, refuse},
		{"isatty is allowed", nr(unix.SYS_IOCTL, 1, unix.TCGETS), allow, allow, refuse},
		{"typing into a terminal is refused", nr(unix.SYS_IOCTL, 1, unix.TIOCSTI), notify, notify, refuse},
		{"typing with a high bit is refused", nr(unix.SYS_IOCTL, 1, unix.TIOCSTI|high), notify, notify, refuse},
		{"a mapping's name is a name too many", nr(unix.SYS_PRCTL, unix.PR_SET_VMA), notify, inval, inval},
		{"dumpable cannot be set again", nr(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1), notify, notify, refuse},
		{"a seccomp filter cannot be added", nr(unix.SYS_SECCOMP, 1), notify, notify, refuse},
		{"strict seccomp by prctl is refused", nr(unix.SYS_PRCTL, unix.PR_SET_SECCOMP), notify, notify, refuse},
		{"files can be opened beneath, by the init alone", nr(unix.SYS_OPENAT2), notify, notify, allow},
		{"the init opens no file otherwise", nr(unix.SYS_OPENAT), allow, allow, refuse},
	} {
		t.Run(row.what, func(t *testing.T) {
			for list, want := range map[string]seccomp.Action{"python": row.python, "javascript": row.js, "init": row.init} {
				assert.Equal(t, want.String(), run(t, steady(t, list), row.call).String(), list)
			}
		})
	}
}

var steadyMachines = make(map[string]*bpfsim.Machine)

func steady(t *testing.T, list string) *bpfsim.Machine {
	if steadyMachines[list] == nil {
		steadyMachines[list] = machine(t, policy(t, list, seccomp.Steady))
	}
	return steadyMachines[list]
}

// ofTheBroker are what it needs beyond any jail: it is who callers connect to, and
// keeps files that one process owns.
var ofTheBroker = []string{"accept4", "setsockopt", "getsockopt", "flock"}

// TestNeverAllowed holds whatever the arguments are.
func TestNeverAllowed(t *testing.T) {
	for _, name := range []string{
		"execveat", "fork", "vfork", "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount",
		"open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "ptrace", "process_vm_readv",
		"process_vm_writev", "process_madvise", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kcmp",
		"io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd", "splice",
		"tee", "vmsplice", "sendfile", "memfd_create", "memfd_secret", "add_key", "request_key", "keyctl",
		"landlock_create_ruleset", "landlock_restrict_self", "shmget", "shmat", "semget", "msgget", "mq_open",
		"inotify_init1", "fanotify_init", "flock", "setuid", "setgid", "setresuid", "setresgid", "setgroups",
		"setfsuid", "capset", "setrlimit", "sched_setscheduler", "sched_setattr", "sched_setaffinity", "setpriority",
		"personality", "modify_ldt", "setxattr", "getxattr", "mknod", "mknodat", "chown", "fchown", "lchown",
		"fchownat", "timer_create", "setitimer", "alarm", "timerfd_create", "signalfd4", "rt_sigqueueinfo",
		"rt_tgsigqueueinfo", "tkill", "socket", "connect", "bind", "listen", "accept", "accept4", "sendmmsg",
		"recvmmsg", "setsockopt", "getsockopt", "name_to_handle_at", "open_by_handle_at", "remap_file_pages",
		"mlock", "mlockall", "move_pages", "migrate_pages", "set_mempolicy", "mbind", "kexec_load", "init_module",
		"finit_module", "reboot", "swapon", "syslog", "acct", "quotactl", "iopl", "ioperm", "lookup_dcookie",
		"uselib", "ustat", "vhangup", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname",
		"setsid", "setpgid", "futex_waitv", "rseq_slice_yield", "clone3", "pkey_mprotect",
	} {
		for _, f := range filters {
			for _, r := range policy(t, f.list, f.phase).Rules {
				if r.Syscall == name && (f.list != "broker" || !slices.Contains(ofTheBroker, name)) {
					assert.NotEqual(t, seccomp.Allow, r.Action, "%s %v: %s", f.list, f.phase, name)
				}
			}
		}
	}
}

func TestStartupOnly(t *testing.T) {
	for _, list := range []string{"python", "javascript"} {
		m := machine(t, policy(t, list, seccomp.Startup))
		loadFlags := uint64(unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH |
			unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
		for _, row := range []struct {
			what string
			nr   uint32
			args [6]uint64
			want seccomp.Action
		}{
			{"the interpreter can be executed", unix.SYS_EXECVE, [6]uint64{}, seccomp.Allow},
			{"the steady filter can be loaded", unix.SYS_SECCOMP, [6]uint64{1, loadFlags}, seccomp.Allow},
			{"and before Linux 5.19", unix.SYS_SECCOMP, [6]uint64{1, loadFlags &^ unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV}, seccomp.Allow},
			{"no filter without a listener", unix.SYS_SECCOMP, [6]uint64{1, unix.SECCOMP_FILTER_FLAG_TSYNC}, seccomp.Notify},
			{"no strict mode", unix.SYS_SECCOMP, [6]uint64{0}, seccomp.Notify},
			{"dumpable can be cleared", unix.SYS_PRCTL, [6]uint64{unix.PR_SET_DUMPABLE, 0}, seccomp.Allow},
			{"dumpable cannot be set", unix.SYS_PRCTL, [6]uint64{unix.PR_SET_DUMPABLE, 1}, seccomp.Notify},
			{"no_new_privs can be read", unix.SYS_PRCTL, [6]uint64{unix.PR_GET_NO_NEW_PRIVS}, seccomp.Allow},
			{"a socket is refused already", unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX}, seccomp.Notify},
			{"a fork is refused already", unix.SYS_FORK, [6]uint64{}, seccomp.Notify},
			{"x32 kills already", bpfsim.X32, [6]uint64{}, seccomp.KillProcess},
		} {
			t.Run(list+": "+row.what, func(t *testing.T) {
				assert.Equal(t, row.want.String(), run(t, m, bpfsim.Call{Nr: row.nr, Args: row.args}).String())
			})
		}
	}
}
