// Package profiles holds what the product knows of each language: the limits
// and import lists of its default profile, the harness that runs a program, the
// system calls that the interpreter needs, and how it is started.
//
// All of it is embedded. An operator's configuration may lay other values over
// a profile (Overlay); harness and system calls are not configurable.
package profiles

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"safe-exec/policy"
)

//go:embed python/profile.yaml python/harness.py javascript/profile.yaml javascript/harness.js *.syscalls
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
		p := policy.Profile{}
		if err := decode(text, &p); err != nil {
			return nil, fmt.Errorf("profile %s: %w", language, err)
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
	p.Level = "relaxed"
	all[PythonFull] = p
	return all
}

// Overlay lays an operator's YAML over a profile: a key that is not there keeps
// its value. Unknown keys are errors.
func Overlay(p policy.Profile, overlay yaml.Node) (policy.Profile, error) {
	if overlay.IsZero() {
		return p, nil
	}
	p.Levels = maps.Clone(p.Levels)
	text, err := yaml.Marshal(&overlay)
	if err != nil {
		return p, err
	}
	if err := decode(text, &p); err != nil {
		return p, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	return p, nil
}

func decode(text []byte, p *policy.Profile) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(p); err != nil {
		return err
	}
	return Check(*p)
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
	q := p.Requestable
	for name, r := range map[string]policy.LimitRange{
		"timeout_ms": q.TimeoutMS, "max_memory_mb": q.MaxMemoryMB,
		"max_stdout_bytes": q.MaxStdoutBytes, "max_stderr_bytes": q.MaxStderrBytes,
	} {
		if r.Min < 1 || r.Default < r.Min || r.Max < r.Default {
			return fmt.Errorf("requestable.%s: want 1 <= min <= default <= max, got %d, %d, %d", name, r.Min, r.Default, r.Max)
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
	}
	return nil
}

// Syscalls gives the text of a list: python, javascript or init.
func Syscalls(name string) ([]byte, error) { return files.ReadFile(name + ".syscalls") }

// Harness gives the harness of a language and its path in the image.
func Harness(language policy.Language) (file string, text []byte, err error) {
	name := map[policy.Language]string{policy.Python: "harness.py", policy.JavaScript: "harness.js"}[language]
	text, err = files.ReadFile(path.Join(string(language), name))
	return path.Join(HarnessDir, name), text, err
}
