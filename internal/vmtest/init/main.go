// Command init is process 1 of the test machine: it makes the small part of a
// real system that the tests stand on (a root that can be pivoted, proc, sys,
// dev, cgroup v2 with every controller, tmpfs, loopback), runs a list of
// commands one after another as root in the root cgroup, reports each on the
// serial console, and powers off.
//
// It loads no module and starts no service: whatever a test needs is built into
// the kernel or lies in the initramfs. It protects nothing; the machine around
// it is thrown away.
package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"safe-exec/internal/vmtest/console"
)

func main() {
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "init: runs only as process 1 of a test machine, where it takes the system over")
		os.Exit(2)
	}
	if err := boot(); err != nil {
		fmt.Println(console.FatalLine(err))
	}
	// Leaving process 1 would panic the kernel; that is also what is left
	// where the machine cannot be switched off.
	unix.Sync()
	err := unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	fmt.Println(console.FatalLine(fmt.Errorf("power off: %w", err)))
}

func boot() error {
	for _, s := range steps {
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	data, err := os.ReadFile(console.CommandsPath)
	if err != nil {
		return fmt.Errorf("list of commands: %w", err)
	}
	commands, err := console.ParseCommands(data)
	if err != nil {
		return fmt.Errorf("list of commands: %w", err)
	}
	fmt.Println(console.StartLine(len(commands)))
	for _, c := range commands {
		fmt.Println(console.BeginLine(c.Name))
		report, err := run(c)
		if err != nil {
			// The command's verdict still holds, so the list goes on.
			fmt.Println(console.NoteLine(c.Name + ": " + err.Error()))
			if errors.Is(err, errUnkillable) {
				return err
			}
		}
		fmt.Println(report.Line())
	}
	fmt.Println(console.EndLine(len(commands)))
	return nil
}
