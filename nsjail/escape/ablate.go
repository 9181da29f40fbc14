package escape

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
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

// Layers are those that a jail can be started without.
var Layers = []Layer{
	{Name: "seccomp", Unfiltered: true},
	{Name: "landlock", Skip: []string{"landlock", "landlock_proof"}},
	{Name: "user_namespace_limit", Skip: []string{"no_nested_userns", "no_nested_userns_proof"}},
	{Name: "identity", Skip: []string{"setresuid", "setresgid"}},
	{Name: "capabilities", Skip: []string{"securebits", "securebits_proof", "bounding_set", "capabilities"}},
	{Name: "net_namespace", Skip: []string{"namespace_net"}},
	{Name: "ipc_namespace", Skip: []string{"namespace_ipc"}},
	{Name: "rlimits", Skip: []string{"rlimits"}},
	{Name: "session_keyring", Skip: []string{"session_keyring"}},
}

// Ablation is what the battery came to with one layer at a time left out.
type Ablation struct {
	Layers []string
	// Only names, per technique, the layers without which it escapes. None
	// means that at least two independent layers stop it.
	Only   map[string][]string
	Probes []Probe
	Broken []string // what could not be asked, and why
}

// Ablate runs every probe without each layer in turn. without makes an executor
// that lacks the layer, and what ends it.
func (b *Battery) Ablate(ctx context.Context, probes []Probe, without func(Layer) (policy.Executor, func(), error)) (*Ablation, error) {
	a := &Ablation{Only: make(map[string][]string)}
	for _, p := range probes {
		if !p.Innocent && (p.Level == "" || p.Level == "relaxed") {
			a.Probes = append(a.Probes, p)
		}
	}
	for _, layer := range Layers {
		a.Layers = append(a.Layers, layer.Name)
		executor, done, err := without(layer)
		if err != nil {
			a.Broken = append(a.Broken, fmt.Sprintf("without %s: %v", layer.Name, err))
			continue
		}
		lacking := *b
		lacking.Executor = executor
		for _, p := range a.Probes {
			row, err := lacking.jailed(ctx, p, b.Targets.fill(p.source), "relaxed")
			switch {
			case ctx.Err() != nil:
				done()
				return nil, ctx.Err()
			case err != nil:
				a.Broken = append(a.Broken, fmt.Sprintf("%s without %s: %v", p.Name, layer.Name, err))
			case row.Verdict == Broken:
				a.Broken = append(a.Broken, fmt.Sprintf("%s without %s: %s", p.Name, layer.Name, row.Evidence))
			case row.Verdict == Escaped:
				a.Only[p.Name] = append(a.Only[p.Name], layer.Name)
			}
		}
		done()
	}
	return a, nil
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
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", count, p.Severity, p.Family, p.Technique, strings.Join(a.Only[p.Name], ", "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, line := range a.Broken {
		fmt.Fprintln(w, "not asked:", line)
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
