package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// report says of each attack whether it has won.
func report(t targets) {
	won := map[string]string{}
	for name, attack := range map[string]func() error{
		"read a file of root's":           func() error { _, err := os.ReadFile(t.Secret); return err },
		"read what everybody may read":    func() error { _, err := os.ReadFile("/etc/passwd"); return err },
		"list the root":                   func() error { _, err := os.ReadDir("/"); return err },
		"write outside its directory":     func() error { return os.WriteFile(t.Outside, []byte("x"), 0o600) },
		"a socket of root's":              func() error { return dial("unix", t.Socket) },
		"an abstract socket":              func() error { return dial("unix", "@"+t.Socket) },
		"connect by TCP":                  func() error { return dial("tcp", fmt.Sprintf("127.0.0.1:%d", t.Port)) },
		"listen by TCP":                   listen,
		"start a program":                 func() error { return run(t.Program) },
		"trace a process of root's":       func() error { return trace(t.Victim) },
		"read a process's memory":         func() error { return readMemory(t.Victim) },
		"signal a process of root's":      func() error { return unix.Kill(t.Victim, unix.SIGCONT) },
		"a handle of a process":           func() error { fd, err := unix.PidfdOpen(t.Victim, 0); unix.Close(fd); return err },
		"unshare":                         func() error { return unix.Unshare(unix.CLONE_FS) },
		"make memory executable":          executable,
		"a memory file":                   func() error { fd, err := unix.MemfdCreate("x", 0); unix.Close(fd); return err },
		"mount":                           func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE|unix.MS_SILENT, "") },
		"see another process's open file": func() error { _, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", t.Victim)); return err },
		"write where its own user may":    func() error { return os.WriteFile(t.Own, []byte("x"), 0o600) },
		"read the executor's environment": func() error { _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", t.Executor)); return err },
		"open the executor's memory":      func() error { return openMemory(t.Executor) },
		"signal the executor":             func() error { return unix.Kill(t.Executor, unix.SIGCONT) },
		"take the executor's descriptors": func() error { return takeDescriptor(t.Executor) },
		"become root":                     func() error { return errno(unix.SYS_SETUID, 0, 0, 0) },
		"change its root":                 func() error { return errno(unix.SYS_CHROOT, uintptr(unsafe.Pointer(&[]byte("/\x00")[0])), 0, 0) },
		"a user namespace":                func() error { return namespace(t.Program) },
		"a raw socket":                    func() error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) },
		"a packet socket":                 func() error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) },
		"a netlink socket":                func() error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE) },
		"a ring of io_uring":              ring,
		"a keyring":                       func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false); return err },
		"a map of bpf":                    bpfMap,
		"a counter of events":             event,
	} {
		if os.Args[1] == "bare" && name == "mount" {
			if unix.Unshare(unix.CLONE_NEWNS) != nil { // the host's own stay as they are
				continue
			}
		}
		if err := attack(); err != nil {
			won[name] = err.Error()
		} else {
			won[name] = ""
		}
	}
	text, err := json.Marshal(won)
	must(err)
	fmt.Fprintf(os.Stderr, "%s\n", text)
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err == nil {
		c.Close()
	}
	return err
}

func listen() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		l.Close()
	}
	return err
}

func run(program string) error {
	p, err := os.StartProcess(program, []string{program}, &os.ProcAttr{})
	if err == nil {
		_, err = p.Wait()
	}
	return err
}

func trace(pid int) error {
	const seize = 0x4206 // PTRACE_SEIZE stops nothing
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, seize, uintptr(pid), 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil // the end of this process is the end of it
}

// readMemory asks for no bytes of it, which is checked all the same.
func readMemory(pid int) error {
	_, err := unix.ProcessVMReadv(pid, nil, []unix.RemoteIovec{{Base: 0x400000, Len: 1}}, 0)
	return err
}

func executable() error {
	b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	return unix.Mprotect(b, unix.PROT_READ|unix.PROT_EXEC)
}

func openMemory(pid int) error {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err == nil {
		f.Close()
	}
	return err
}

// takeDescriptor takes standard error, which every process of ours has.
func takeDescriptor(pid int) error {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(process)
	fd, err := unix.PidfdGetfd(process, 2, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func errno(nr, a, b, c uintptr) error {
	if _, _, e := unix.RawSyscall(nr, a, b, c); e != 0 {
		return e
	}
	return nil
}

// namespace has a child make one: a process of many threads cannot.
func namespace(program string) error {
	p, err := os.StartProcess(program, []string{program}, &os.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}})
	if err == nil {
		_, err = p.Wait()
	}
	return err
}

func socket(domain, kind, protocol int) error {
	fd, err := unix.Socket(domain, kind, protocol)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func ring() error {
	var params [120]byte // struct io_uring_params
	return opened(unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0))
}

func bpfMap() error {
	attr := [18]uint32{unix.BPF_MAP_TYPE_ARRAY, 4, 4, 1} // type, sizes of key and value, entries
	return opened(unix.Syscall(unix.SYS_BPF, unix.BPF_MAP_CREATE, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr)))
}

func event() error {
	attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func opened(fd, _ uintptr, e syscall.Errno) error {
	if e != 0 {
		return e
	}
	return unix.Close(int(fd))
}
