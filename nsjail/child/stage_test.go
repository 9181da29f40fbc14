package child_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/nsjail/child"
	"safe-exec/nsjail/image"
	"safe-exec/nsjail/initbin"
	"safe-exec/nsjail/landlock"
	"safe-exec/nsjail/shim"
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/profiles"
	"safe-exec/seccomp"
	"safe-exec/seccomp/compile"
)

// script is a template in Python. What it writes to the job socket before the
// forks is one byte; each fork writes one, and then executes what it reads.
const script = `
import posix
from _frozen_importlib import ModuleSpec
from _imp import create_dynamic
shim = create_dynamic(ModuleSpec("_safe_exec", None, origin="` + profiles.HarnessDir + `/_safe_exec.abi3.so"))
posix.write(3, b"B")
shim.serve_forks(4, 5)
posix.write(3, b"F")
exec(posix.read(3, 65536).decode())
`

// Host uids that no other test uses.
const (
	firstUID    = 1_950_000_000
	uids        = 64
	ownUID      = firstUID + 10 // the template's own pair
	templateGID = firstUID - 2
	forkUID     = firstUID + 4
	noTimeout   = 30 * time.Second // of a test that would else hang
)

// stage is a spawner with Python's image, and a template on it.
type stage struct {
	t         testing.TB
	hierarchy *cgroup.Hierarchy
	image     *image.Image
	leaves    int

	spawner, orders, control, job *os.File
	home                          *cgroup.Leaf
	init, payload                 *os.File // pidfds of the template's
	order                         child.ForkOrder
}

// common is what all stages share. It ends with the process.
var common struct {
	once    sync.Once
	image   *image.Image
	spawner *os.File
}

// newStage starts a template.
func newStage(t testing.TB) *stage {
	require.Zero(t, os.Geteuid(), "namespaces for other uids need root")
	s := &stage{t: t}
	var err error
	s.hierarchy, err = cgroup.Open(fmt.Sprintf("safe-exec-test-fork-%d", os.Getpid()), cgroup.Options{EnableControllers: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.hierarchy.Close()) })
	common.once.Do(s.startSpawner)
	s.image, s.spawner = common.image, common.spawner
	s.startTemplate()
	abi, err := landlock.ABI()
	require.NoError(t, err)
	s.order = child.ForkOrder{
		CgroupV2: s.hierarchy.Version() == cgroup.V2,
		InitID:   s.inside(forkUID), PayloadID: s.inside(forkUID + 1),
		TmpBytes: 1 << 20, TmpInodes: 64,
		Rlimits:     []wire.Rlimit{{Resource: unix.RLIMIT_NOFILE, Value: 64}},
		LandlockABI: uint32(abi), ReadRoots: s.image.Roots,
		StartupFilter: filter(t, "python", seccomp.Startup), InitFilter: filter(t, "init", seccomp.Steady),
		MemfdErrno: memfdErrno(t), CloseFrom: 4,
	}
	return s
}

func (s *stage) inside(host uint32) uint32 {
	id, ok := child.InsideID(firstUID, uids, ownUID, host)
	require.True(s.t, ok)
	return id
}

// memfdErrno asks the kernel that forks will ask.
func memfdErrno(t testing.TB) syscall.Errno {
	fd, err := unix.MemfdCreate("probe", unix.MFD_CLOEXEC|unix.MFD_EXEC)
	if err == unix.EINVAL {
		return unix.EINVAL
	}
	require.NoError(t, err)
	unix.Close(fd)
	return unix.EACCES
}

func filter(t testing.TB, list string, phase seccomp.Phase) string {
	text, err := profiles.Syscalls(list)
	require.NoError(t, err)
	p, err := seccomp.ParsePolicy(list, bytes.NewReader(text), phase)
	require.NoError(t, err)
	program, err := compile.Compile(p)
	require.NoError(t, err)
	return string(program.Marshal())
}

func pair(t testing.TB, kind int) (ours, theirs *os.File) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	timeout := unix.NsecToTimeval(noTimeout.Nanoseconds())
	require.NoError(t, unix.SetsockoptTimeval(fds[0], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout))
	return os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
}

func number(files ...*os.File) (fds []int) {
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	return fds
}

func (s *stage) startSpawner() {
	var err error
	common.image, err = image.Build(s.t.Context(), image.Config{Language: policy.Python, Files: map[string][]byte{
		profiles.HarnessDir + "/template.py":        []byte(script),
		profiles.HarnessDir + "/_safe_exec.abi3.so": shim.Python(),
	}})
	require.NoError(s.t, err)
	program := filepath.Join(s.t.TempDir(), "init")
	require.NoError(s.t, os.WriteFile(program, initbin.Program(), 0o755))
	ours, theirs := pair(s.t, unix.SOCK_SEQPACKET)
	cmd := &exec.Cmd{
		Path: program, Args: []string{child.SpawnerName}, Env: []string{}, Dir: "/",
		ExtraFiles: []*os.File{theirs}, Stderr: os.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS, Setsid: true},
	}
	require.NoError(s.t, cmd.Start())
	theirs.Close()
	common.spawner = ours
	devices, err := image.Devices()
	require.NoError(s.t, err)
	defer devices.Close()
	reply, peer := pair(s.t, unix.SOCK_SEQPACKET)
	defer reply.Close()
	defer peer.Close()
	request := wire.Request{Kind: wire.RequestMounts, Names: []string{"python"}}
	require.NoError(s.t, wire.SendPacket(int(ours.Fd()), request.Encode(), number(peer, devices, common.image.Mount)...))
	s.event(reply, wire.EventStarted)
}

