package posture

import (
	"fmt"
	"os"
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
	Outside    Outside  // the same once more, as far as another process can change it
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
func Read(pid int) (p Process, err error) {
	d, err := openProc(pid)
	if err != nil {
		return Process{}, fmt.Errorf("posture: %w", err)
	}
	defer d.close()
	for _, part := range []func() error{
		func() error { p.Outside, err = d.outside(); return err },
		func() error { p.Namespaces, err = d.links("ns"); return err },
		func() error { p.FDs, err = d.links("fd"); return err },
		func() error { p.Environ, err = d.environ(); return err },
		func() error { p.Session, p.Terminal, err = d.stat(); return err },
		func() error { p.Root, err = d.link("root"); return err },
		func() error { p.Dir, err = d.link("cwd"); return err },
		func() error { p.Program, err = d.link("exe"); return err },
		func() error { p.Owner, err = d.owner(); return err },
	} {
		if err := part(); err != nil {
			return Process{}, fmt.Errorf("posture: %w", err)
		}
	}
	p.Threads = p.Outside.threads
	p.Mounts = parseMountinfo(p.Outside.mounts)
	p.Cgroups = strings.Split(strings.TrimSpace(p.Outside.cgroup), "\n")
	p.Limits = parseLimits(p.Outside.limits)
	p.OOMScore = strings.TrimSpace(p.Outside.oomScore)
	return p, nil
}

func (p *proc) threads() (map[string]Thread, error) {
	tasks, err := p.names("task")
	if err != nil {
		return nil, err
	}
	threads := make(map[string]Thread, len(tasks))
	for _, task := range tasks {
		text, err := p.file("task/" + task + "/status")
		if err != nil {
			return nil, err
		}
		threads[task] = parseStatus(text)
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

func parseLimits(text string) map[string]string {
	const nameWidth = 26
	limits := make(map[string]string)
	for line := range strings.Lines(text) {
		if len(line) <= nameWidth {
			continue
		}
		f := strings.Fields(line[nameWidth:])
		limits[strings.TrimSpace(line[:nameWidth])] = f[0] + " " + f[1]
	}
	return limits
}

func (p *proc) environ() ([]string, error) {
	text, err := p.file("environ")
	if text = strings.TrimRight(text, "\x00"); text == "" {
		return nil, err
	}
	return strings.Split(text, "\x00"), err
}
