package benchmark

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const megabyte = 1e6

// process is one of a jail, as /proc tells it from outside.
type process struct {
	pid   int
	inner int // its pid in its own namespace
	args  []string
}

// jail is the processes of one pid namespace.
type jail []process

// pid1 is the jail's pid 1, nil if it is gone.
func (j jail) pid1() *process { return j.find(func(p process) bool { return p.inner == 1 }) }

func (j jail) payload() *process { return j.find(func(p process) bool { return p.inner != 1 }) }

func (j jail) find(is func(process) bool) *process {
	if i := slices.IndexFunc(j, is); i >= 0 {
		return &j[i]
	}
	return nil
}

// pids gives the pids of all processes.
func pids() []int {
	entries, _ := os.ReadDir("/proc")
	var all []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// jails finds the daemon's by their uids, so without asking it what it holds. A
// process that ends meanwhile is left out.
func jails(d *Daemon) map[string]jail {
	found := make(map[string]jail)
	for _, pid := range pids() {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		uid, ok := number(field(string(status), "Uid:", 0))
		if !ok || uid < int(d.FirstUID) || uid-int(d.FirstUID) >= int(d.UIDs) {
			continue
		}
		namespace, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid))
		if err != nil {
			continue
		}
		ids := strings.Fields(line(string(status), "NSpid:"))
		if len(ids) == 0 {
			continue
		}
		inner, _ := number(ids[len(ids)-1])
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		args := strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00")
		found[namespace] = append(found[namespace], process{pid, inner, args})
	}
	return found
}

// memoryMB is a process's memory in megabytes: of its own alone, and with the
// share of what it shares. Both are 0 if it is gone.
func memoryMB(pid int) (private, proportional float64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, 0
	}
	return memoryOf(string(b))
}

// memoryOf reads smaps_rollup.
func memoryOf(text string) (private, proportional float64) {
	// In whole kilobytes: a sum of fractions comes out above what it is a part of.
	own := 0
	for _, key := range []string{"Private_Clean:", "Private_Dirty:", "Private_Hugetlb:"} {
		own += kilobytes(text, key)
	}
	return megabytes(own), kilobytesMB(text, "Pss:")
}

// residentMB is a process's resident memory in megabytes, 0 if it is gone.
func residentMB(pid int) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return kilobytesMB(string(b), "VmRSS:")
}

// meminfoMB is one line of /proc/meminfo.
func meminfoMB(key string) float64 {
	b, _ := os.ReadFile("/proc/meminfo")
	return kilobytesMB(string(b), key+":")
}

// sleeping says whether a process is in the system call of time.sleep.
func sleeping(pid int) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", pid))
	call, _, _ := strings.Cut(string(b), " ")
	return call == strconv.Itoa(syscall.SYS_CLOCK_NANOSLEEP)
}

// parts finds the daemon's other processes: what starts jails, and what talks to
// callers; 0 for one that is not there.
func parts(pid int) (spawner, broker int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for word := range strings.FieldsSeq(string(b)) {
			child, ok := number(word)
			if !ok {
				continue
			}
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
			if args := strings.Split(string(line), "\x00"); len(args) > 1 && args[1] == "broker" {
				broker = child
			} else {
				spawner = child
			}
		}
	}
	return spawner, broker
}

func kilobytesMB(text, key string) float64 { return megabytes(kilobytes(text, key)) }

func kilobytes(text, key string) int {
	kb, _ := number(field(text, key, 0))
	return kb
}

func megabytes(kilobytes int) float64 { return float64(kilobytes) * 1024 / megabyte }

// line is what follows the key at the beginning of a line.
func line(text, key string) string {
	for l := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(l, key); ok {
			return rest
		}
	}
	return ""
}

func field(text, key string, i int) string {
	if words := strings.Fields(line(text, key)); i < len(words) {
		return words[i]
	}
	return ""
}

func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil
}
