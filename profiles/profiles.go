// Package profiles holds what the product knows of each language: the limits
// and import lists of its default profile, the harness that runs a program, the
// system calls that the interpreter needs, and how it is started.
//
// All of it is embedded. An operator's configuration may lay other values over
// a profile (Overlay); harness and system calls are not configurable.
package profiles

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"safe-exec/internal/strictyaml"
	"safe-exec/policy"
)

//go:embed python/profile.yaml python/*.py javascript/profile.yaml javascript/*.js *.syscalls
var files embed.FS

// HarnessDir is where an image holds the harness, the shim and the steady
// filter.
const HarnessDir = "/usr/lib/safe-exec"

// Default gives the built-in profile of every language, by profile name.
func Default() (map[string]policy.Profile, error) {
	all := make(map[string]policy.Profile)
	for _, language := range policy.Languages() {
		text, err := files.ReadFile(path.Join(string(language), "profile.yaml"))
		if err != nil {
			return nil, err
		}
		var node yaml.Node
		if err := yaml.Unmarshal(text, &node); err != nil {
			return nil, err
		}
		p, err := Overlay(policy.Profile{Name: string(language)}, *node.Content[0])
		if err != nil {
			return nil, err
		}
		all[p.Name] = p
	}
	return all, nil
}

// PythonFull names the profile that holds the whole standard library, with
// ctypes. It is for root to look at the kernel layers from inside, and is built
// only where it is asked for.
const PythonFull = "python-full"

// WithPythonFull adds that profile, made from the one for Python.
func WithPythonFull(all map[string]policy.Profile) map[string]policy.Profile {
	all = maps.Clone(all)
	p := all[string(policy.Python)]
	p.Name, p.FullLibrary = PythonFull, true
	p.Levels = map[string]policy.Level{"relaxed": {Unrestricted: true}}
	p.Level, p.Ceiling = "relaxed", "relaxed"
	all[PythonFull] = p
	return all
}

// Overlay lays an operator's YAML over a profile: a key that is not there keeps
// its value. Errors name keys as the whole configuration has them.
func Overlay(p policy.Profile, overlay yaml.Node) (policy.Profile, error) {
	file := struct {
		*policy.Profile `yaml:",inline"`
		Levels          map[string]levelText `yaml:"levels"`
	}{Profile: &p}
	if _, err := strictyaml.Decode(&overlay, "profiles."+p.Name, &file); err != nil {
		return p, err
	}
	all, err := levels(p.Language, p.Levels, file.Levels)
	if err == nil {
		p.Levels = all
		err = Check(p)
	}
	if err != nil {
		return p, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	return p, nil
}

// most are the highest values of limits: more is a slip of the pen, would not fit the 64 bits
// of what is computed from it, or is more than the kernel takes.
var most = map[string]int64{
	"timeout_ms": 24 * 60 * 60 * 1000, "max_memory_mb": 1 << 20, "max_stdout_bytes": 16 << 20, "max_stderr_bytes": 16 << 20,
	"max_output_bytes": 1 << 50, "max_pids": 1 << 22, "max_disk_bytes": 1 << 40, "max_files": 1 << 30, "max_open_files": 1 << 20,
	"cpu_percent": 100 << 10, "max_denials": 1 << 40,
}

// Check refuses a profile that would leave something unlimited or contradict
// itself.
func Check(p policy.Profile) error {
	if p.Name == "" || !slices.Contains(policy.Languages(), p.Language) {
		return fmt.Errorf("name %q or language %q is not valid", p.Name, p.Language)
	}
	if _, ok := p.Levels[p.Level]; !ok {
		return fmt.Errorf("level %q is not among levels", p.Level)
	}
	if _, ok := p.Levels[p.Ceiling]; !ok {
		return fmt.Errorf("ceiling %q is not among levels", p.Ceiling)
	}
	q := p.Requestable
	for name, r := range map[string]policy.LimitRange{
		"timeout_ms": q.TimeoutMS, "max_memory_mb": q.MaxMemoryMB,
		"max_stdout_bytes": q.MaxStdoutBytes, "max_stderr_bytes": q.MaxStderrBytes,
	} {
		if r.Min < 1 || r.Default < r.Min || r.Max < r.Default {
			return fmt.Errorf("requestable.%s: want 1 <= min <= default <= max, got %d, %d, %d", name, r.Min, r.Default, r.Max)
		}
		if r.Max > most[name] {
			return fmt.Errorf("requestable.%s: max is %d, the most is %d", name, r.Max, most[name])
		}
	}
	f := p.Fixed
	for name, v := range map[string]int64{
		"max_output_bytes": f.MaxOutputBytes, "max_pids": f.MaxPids, "max_disk_bytes": f.MaxDiskBytes,
		"max_files": f.MaxFiles, "max_open_files": f.MaxOpenFiles, "cpu_percent": f.CPUPercent,
		"max_denials": f.MaxDenials,
	} {
		if v < 1 {
			return fmt.Errorf("fixed.%s is %d: every limit must be at least 1", name, v)
		}
		if v > most[name] {
			return fmt.Errorf("fixed.%s is %d, the most is %d", name, v, most[name])
		}
	}
	return nil
}

// Syscalls gives the text of a list: python, javascript, init, broker or native.
func Syscalls(name string) ([]byte, error) { return files.ReadFile(name + ".syscalls") }

// part is one file of a harness in the image, and the files here that are
// joined into it, in that order: to load one file is faster than to load ten.
type part struct {
	name  string
	files []string
}

// harnesses are the files of each harness, the one that the interpreter starts
// with first. Python reads the second while the daemon looks at the jail.
var harnesses = map[policy.Language][]part{
	policy.Python: {
		{"harness.py", []string{"harness", "socket", "start"}},
		{"program.py", []string{
			"parse", "names", "check", "rewrite", "proxies", "imports", "guards", "paths", "input", "workdir", "doors", "library", "replaced", "report", "ready", "end", "run",
		}},
	},
	policy.JavaScript: {
		{"harness.js", []string{
			"harness", "socket", "syntax", "parse", "survey", "policy", "check", "modules", "stream",
			"process", "console", "globals", "doors", "input", "workdir", "report", "ready", "run",
		}},
	},
}

// Harness gives the files of a language's harness by their paths in the image,
// and the path of the one to start with.
func Harness(language policy.Language) (start string, texts map[string][]byte, err error) {
	texts = make(map[string][]byte)
	for _, p := range harnesses[language] {
		name := path.Join(HarnessDir, p.name)
		for _, file := range p.files {
			text, err := files.ReadFile(path.Join(string(language), file+path.Ext(p.name)))
			if err != nil {
				return "", nil, err
			}
			texts[name] = append(texts[name], text...)
		}
		if start == "" {
			start = name
		}
	}
	return start, texts, nil
}
