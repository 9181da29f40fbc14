package escape

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"safe-exec/nsjail/lease"
)

// Host counts what runs could leave behind.
type Host struct {
	Processes int `json:"processes"`     // of the uids that the jails get
	Mounts    int `json:"mounts"`        // where the process that runs the jails is
	Leaves    int `json:"cgroup_leaves"` // below the jails' parent
	FDs       int `json:"descriptors"`   // of the process that runs the jails
	Keys      int `json:"key_users"`     // of these uids
}

// Watch looks at the host: uids and parent are those of the jails, pid is the
// process that runs them.
func Watch(uids lease.Range, parent string, pid int) func() (Host, error) {
	return func() (h Host, err error) {
		if h.Processes, err = processesOf(uids); err != nil {
			return h, err
		}
		mounts, err := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", pid))
		if err != nil {
			return h, err
		}
		h.Mounts = strings.Count(string(mounts), "\n")
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			return h, err
		}
		h.FDs = len(fds)
		keys, err := os.ReadFile("/proc/key-users")
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a kernel without keys
			return h, err
		}
		for line := range strings.Lines(string(keys)) {
			uid, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			if n, err := strconv.ParseUint(uid, 10, 32); err == nil && uids.Has(uint32(n)) {
				h.Keys++
			}
		}
		h.Leaves = leaves(parent)
		return h, nil
	}
}

// count is one of a Host's, by the words that a report uses.
type count struct {
	what string
	n    int
}

func (h Host) counts() []count {
	return []count{
		{"processes", h.Processes}, {"mounts", h.Mounts}, {"cgroup leaves", h.Leaves}, {"descriptors", h.FDs}, {"key users", h.Keys},
	}
}

// more says what there is more of than before, "" if nothing.
func (h Host) more(before Host) string {
	var found []string
	was := before.counts()
	for i, c := range h.counts() {
		if c.n > was[i].n {
			found = append(found, fmt.Sprintf("%s %d instead of %d", c.what, c.n, was[i].n))
		}
	}
	return strings.Join(found, ", ")
}

func processesOf(uids lease.Range) (int, error) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range all {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		info, err := os.Stat("/proc/" + e.Name())
		if err != nil {
			continue // ended meanwhile
		}
		if uid, ok := ownerOf(info); ok && uids.Has(uid) {
			n++
		}
	}
	return n, nil
}

// leaves counts the directories below a parent of that name, in all hierarchies.
func leaves(parent string) int {
	n := 0
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && filepath.Base(filepath.Dir(path)) == parent {
			n++
		}
		return nil
	})
	return n
}
