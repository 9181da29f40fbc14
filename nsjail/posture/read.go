package posture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Thread is what each thread has for itself.
type Thread struct {
	UIDs, GIDs     string // real, effective, saved, file system, as the host sees them
	Groups         string
	CapInheritable string
	CapPermitted   string
	CapEffective   string
	CapBounding    string
	CapAmbient     string
	NoNewPrivs     string
	Tracer         string // thread id of who traces it, "0" for nobody
	Seccomp        string // 2 is filter mode
	Filters        string // number of filters
}

// Process is the posture of one process.
type Process struct {
	Threads    map[string]Thread // by thread id, every one of them
	Namespaces map[string]string // name to link target
	FDs        map[string]string // number to link target
	Mounts     []Mount
	Cgroups    []string // lines of /proc/<pid>/cgroup, host view
	Limits     map[string]string
	Environ    []string
	OOMScore   string
	Session    int // id of the session
	Terminal   int // device number of the controlling terminal, 0 for none
	Root       string
	Dir        string // working directory
	Program    string // what it executes
	// Owner is the uid that owns the process's private files in /proc: that of
	// the process, or another's if it is not dumpable (proc_pid(5)).
	Owner uint32
}

// Mount is one line of mountinfo, less what differs from run to run.
type Mount struct {
	Point, Type string
	Options     string // per mount point, sorted
	Super       string // per superblock
}

// Read collects the posture of a process by pid. The caller holds a pidfd and
// must check afterwards that the process is still alive, or the pid may have
// been used again. An error means that the process ended meanwhile or that
// /proc is not mounted.
func Read(pid int) (Process, error) {
	dir := fmt.Sprintf("/proc/%d", pid)
	var p Process
	var err error
	for _, part := range []func() error{
		func() error { p.Threads, err = readThreads(dir); return err },
		func() error { p.Namespaces, err = readLinks(dir + "/ns"); return err },
		func() error { p.FDs, err = readLinks(dir + "/fd"); return err },
		func() error { p.Mounts, err = readMounts(dir); return err },
		func() error { p.Cgroups, err = readLines(dir + "/cgroup"); return err },
		func() error { p.Limits, err = readLimits(dir); return err },
		func() error { p.Environ, err = readEnviron(dir); return err },
		func() error {
			b, err := os.ReadFile(dir + "/oom_score_adj")
			p.OOMScore = strings.TrimSpace(string(b))
			return err
		},
		func() error { p.Session, p.Terminal, err = readStat(dir); return err },
		func() error { p.Root, err = os.Readlink(dir + "/root"); return err },
		func() error { p.Dir, err = os.Readlink(dir + "/cwd"); return err },
		func() error { p.Program, err = os.Readlink(dir + "/exe"); return err },
		func() error { p.Owner, err = readOwner(dir); return err },
	} {
		if err := part(); err != nil {
			return Process{}, fmt.Errorf("posture: %w", err)
		}
	}
	return p, nil
}

func readThreads(dir string) (map[string]Thread, error) {
	tasks, err := os.ReadDir(dir + "/task")
	if err != nil {
		return nil, err
	}
	threads := make(map[string]Thread, len(tasks))
	for _, task := range tasks {
		b, err := os.ReadFile(filepath.Join(dir, "task", task.Name(), "status"))
		if err != nil {
			return nil, err
		}
		threads[task.Name()] = parseStatus(string(b))
	}
	return threads, nil
}

func parseStatus(status string) Thread {
	var t Thread
	into := map[string]*string{
		"Uid": &t.UIDs, "Gid": &t.GIDs, "Groups": &t.Groups,
		"CapInh": &t.CapInheritable, "CapPrm": &t.CapPermitted, "CapEff": &t.CapEffective,
		"CapBnd": &t.CapBounding, "CapAmb": &t.CapAmbient,
		"NoNewPrivs": &t.NoNewPrivs, "TracerPid": &t.Tracer, "Seccomp": &t.Seccomp, "Seccomp_filters": &t.Filters,
	}
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		if field := into[name]; field != nil {
			*field = strings.Join(strings.Fields(value), " ")
		}
	}
	return t
}

// NamespaceNames are those that a jail has of its own, by their names in
// /proc/<pid>/ns.
var NamespaceNames = []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}

// Namespaces gives what NamespaceNames are of a process, as its links show them.
// An error means that the process ended, or that the kernel lacks one.
func Namespaces(pid int) (map[string]string, error) {
	found := make(map[string]string)
	for _, name := range NamespaceNames {
		target, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, name))
		if err != nil {
			return nil, fmt.Errorf("namespace %s: %w", name, err)
		}
		found[name] = target
	}
	return found, nil
}

func readLinks(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	links := make(map[string]string, len(entries))
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		if errors.Is(err, os.ErrNotExist) { // closed meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		links[e.Name()] = target
	}
	return links, nil
}

func readMounts(dir string) ([]Mount, error) {
	b, err := os.ReadFile(dir + "/mountinfo")
	if err != nil {
		return nil, err
	}
	return parseMountinfo(string(b)), nil
}

// parseMountinfo reads proc_pid_mountinfo(5); a line it cannot read becomes a
// mount of its own that no expectation matches.
func parseMountinfo(text string) []Mount {
	var mounts []Mount
	for line := range strings.Lines(text) {
		own, super, _ := strings.Cut(line, " - ")
		f, s := strings.Fields(own), strings.Fields(super)
		if len(f) < 6 || len(s) < 3 {
			mounts = append(mounts, Mount{Point: line})
			continue
		}
		options := strings.Split(f[5], ",")
		sort.Strings(options)
		mounts = append(mounts, Mount{Point: f[4], Type: s[0], Options: strings.Join(options, ","), Super: s[2]})
	}
	return mounts
}

func readLines(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n"), nil
}

func readLimits(dir string) (map[string]string, error) {
	lines, err := readLines(dir + "/limits")
	if err != nil {
		return nil, err
	}
	const nameWidth = 26
	limits := make(map[string]string)
	for _, line := range lines[1:] {
		if len(line) <= nameWidth {
			continue
		}
		f := strings.Fields(line[nameWidth:])
		limits[strings.TrimSpace(line[:nameWidth])] = f[0] + " " + f[1]
	}
	return limits, nil
}

func readEnviron(dir string) ([]string, error) {
	b, err := os.ReadFile(dir + "/environ")
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(string(b), "\x00")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\x00"), nil
}
