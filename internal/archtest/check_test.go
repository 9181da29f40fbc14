package archtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a module that keeps all the rules below.
func small() graph {
	g := make(graph)
	for _, p := range []pkg{
		{ImportPath: "net/http", Standard: true},
		{ImportPath: libseccomp},
		{ImportPath: module + "/policy"},
		{ImportPath: module + "/web", Imports: []string{module + "/policy"}, Deps: []string{"net/http", module + "/policy"}},
		{ImportPath: module + "/" + cgo, Imports: []string{libseccomp}, Deps: []string{libseccomp}},
	} {
		g[p.ImportPath] = p
	}
	return g
}

var (
	smallLayers = []layer{{"policy", nil, "it comes first"}, {"web", []string{"policy"}, "web"}, {cgo, nil, "cgo"}}
	smallBans   = []ban{{"policy", []string{"net/http"}, "it is pure"}}
	smallOthers = []foreign{{"policy", nil, "no dependencies"}}
)

func check(g graph) (faults []string) {
	faults = append(faults, checkLayers(g, smallLayers)...)
	faults = append(faults, checkBans(g, smallBans)...)
	faults = append(faults, checkForeign(g, smallOthers)...)
	faults = append(faults, checkCgo(g)...)
	return append(faults, checkInit(g)...)
}

func TestEachRuleFires(t *testing.T) {
	require.Empty(t, check(small()))
	dir := t.TempDir()
	write := func(name, text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		return name
	}
	for _, row := range []struct {
		name   string
		change func(g graph)
		want   string
	}{
		{"a package without a row", func(g graph) { g[module+"/new"] = pkg{ImportPath: module + "/new"} },
			"new: no row says what it may import"},
		{"an import upwards", func(g graph) {
			g[module+"/policy"] = pkg{ImportPath: module + "/policy", Imports: []string{module + "/web"}}
		}, "policy imports web: it comes first"},
		{"a ban broken through another package", func(g graph) {
			g[module+"/policy"] = pkg{ImportPath: module + "/policy", Deps: []string{"net/http"}}
		}, "policy links net/http: it is pure"},
		{"somebody else's module where none may be", func(g graph) {
			g["example.org/m"] = pkg{ImportPath: "example.org/m"}
			g[module+"/policy"] = pkg{ImportPath: module + "/policy", Deps: []string{"example.org/m"}}
		}, "policy links example.org/m: no dependencies"},
		{"a second package with cgo", func(g graph) {
			g[module+"/web"] = pkg{ImportPath: module + "/web", CgoFiles: []string{write("c.go", "package web\n")}, Dir: dir}
		}, "web uses C: only " + cgo + " may, so that one package decides what is linked beside Go"},
		{"a row whose package is gone", func(g graph) { delete(g, module+"/web") }, "row web fits no package"},
		{"a ban whose object is gone", func(g graph) { delete(g, "net/http") },
			"net/http is named in a rule and does not exist"},
		{"work at start in a file that another tag selects", func(g graph) {
			g[module+"/web"] = pkg{ImportPath: module + "/web", Dir: dir, IgnoredGoFiles: []string{write("i.go", "//go:build never\n\npackage web\n\nfunc init() {}\n")}}
		}, filepath.Join(dir, "i.go") + ": has func init"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := small()
			row.change(g)
			assert.Contains(t, check(g), row.want)
		})
	}
}

func TestPatterns(t *testing.T) {
	for _, row := range []struct {
		name, path, pattern string
		want                bool
	}{
		{"a package is itself", "a/b", "a/b", true},
		{"a package is not what is below it", "a/b/c", "a/b", false},
		{"a tree has its root", "a/b", "a/b/...", true},
		{"a tree has what is below it", "a/b/c", "a/b/...", true},
		{"a tree does not have what only begins alike", "a/bc", "a/b/...", false},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, within(row.path, row.pattern)) })
	}
}
