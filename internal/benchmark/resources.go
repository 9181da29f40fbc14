package benchmark

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// resources takes stock of what the daemon holds, and the kernel for it.
func resources(d *Daemon) Resources {
	spawner, broker := parts(d.Pid)
	return Resources{
		DaemonRSSMB: residentMB(d.Pid) + residentMB(broker), SpawnerRSSMB: residentMB(spawner),
		Descriptors: descriptors(d.Pid) + descriptors(spawner) + descriptors(broker),
		Cgroups:     leaves(d.CgroupParent), Namespaces: namespaces(),
		SlabUnreclaimableMB: meminfoMB("SUnreclaim"), SlabMB: meminfoMB("Slab"), MemAvailableMB: meminfoMB("MemAvailable"),
	}
}

func descriptors(pid int) int {
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(list)
}

// leaves counts the directories below every cgroup of this name.
func leaves(parent string) (n int) {
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && filepath.Base(filepath.Dir(path)) == parent {
			n++
		}
		return nil // what was removed meanwhile is not there
	})
	return n
}

// namespaces counts the distinct ones that processes of the host are in. One
// that only a mount or descriptor keeps is not among them; the slab shows it.
func namespaces() int {
	seen := make(map[string]bool)
	for _, pid := range pids() {
		for _, kind := range []string{"cgroup", "ipc", "mnt", "net", "pid", "user", "uts"} {
			if name, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, kind)); err == nil {
				seen[name] = true
			}
		}
	}
	return len(seen)
}

// slabObjects counts the live objects of each cache that the kernel cannot
// reclaim by itself; where it does not tell, there are none.
func slabObjects() map[string]int {
	text, _ := os.ReadFile("/proc/slabinfo")
	found := make(map[string]int)
	for l := range strings.Lines(string(text)) {
		words := strings.Fields(l)
		if len(words) < 2 {
			continue
		}
		reclaim, _ := os.ReadFile("/sys/kernel/slab/" + words[0] + "/reclaim_account")
		if n, ok := number(words[1]); ok && strings.TrimSpace(string(reclaim)) != "1" {
			found[words[0]] = n
		}
	}
	return found
}

// grown lists the caches that got at least one object for every second run, and
// more than the thousands that come and go by themselves.
func grown(before, after map[string]int, runs int) map[string]int {
	const noise = 5000
	more := make(map[string]int)
	for name, n := range after {
		if by := n - before[name]; by >= max(noise, runs/2) {
			more[name] = by
		}
	}
	return more
}
