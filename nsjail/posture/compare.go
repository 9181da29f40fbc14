package posture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Expectation is what one process of a jail must look like.
type Expectation struct {
	ID      uint32 // host uid and gid: real, effective, saved and file system
	Group   uint32 // host gid, if it is another; never 0
	Filters int    // seccomp filters on every thread; 0 is no filter mode
	// Capabilities, as /proc shows a set; empty is none. The other sets are empty
	// always.
	Inheritable, Permitted, Effective string
	Namespaces                        map[string]string   // must be these, when set
	Foreign                           []map[string]string // must be none of these: the daemon's own, a template's
	// FDs by number; every other descriptor must have a target that begins with
	// one of FDClasses.
	FDs       map[string]string
	FDClasses []string
	Mounts    []Mount  // exactly these; Super is a list of options that must be there
	Cgroups   []string // lines that must be there
	Limits    map[string]string
	Environ   []string // exactly these
	OOMScore  string
	Session   int    // its id, where it is demanded; there must be no terminal in any case
	Dir       string // working directory; the root is always that of its mount namespace
	Program   string // what it executes
	// Undumpable processes reach no core_pattern helper, and nobody of the same
	// uid may attach to them.
	Undumpable bool
}

// Difference is one finding. Step names the layer as a fault would.
type Difference struct {
	Step, Want, Got string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: want %s, got %s", d.Step, d.Want, d.Got)
}

const noCaps = "0000000000000000"

// Compare gives every difference, none when all layers hold.
func Compare(want Expectation, got Process) []Difference {
	var diffs []Difference
	differ := func(step, want, got string) {
		d := Difference{step, want, got}
		if want != got && !slices.Contains(diffs, d) { // threads differ alike
			diffs = append(diffs, d)
		}
	}
	if len(got.Threads) == 0 {
		differ("threads", "at least one", "none")
	}
	four := func(id uint32) string { return fmt.Sprintf("%d %d %d %d", id, id, id, id) }
	for _, tid := range slices.Sorted(maps.Keys(got.Threads)) {
		t := got.Threads[tid]
		differ("setresuid", four(want.ID), t.UIDs)
		differ("setresgid", four(cmp.Or(want.Group, want.ID)), t.GIDs)
		differ("setgroups", "", t.Groups)
		differ("capabilities_inheritable", cmp.Or(want.Inheritable, noCaps), t.CapInheritable)
		differ("capabilities_permitted", cmp.Or(want.Permitted, noCaps), t.CapPermitted)
		differ("capabilities_effective", cmp.Or(want.Effective, noCaps), t.CapEffective)
		differ("bounding_set", noCaps, t.CapBounding)
		differ("capabilities_ambient", noCaps, t.CapAmbient)
		differ("no_new_privs", "1", t.NoNewPrivs)
		differ("tracer", "0", t.Tracer)
		mode := "2"
		if want.Filters == 0 {
			mode = "0"
		}
		differ("seccomp_mode", mode, t.Seccomp)
		if t.Filters != "" { // Linux 5.9
			differ("seccomp_filters", fmt.Sprint(want.Filters), t.Filters)
		}
	}
	for _, foreign := range want.Foreign {
		for _, name := range slices.Sorted(maps.Keys(foreign)) {
			if got.Namespaces[name] == foreign[name] || got.Namespaces[name] == "" {
				differ("namespace_"+name, "another than "+foreign[name], got.Namespaces[name])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want.Namespaces)) {
		differ("namespace_"+name, want.Namespaces[name], got.Namespaces[name])
	}
	diffs = append(diffs, compareFDs(want, got.FDs)...)
	diffs = append(diffs, compareMounts(want.Mounts, got.Mounts)...)
	for _, line := range want.Cgroups {
		if !slices.Contains(got.Cgroups, line) {
			differ("cgroup", line, strings.Join(got.Cgroups, " "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want.Limits)) {
		differ("rlimits", name+" "+want.Limits[name], name+" "+got.Limits[name])
	}
	if want.OOMScore != "" {
		differ("oom_score_adj", want.OOMScore, got.OOMScore)
	}
	if want.Session != 0 {
		differ("setsid", fmt.Sprint(want.Session), fmt.Sprint(got.Session))
	}
	differ("terminal", "0", fmt.Sprint(got.Terminal))
	differ("root", "/", got.Root)
	differ("directory", want.Dir, got.Dir)
	differ("program", want.Program, got.Program)
	if want.Undumpable && got.Owner == want.ID {
		differ("dumpable", "private files of another than "+fmt.Sprint(want.ID), fmt.Sprint(got.Owner))
	}
	differ("environment", strings.Join(want.Environ, " "), strings.Join(got.Environ, " "))
	return diffs
}

func compareFDs(want Expectation, got map[string]string) []Difference {
	var diffs []Difference
	for _, n := range slices.Sorted(maps.Keys(want.FDs)) {
		if got[n] != want.FDs[n] {
			diffs = append(diffs, Difference{"fd_" + n, want.FDs[n], got[n]})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(got)) {
		if _, known := want.FDs[n]; known {
			continue
		}
		allowed := slices.ContainsFunc(want.FDClasses, func(class string) bool {
			return strings.HasPrefix(got[n], class)
		})
		if !allowed {
			diffs = append(diffs, Difference{"close_fds", "no descriptor " + n, got[n]})
		}
	}
	return diffs
}

func compareMounts(want, got []Mount) []Difference {
	var diffs []Difference
	show := func(m Mount) string { return fmt.Sprintf("%s %s (%s) (%s)", m.Point, m.Type, m.Options, m.Super) }
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			diffs = append(diffs, Difference{"mounts", "no more mounts", show(got[i])})
		case i >= len(got):
			diffs = append(diffs, Difference{"mounts", show(want[i]), "nothing"})
		default:
			w, g := want[i], got[i]
			super := strings.Split(g.Super, ",")
			missing := slices.ContainsFunc(strings.Split(w.Super, ","), func(o string) bool {
				return o != "" && !slices.Contains(super, o)
			})
			if w.Point != g.Point || w.Type != g.Type || w.Options != g.Options || missing {
				diffs = append(diffs, Difference{"mounts", show(w), show(g)})
			}
		}
	}
	return diffs
}
