package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Options are what an operator may allow beyond the default.
type Options struct {
	// EnableControllers lets Open write the cgroup.subtree_control of the
	// daemon's own cgroup (v2) although nobody delegated it: of the root
	// cgroup in a virtual machine, or of a container's. Outside the root the
	// daemon then also moves itself into a subgroup, because a v2 cgroup with
	// processes can give its children no controllers.
	EnableControllers bool
}

// Report is what Probe found.
type Report struct {
	Version Version  // the version that is complete; zero if neither is
	Base    []string // directories in which Open makes its parent, one per hierarchy
	Enables []string // v2: controllers that Open adds to Base's cgroup.subtree_control
	Moves   bool     // v2: Open first moves the calling process into a subgroup of Base
	Reason  string   // why Version is zero
	Remedy  string   // what to do about it
}

// Parents are the directories that Open(name) would make: the same as
// Hierarchy.Paths, known before anything exists.
func (r Report) Parents(name string) []string {
	var dirs []string
	for _, b := range r.Base {
		dirs = append(dirs, filepath.Join(b, name))
	}
	return dirs
}

// Probe looks, without changing anything, whether this host offers the caller
// a complete cgroup v2 or else a complete v1. An incomplete host is a Report
// with Version zero; an error means that the question could not be answered.
func Probe(o Options) (Report, error) {
	s, err := locate(o)
	return s.report, err
}

// site is where Open will work.
type site struct {
	report Report
	home   []group // the caller's own cgroups
	base   []group // where the parents go
}

func locate(o Options) (site, error) {
	all, err := ownGroups()
	if err != nil {
		return site{}, err
	}
	s, why2 := locateV2(all, o)
	if s.report.Version == 0 {
		reason, remedy := why2.Reason, why2.Remedy
		var why1 string
		if s, why1 = locateV1(all); s.report.Version == 0 {
			s.report = Report{Reason: reason + "; " + why1, Remedy: remedy}
		}
	}
	for _, b := range s.base {
		s.report.Base = append(s.report.Base, b.dir)
	}
	return s, nil
}

const bootRemedy = "boot with systemd.unified_cgroup_hierarchy=1 (or cgroup_no_v1=all), " +
	"or mount the v1 controllers memory, pids, cpu and cpuacct"

func locateV2(all []group, o Options) (site, Report) {
	i := slices.IndexFunc(all, func(g group) bool { return g.controllers == nil })
	if i < 0 {
		return site{}, Report{Reason: "cgroup v2: not mounted, or own cgroup not reachable in it", Remedy: bootRemedy}
	}
	own := all[i]
	base, moves, why := placeV2(own, o)
	has, err := readWords(filepath.Join(base.dir, "cgroup.controllers"))
	if err != nil {
		return site{}, Report{Reason: fmt.Sprintf("cgroup v2: %v", err), Remedy: bootRemedy}
	}
	// Asked first: delegation would not help where v1 holds the controllers.
	if missing := without(V2.required(), has); len(missing) > 0 {
		r := Report{Reason: fmt.Sprintf("cgroup v2: %s lacks %s", base.dir, strings.Join(missing, ", ")), Remedy: bootRemedy}
		if !isRoot(base.dir) {
			r.Remedy = delegateRemedy + "; where v1 holds the controllers, " + bootRemedy
		}
		return site{}, r
	}
	if why.Reason != "" {
		return site{}, why
	}
	if err := writable(base.dir); err != nil {
		return site{}, Report{Reason: fmt.Sprintf("cgroup v2: %s: %v", base.dir, err), Remedy: writableRemedy}
	}
	enabled, err := readWords(filepath.Join(base.dir, subtreeControl))
	if err != nil {
		return site{}, Report{Reason: fmt.Sprintf("cgroup v2: %v", err), Remedy: bootRemedy}
	}
	base.controllers = V2.required()
	return site{
		report: Report{Version: V2, Enables: without(V2.required(), enabled), Moves: moves},
		home:   []group{own}, base: []group{base},
	}, Report{}
}

const writableRemedy = "run as root with the cgroup file system mounted read-write"

// locateV1 finds the hierarchies that carry the required controllers; one may
// carry two, as cpu,cpuacct does on many distributions.
func locateV1(all []group) (site, string) {
	var s site
	var missing []string
	for _, c := range V1.required() {
		have := func(g group) bool { return slices.Contains(g.controllers, c) }
		i := slices.IndexFunc(all, have)
		if i < 0 {
			missing = append(missing, c)
			continue
		}
		if err := writable(all[i].dir); err != nil {
			return site{}, fmt.Sprintf("cgroup v1: %s: %v", all[i].dir, err)
		}
		if err := namedAfter(all[i].point, c); err != nil {
			return site{}, fmt.Sprintf("cgroup v1: %v", err)
		}
		if !slices.ContainsFunc(s.home, have) {
			s.home = append(s.home, all[i])
		}
	}
	if len(missing) > 0 {
		return site{}, "cgroup v1: not mounted or not enabled: " + strings.Join(missing, ", ")
	}
	s.report.Version, s.base = V1, s.home
	return s, ""
}

// namedAfter wants a hierarchy to be reachable as a sibling called like its
// controller, which is where the containerd library looks for it.
func namedAfter(point, controller string) error {
	link := filepath.Join(filepath.Dir(point), controller)
	a, err := os.Stat(link)
	if err != nil {
		return err
	}
	b, err := os.Stat(point)
	if err != nil {
		return err
	}
	if !os.SameFile(a, b) {
		return fmt.Errorf("%s is not %s", link, point)
	}
	return nil
}

func onCgroupFS(dir string, unified bool) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	if unified {
		return st.Type == unix.CGROUP2_SUPER_MAGIC
	}
	return st.Type == unix.CGROUP_SUPER_MAGIC
}

// writable asks with the effective ids, and so notices a read-only mount too.
func writable(dir string) error {
	return unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK, unix.AT_EACCESS)
}

func readWords(file string) ([]string, error) {
	b, err := os.ReadFile(file)
	return strings.Fields(string(b)), err
}

// without is a less b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}
