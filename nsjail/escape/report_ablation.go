package escape

import (
	"encoding/json"
	"io"
)

// JSON writes the ablation for machines.
func (a *Ablation) JSON(w io.Writer) error {
	type technique struct {
		Probe
		// Without is empty where two layers or more stop it.
		Without []string `json:"escapes_without"`
	}
	out := struct {
		Layers     []string    `json:"layers"` // left out, one at a time
		Techniques []technique `json:"techniques"`
		Critical   []string    `json:"critical"` // of severity C, and stopped by one layer alone
		NotAsked   []string    `json:"not_asked"`
	}{Layers: a.Layers, Techniques: []technique{}, Critical: append([]string{}, a.Critical()...), NotAsked: append([]string{}, a.Broken...)}
	for _, p := range a.Probes {
		out.Techniques = append(out.Techniques, technique{p, append([]string{}, a.Only[p.Name]...)})
	}
	return writeJSON(w, out)
}

// HTML writes the ablation as one self-contained page.
func (a *Ablation) HTML(w io.Writer) error { return ablationHTML.Execute(w, a) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
