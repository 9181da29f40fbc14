package escape

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"safe-exec/policy"
	"safe-exec/profiles"
)

//go:embed testdata
var files embed.FS

// Probe is one technique.
type Probe struct {
	Name      string          `json:"name"` // the file's, without ending
	Technique string          `json:"technique"`
	Family    string          `json:"family"`
	Severity  string          `json:"severity"` // C, H, M, L
	Layers    []string        `json:"layers"`   // expected to stop it
	Language  policy.Language `json:"language"`
	Profile   string          `json:"profile,omitempty"`
	Innocent  bool            `json:"innocent,omitempty"`
	// Limits is for probes of limits: what the run is held to.
	Limits policy.LimitsRequest `json:"-"`
	// Verdict is the reason that a probe of a limit or of the verdict itself
	// must end with; empty for those that report themselves.
	Verdict policy.Reason `json:"verdict,omitempty"`
	// Within bounds the time from handing over the code to the answer; 0 makes
	// no demand.
	Within time.Duration `json:"-"`
	// Level is the one import policy to run under; empty means each.
	Level string `json:"-"`

	expect []demand // beside Verdict
	coding string   // the encoding that the first line names; "" names none
	module bool     // an ECMAScript module, not a script
	// collected probes win by what a collector of files reads after their end.
	collected bool
	source    string // library and program
}

// Probes reads the embedded table, in the order of family and name. A file with
// a wrong header is an error: a probe that silently drops out is a hole.
func Probes() ([]Probe, error) {
	entries, err := fs.ReadDir(files, "testdata")
	if err != nil {
		return nil, err
	}
	var probes []Probe
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "lib.") {
			continue
		}
		text, err := files.ReadFile("testdata/" + e.Name())
		if err != nil {
			return nil, err
		}
		p, err := load(e.Name(), string(text))
		if err != nil {
			return nil, fmt.Errorf("probe %s: %w", e.Name(), err)
		}
		probes = append(probes, p)
	}
	slices.SortFunc(probes, func(a, b Probe) int {
		return strings.Compare(a.Family+"\x00"+a.Name, b.Family+"\x00"+b.Name)
	})
	return probes, nil
}

// load makes a probe of a file: its header, and the libraries before its text.
func load(name, text string) (Probe, error) {
	p, err := parse(name, text)
	if err != nil {
		return p, err
	}
	libraries := []string{"lib" + path.Ext(name)}
	if p.Profile == profiles.PythonFull {
		libraries = append(libraries, "lib.native.py")
	}
	if p.coding != "" {
		p.source = "# coding: " + p.coding + "\n"
	}
	for _, library := range libraries {
		b, err := files.ReadFile("testdata/" + library)
		if err != nil {
			return p, err
		}
		p.source += string(b) + "\n"
	}
	p.source += text
	return p, nil
}

// parse reads the header of a probe.
func parse(name, text string) (Probe, error) {
	ending := path.Ext(name)
	p := Probe{Name: strings.TrimSuffix(name, ending)}
	mark := ""
	switch ending {
	case ".py":
		p.Language, mark = policy.Python, "# "
	case ".js":
		p.Language, mark = policy.JavaScript, "// "
	default:
		return p, fmt.Errorf("ending %q is of no language", ending)
	}
	for line := range strings.Lines(text) {
		header, ok := strings.CutPrefix(strings.TrimSpace(line), mark)
		if !ok {
			break
		}
		key, value, ok := strings.Cut(header, ": ")
		if !ok {
			break // prose ends the header
		}
		if err := p.set(key, value); err != nil {
			return p, err
		}
	}
	switch {
	case p.Technique == "" || p.Family == "":
		return p, fmt.Errorf("technique and family are needed")
	case !p.Innocent && (!slices.Contains([]string{"C", "H", "M", "L"}, p.Severity) || len(p.Layers) == 0):
		return p, fmt.Errorf("severity C, H, M or L and layers are needed")
	case p.Innocent && (p.Verdict != "" || p.Profile != ""):
		return p, fmt.Errorf("an innocent has no verdict and no profile of its own")
	case p.Verdict == "" && (p.expect != nil || p.Within != 0):
		return p, fmt.Errorf("expect and within_ms go with a verdict")
	}
	return p, nil
}

func (p *Probe) set(key, value string) error {
	switch key {
	case "technique":
		p.Technique = value
	case "family":
		p.Family = value
	case "severity":
		p.Severity = value
	case "layers":
		p.Layers = strings.Split(value, ", ")
	case "profile":
		if value != profiles.PythonFull {
			return fmt.Errorf("profile %q is not %s", value, profiles.PythonFull)
		}
		p.Profile = value
	case "innocent":
		if value != "yes" {
			return fmt.Errorf("innocent is %q, not yes", value)
		}
		p.Innocent = true
	case "verdict":
		if p.Verdict = policy.Reason(value); !slices.Contains(bounds, p.Verdict) && !slices.Contains(ownEnds, p.Verdict) {
			return fmt.Errorf("verdict %q is no reason by which a program ends", value)
		}
	case "expect":
		list, err := demands(value)
		p.expect = list
		return err
	case "within_ms":
		var ms *int64
		if err := number(value, &ms); err != nil {
			return err
		}
		p.Within = time.Duration(*ms) * time.Millisecond
	case "policy":
		if !slices.Contains([]string{"strict", "standard", "relaxed"}, value) {
			return fmt.Errorf("policy %q is not strict, standard or relaxed", value)
		}
		p.Level = value
	case "module":
		if value != "yes" {
			return fmt.Errorf("module is %q, not yes", value)
		}
		p.module = true
	case "collect":
		if value != "yes" {
			return fmt.Errorf("collect is %q, not yes", value)
		}
		p.collected = true
	case "coding":
		p.coding = value
	case "memory_mb":
		return number(value, &p.Limits.MaxMemoryMB)
	case "timeout_ms":
		return number(value, &p.Limits.TimeoutMS)
	default:
		return fmt.Errorf("unknown header %q", key)
	}
	return nil
}

func number(text string, into **int64) error {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return err
	}
	if v < 1 {
		return fmt.Errorf("number %d is below 1", v)
	}
	*into = &v
	return nil
}
