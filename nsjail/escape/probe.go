package escape

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
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
	source string   // library and program
}

// Probes reads the embedded table, in the order of family and name. A file with
// a wrong header is an error: a probe that silently drops out is a hole.
func Probes() ([]Probe, error) {
	entries, err := fs.ReadDir(files, "testdata")
	if err != nil {
		return nil, err
	}
	libraries := make(map[policy.Language]string)
	for language, name := range map[policy.Language]string{policy.Python: "lib.py", policy.JavaScript: "lib.js"} {
		text, err := files.ReadFile("testdata/" + name)
		if err != nil {
			return nil, err
		}
		libraries[language] = string(text)
	}
	nativeText, err := files.ReadFile("testdata/lib.native.py")
	if err != nil {
		return nil, err
	}
	native := string(nativeText)
	var probes []Probe
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "lib.") {
			continue
		}
		text, err := files.ReadFile("testdata/" + e.Name())
		if err != nil {
			return nil, err
		}
		p, err := parse(e.Name(), string(text))
		if err != nil {
			return nil, fmt.Errorf("probe %s: %w", e.Name(), err)
		}
		p.source = libraries[p.Language] + "\n" + string(text)
		if p.Profile == profiles.PythonFull {
			p.source = libraries[p.Language] + "\n" + native + "\n" + string(text)
		}
		probes = append(probes, p)
	}
	slices.SortFunc(probes, func(a, b Probe) int {
		return strings.Compare(a.Family+"\x00"+a.Name, b.Family+"\x00"+b.Name)
	})
	return probes, nil
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
		p.Profile = value
	case "innocent":
		p.Innocent = value == "yes"
	case "verdict":
		p.Verdict = policy.Reason(value)
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
		p.Level = value
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
	var v int64
	if _, err := fmt.Sscan(text, &v); err != nil {
		return err
	}
	*into = &v
	return nil
}
