// Command hostile is a broker in an attacker's hands: it joins as one must, and
// then does what its configuration says. With "bare" in place of a directory it
// does the same unconfined, which is the control.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/internal/broker"
	"safe-exec/policy"
)

// targets are what the attacks are on: planted by the test, and nothing else.
type targets struct {
	Do      string // the name of an attack, "attacks" for all, or a behaviour below
	Secret  string // a file of root's alone
	Outside string // a file in a directory that everybody may write to
	Socket  string // a socket of root's alone
	Port    int    // of TCP on 127.0.0.1
	Victim  int    // a process of root's
	Program string // what there is to execute
}

func main() {
	if os.Args[1] == "bare" {
		var t targets
		must(json.Unmarshal([]byte(os.Args[2]), &t))
		report(t)
		return
	}
	n, err := strconv.Atoi(os.Args[2])
	must(err)
	j, err := broker.Join(os.Args[1], n)
	must(err)
	var t targets
	must(json.Unmarshal(j.Config, &t))
	switch t.Do {
	case "attacks":
		report(t)
		serve(j)
	case "serve":
		serve(j)
	case "ask and die":
		go func() { _ = j.Client.Run() }()
		go func() { _, _ = j.Client.Execute(context.Background(), policy.Request{}) }()
		must(j.Client.Ready())
		time.Sleep(time.Hour)
	case "die":
		must(j.Client.Ready())
		os.Exit(3)
	case "die before ready":
		os.Exit(3)
	case "die before ready from the second time on":
		f, err := os.OpenFile(j.Dir+"/served", os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			f.Close()
			must(j.Client.Ready())
		}
		os.Exit(3)
	case "ignore the end": // of the link, which it closes
		must(j.Client.Ready())
		must(j.Client.Close())
		time.Sleep(time.Hour)
	case "ignore the drain":
		must(j.Client.Ready())
		_ = j.Client.Run()
	case "nonsense":
		must(j.Client.Ready())
		_, err := unix.Write(linkFD(), binary.LittleEndian.AppendUint32([]byte{'x'}, 1<<31))
		must(err)
		time.Sleep(time.Hour)
	}
}

func serve(j *broker.Joined) {
	go func() { <-j.Client.Draining(); os.Exit(0) }()
	must(j.Client.Ready())
	must(j.Client.Run())
}

// linkFD finds the link among the descriptors: the one socket that is connected.
func linkFD() int {
	for fd := 3; fd < 64; fd++ {
		if _, err := unix.Getpeername(fd); err == nil {
			return fd
		}
	}
	panic("no link")
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

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
