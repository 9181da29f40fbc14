package vmtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"safe-exec/internal/vmtest/console"
)

// qemuName is the emulator, and qemuPackage the Debian package that brings it.
const (
	qemuName    = "qemu-system-x86_64"
	qemuPackage = "qemu-system-x86"
)

// KVMEnv set to 1 uses the host's KVM device instead of emulation.
const KVMEnv = "SAFEEXEC_KVM"

// Machine is a virtual machine that boots, runs its list and powers off.
type Machine struct {
	Kernel  string        // image on the host
	Initrd  string        // archive on the host
	Memory  int           // MiB, above zero; the archive is unpacked into it
	Timeout time.Duration // of the whole life, above zero
	KVM     bool
}

// ErrTimeout is wrapped by Run's error where the machine outlived its time-out
// and was killed.
var ErrTimeout = errors.New("the machine ran into the whole time-out")

// Qemu returns the path of the emulator, and installs it where it is missing
// and apt may.
func Qemu(ctx context.Context) (string, error) {
	p, err := exec.LookPath(qemuName)
	if err == nil {
		return p, nil
	}
	install := []string{"install", "-y", "--no-install-recommends", qemuPackage}
	if _, err := tool(ctx, "", "apt-get", install...); err != nil {
		if _, err := tool(ctx, "", "apt-get", "update"); err != nil {
			return "", fmt.Errorf("install %s: %w", qemuPackage, err)
		}
		if _, err := tool(ctx, "", "apt-get", install...); err != nil {
			return "", fmt.Errorf("install %s: %w", qemuPackage, err)
		}
	}
	return exec.LookPath(qemuName)
}

// kernelArgs are the kernel's command line. The kernel distrusts an emulated
// time stamp counter, and then each look at the clock is a system call: that
// turns a program that computes into one that mostly sits in the kernel.
const kernelArgs = "console=ttyS0 quiet panic=-1 random.trust_cpu=on tsc=reliable secretmem.enable=1 " +
	"lsm=landlock,lockdown,yama,integrity,apparmor,bpf"

// args are the emulator's. Everything the machine has is named: no default
// devices, no network, no disk, and a console that goes one way.
func (m Machine) args() []string {
	accel, cpu := "tcg,thread=multi", "max,la57=off" // emulated five-level page tables only cost time
	if m.KVM {
		accel, cpu = "kvm", "host"
	}
	return []string{
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-machine", "q35", "-accel", accel, "-cpu", cpu,
		"-smp", "2", "-m", fmt.Sprintf("%dM", m.Memory),
		"-kernel", m.Kernel, "-initrd", m.Initrd,
		"-append", kernelArgs,
		"-serial", "stdio",
	}
}

// Run boots the machine, passes what its console says to show and to the
// parser, and returns when it is off. The emulator dies with this process. An
// error says that the machine itself failed; what the tests came to is the
// parser's.
func (m Machine) Run(ctx context.Context, qemu string, show io.Writer, parser *console.Parser) error {
	if m.Timeout <= 0 || m.Memory <= 0 {
		return fmt.Errorf("machine needs a time-out and memory, has %s and %d MiB", m.Timeout, m.Memory)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.Timeout, ErrTimeout)
	defer cancel()
	return watch(ctx, exec.CommandContext(ctx, qemu, m.args()...), show, parser)
}

// watch runs the machine's process until it ends or the context does, which
// kills it.
func watch(ctx context.Context, cmd *exec.Cmd, show io.Writer, parser *console.Parser) error {
	// The death signal is sent when the starting thread ends, not the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = os.Stderr
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start machine: %w", err)
	}
	readErr := readConsole(out, show, parser)
	err = cmd.Wait()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return fmt.Errorf("machine process %d killed: %w", cmd.Process.Pid, cause)
	}
	if err != nil {
		return fmt.Errorf("machine: %w", err)
	}
	return readErr
}

func readConsole(r io.Reader, show io.Writer, parser *console.Parser) error {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			if _, err := fmt.Fprintln(show, parser.Line(line)); err != nil {
				return fmt.Errorf("show console: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read console: %w", err)
		}
	}
}
