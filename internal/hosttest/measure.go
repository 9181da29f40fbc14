package hosttest

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// burstOf is the processor time of one sample: longer than a turn that the kernel gives
// (some milliseconds), so that it has to wait for others as any work has.
const burstOf = 10 * time.Millisecond

// burst takes that much processor time, and says how long it took.
func burst() (wanted, took time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin, first := time.Now(), threadTime()
	for wanted < burstOf {
		wanted = threadTime() - first
	}
	return wanted, time.Since(begin)
}

func threadTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic(err) // no Linux is without it
	}
	return time.Duration(ts.Nano())
}

// usage is processor time since the host's start, in ticks of the kernel's clock.
type usage struct {
	all  int64 // of every process
	ours int64 // of this process and of what it has started
}

func used() (u usage) {
	line, _, _ := strings.Cut(read("/proc/stat"), "\n")
	for i, field := range strings.Fields(line) { // cpu user nice system idle iowait irq softirq
		if 1 <= i && i <= 3 {
			u.all += number(field)
		}
	}
	u.ours = usedBy(os.Getpid())
	return u
}

// usedBy is of a process, of its children that it has waited for, and of all that live.
func usedBy(pid int) (ticks int64) {
	text := read(fmt.Sprintf("/proc/%d/stat", pid)) // nothing of one that ended meanwhile
	_, rest, _ := strings.Cut(text[max(strings.LastIndex(text, ")"), 0):], ") ")
	for i, field := range strings.Fields(rest) { // from the third field of proc_pid_stat(5)
		if 11 <= i && i <= 14 {
			ticks += number(field)
		}
	}
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, thread := range threads {
		for child := range strings.FieldsSeq(read(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))) {
			ticks += usedBy(int(number(child)))
		}
	}
	return ticks
}

func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

func number(field string) int64 {
	n, _ := strconv.ParseInt(field, 10, 64)
	return n
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
