package escape

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"safe-exec/policy"
)

// Layer is one that ablation leaves out. The import policy is none: it is a
// courtesy, and off while layers are counted.
type Layer struct {
	Name string
	// Skip are the steps of spawner and init that make and prove it.
	Skip []string
	// Unfiltered replaces the payload's seccomp filters by ones that allow all.
	Unfiltered bool
}

// Layers are those that a jail can be started without. Not among them: the user
// namespace, without which the init would be the host's root; the mount
// namespace and the new root, without which nothing may be mounted and no
// interpreter found; no_new_privs, without which the kernel takes neither
// Landlock's rules nor a filter.
var Layers = []Layer{
	{Name: "seccomp", Unfiltered: true},
	{Name: "landlock", Skip: []string{"landlock", "landlock_proof"}},
	{Name: "user_namespace_limit", Skip: []string{"no_nested_userns", "no_nested_userns_proof"}},
	{Name: "identity", Skip: []string{"setresuid", "setresgid"}},
	{Name: "capabilities", Skip: []string{"securebits", "securebits_proof", "bounding_set", "capabilities"}},
	// The spawner's root has the host's /proc.
	{Name: "detached_old_root", Skip: []string{"detach_old_root"}},
	{Name: "tmp_mount_flags", Skip: []string{"mount_tmp_flags"}},
	// The setting about memory files is one of the pid namespace.
	{Name: "pid_namespace", Skip: []string{"namespace_pid", "memfd_noexec", "memfd_noexec_proof"}},
	{Name: "memfd_noexec", Skip: []string{"memfd_noexec", "memfd_noexec_proof"}},
	{Name: "net_namespace", Skip: []string{"namespace_net"}},
	{Name: "ipc_namespace", Skip: []string{"namespace_ipc"}},
	{Name: "uts_namespace", Skip: []string{"namespace_uts", "hostname"}},
	{Name: "cgroup_namespace", Skip: []string{"namespace_cgroup", "namespace_cgroup_proof"}},
	{Name: "cgroup", Skip: []string{"enter_cgroup"}},
	{Name: "rlimits", Skip: []string{"rlimits"}},
	{Name: "closed_descriptors", Skip: []string{"close_fds"}},
	{Name: "session_keyring", Skip: []string{"session_keyring"}},
}

// Without is what runs jails that lack a layer.
type Without struct {
	Executor policy.Executor
	Watch    func() (Host, error) // of what these jails have on the host
	Close    func()
}

// Ablation is what the battery came to with one layer at a time left out.
type Ablation struct {
	Layers []string
	// Only names, per technique, the layers without which it escapes. None
	// means that at least two independent layers stop it.
	Only   map[string][]string
	Probes []Probe
	Broken []string // what could not be asked, and why

	mu sync.Mutex
}

// Ablate runs every probe, n at a time, without each of the layers in turn; none
// named means all of Layers. without makes what lacks the layer.
func (b *Battery) Ablate(ctx context.Context, probes []Probe, n int, without func(Layer) (Without, error), layers ...Layer) (*Ablation, error) {
	a := &Ablation{Only: make(map[string][]string)}
	for _, p := range probes {
		if !p.Innocent && (p.Level == "" || p.Level == "relaxed") {
			a.Probes = append(a.Probes, p)
		}
	}
	if len(layers) == 0 {
		layers = Layers
	}
	for _, layer := range layers {
		a.Layers = append(a.Layers, layer.Name)
		w, err := without(layer)
		if err != nil {
			a.Broken = append(a.Broken, fmt.Sprintf("without %s: %v", layer.Name, err))
			continue
		}
		lacking := *b
		lacking.Executor, lacking.Watch = w.Executor, w.Watch
		lacking.trace("without %s", layer.Name)
		left, err := lacking.each(ctx, a.Probes, n, func(ctx context.Context, worker *Battery, p Probe) error {
			row, err := worker.inJail(ctx, p, worker.Targets.fill(p.source), "relaxed")
			if err != nil {
				return err
			}
			a.add(layer.Name, row)
			return nil
		})
		w.Close()
		if err != nil {
			return nil, err
		}
		if left != "" {
			a.Broken = append(a.Broken, fmt.Sprintf("without %s: left behind: %s", layer.Name, left))
		}
	}
	return a, nil
}

// add may be called from many goroutines.
func (a *Ablation) add(layer string, row Row) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch row.Verdict {
	case Broken:
		a.Broken = append(a.Broken, fmt.Sprintf("%s without %s: %s", row.Name, layer, row.Evidence))
	case Escaped:
		a.Only[row.Name] = append(a.Only[row.Name], layer)
	case Held, Killed, NotReached, NotAsked, Works, Refused, Passed: // another layer holds, or the kernel was not asked
	}
}

// Text writes, per technique, whether one layer or more stop it.
func (a *Ablation) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "LAYERS\tSEV\tFAMILY\tTECHNIQUE\tESCAPES WITHOUT")
	for _, p := range a.Probes {
		count := "2+"
		if len(a.Only[p.Name]) > 0 {
			count = "1"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", count, p.Severity, p.Family, printable(p.Technique), strings.Join(a.Only[p.Name], ", "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, line := range a.Broken {
		fmt.Fprintln(w, "not asked:", printable(line))
	}
	_, err := fmt.Fprintf(w, "\nleft out one at a time: %s\n", strings.Join(a.Layers, ", "))
	return err
}

// Critical are the techniques of severity C that a single layer stops.
func (a *Ablation) Critical() []string {
	var names []string
	for _, p := range a.Probes {
		if p.Severity == "C" && len(a.Only[p.Name]) > 0 {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}