// event receives one event of that kind, and the descriptor with it.
func (s *stage) event(socket *os.File, kind wire.EventKind) (wire.Event, *os.File) {
	s.t.Helper()
	msg, fds, err := wire.RecvPacket(int(socket.Fd()))
	require.NoError(s.t, err)
	e, err := wire.DecodeEvent(msg)
	require.NoError(s.t, err)
	require.Equal(s.t, kind, e.Kind, "%s: %v", e.Step, syscall.Errno(e.Errno))
	if len(fds) == 0 {
		return e, nil
	}
	require.Len(s.t, fds, 1)
	return e, os.NewFile(uintptr(fds[0]), "pidfd")
}

func (s *stage) leaf() *cgroup.Leaf {
	s.leaves++
	leaf, err := s.hierarchy.NewLeaf(fmt.Sprintf("leaf-%d", s.leaves), cgroup.Limits{MemoryBytes: 256 << 20, Pids: 64, CPUPercent: 200})
	require.NoError(s.t, err)
	return leaf
}

// remove waits until a leaf is empty, which its end brings about.
func (s *stage) remove(leaf *cgroup.Leaf) {
	ctx, cancel := context.WithTimeout(context.Background(), noTimeout)
	defer cancel()
	require.NoError(s.t, leaf.WaitEmpty(ctx))
	require.NoError(s.t, leaf.Close())
}

func (s *stage) startTemplate() {
	s.home = s.leaf()
	joiner, err := s.home.Joiner()
	require.NoError(s.t, err)
	defer joiner.Close()
	control, controlPeer := pair(s.t, unix.SOCK_SEQPACKET)
	job, jobPeer := pair(s.t, unix.SOCK_STREAM)
	orders, ordersPeer := pair(s.t, unix.SOCK_SEQPACKET)
	reply, replyPeer := pair(s.t, unix.SOCK_SEQPACKET)
	defer reply.Close()
	home := s.home
	s.control, s.job, s.orders = control, job, orders
	s.t.Cleanup(func() {
		control.Close()
		job.Close()
		orders.Close()
		s.remove(home)
	})
	v2 := joiner.Version == cgroup.V2
	program := s.supervisor()
	defer program.Close()
	files := []*os.File{replyPeer, controlPeer, jobPeer, os.Stderr, os.Stderr, program, ordersPeer}
	if v2 {
		files = append(files, joiner.Dir)
	}
	files = append(append(files, joiner.Leaf...), joiner.Home...)
	request := wire.Request{
		Kind: wire.RequestSpawn, InitUID: ownUID, PayloadUID: ownUID + 1, CgroupV2: v2,
		Template: true, FirstUID: firstUID, UIDs: uids, TemplateGID: templateGID,
	}
	require.NoError(s.t, wire.SendPacket(int(s.spawner.Fd()), request.Encode(), number(files...)...))
	for _, f := range []*os.File{replyPeer, controlPeer, jobPeer, ordersPeer} {
		f.Close()
	}
	_, s.init = s.event(reply, wire.EventStarted)
	abi, err := landlock.ABI()
	require.NoError(s.t, err)
	setup := wire.Setup{
		Image: "python", LandlockABI: uint32(abi), ReadRoots: s.image.Roots, UnshareCgroup: v2, Template: true,
		Rlimits: []wire.Rlimit{{Resource: unix.RLIMIT_CORE}, {Resource: unix.RLIMIT_NOFILE, Value: 256}},
		Argv:    []string{s.image.Interpreter, "-I", "-S", "-B", profiles.HarnessDir + "/template.py"},
		Env:     []string{"PATH=/usr/bin"}, InitFilter: filter(s.t, "init", seccomp.Steady),
	}
	require.NoError(s.t, wire.SendPacket(int(control.Fd()), setup.Encode()))
	_, s.payload = s.event(control, wire.EventStarted)
	s.read(job, "B")
	s.event(orders, wire.EventStarted)
}

// supervisor is the program that inits become. On a disk, Landlock
// would refuse it.
func (s *stage) supervisor() *os.File {
	fd, err := unix.MemfdCreate(child.SupervisorName, unix.MFD_CLOEXEC|unix.MFD_EXEC)
	if err == unix.EINVAL { // before Linux 6.3 every memory file was executable
		fd, err = unix.MemfdCreate(child.SupervisorName, unix.MFD_CLOEXEC)
	}
	require.NoError(s.t, err)
	f := os.NewFile(uintptr(fd), child.SupervisorName)
	_, err = f.Write(shim.Supervisor())
	require.NoError(s.t, err)
	return f
}

func (s *stage) read(job io.Reader, want string) {
	s.t.Helper()
	got := make([]byte, len(want))
	_, err := io.ReadFull(job, got)
	require.NoError(s.t, err)
	require.Equal(s.t, want, string(got))
}

// pid is what /proc says of a pidfd.
func pid(t testing.TB, pidfd *os.File) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", pidfd.Fd()))
	require.NoError(t, err)
	var n int
	for line := range bytes.Lines(text) {
		if _, err := fmt.Sscanf(string(line), "Pid: %d", &n); err == nil {
			return n
		}
	}
	require.Fail(t, "no Pid in fdinfo")
	return 0
}
