package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "safe-exec"

// pkg is what `go list` says of one package, as far as the rules ask.
type pkg struct {
	ImportPath     string
	Dir            string
	Standard       bool
	Imports        []string
	Deps           []string
	GoFiles        []string
	CgoFiles       []string
	IgnoredGoFiles []string
	TestGoFiles    []string
	XTestGoFiles   []string
}

// name is the path inside the module; ok is false for everybody else's
// packages.
func (p pkg) name() (name string, ok bool) { return strings.CutPrefix(p.ImportPath, module+"/") }

// files are all Go files in the directory, whatever their build constraints.
func (p pkg) files() []string {
	var paths []string
	for _, f := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
		paths = append(paths, filepath.Join(p.Dir, f))
	}
	return paths
}

// graph is every package that the module's packages need, by import path.
type graph map[string]pkg

// ours lists the module's own packages in alphabetical order.
func (g graph) ours() []pkg {
	var list []pkg
	for _, p := range g {
		if _, ok := p.name(); ok {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b pkg) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return list
}

// load asks the go command, in the tags of the release.
func load(t *testing.T) graph {
	t.Helper()
	const fields = "ImportPath,Dir,Standard,Imports,Deps,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles"
	var stderr strings.Builder
	cmd := exec.Command("go", "list", "-deps", "-tags", "netgo,osusergo", "-json="+fields, module+"/...")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=1") // else the one cgo package would not be listed
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	g := make(graph)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return g
		}
		require.NoError(t, err)
		g[p.ImportPath] = p
	}
}

// within says whether a path is the pattern, or, where the pattern ends in
// /..., is it or below it.
func within(path, pattern string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

func withinAny(path string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return within(path, p) })
}
