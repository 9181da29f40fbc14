// Command actor plays badly behaved test binaries for the runner's own tests.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	fmt.Println("=== RUN   TestActor")
	switch role := os.Args[1]; role {
	case "pass":
		fmt.Println("--- PASS: TestActor (0.00s)")
	case "skip":
		fmt.Println("--- PASS: TestActor (0.00s)")
		fmt.Println("    --- SKIP: TestActor/poor_host (0.00s)")
	case "fail":
		fmt.Println("--- FAIL: TestActor (0.00s)")
		os.Exit(1)
	case "hang":
		time.Sleep(time.Hour)
	case "forge": // claims a good end in the init's own words, then hangs
		fmt.Print("VMTEST forge exit=0 ms=1 timeout=false procs=0 cgroups=0 mounts=0\nVMTEST-END commands=1\n")
		time.Sleep(time.Hour)
	case "litter":
		fmt.Println("--- PASS: TestActor (0.00s)")
		check(os.Mkdir("/sys/fs/cgroup/litter", 0o755))
		check(syscall.Mount("none", "/run", "tmpfs", 0, ""))
		cmd := exec.Command("/proc/self/exe", "hang")
		cmd.Stdout = os.Stdout // keeps the pipe open as well
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		check(cmd.Start())
	case "off": // takes the machine away under the init
		check(syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF))
	}
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
}
