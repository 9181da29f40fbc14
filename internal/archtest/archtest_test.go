package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestImports(t *testing.T) {
	g := load(t)
	require.NotEmpty(t, g.ours())
	assert.Empty(t, checkLayers(g, layers))
	assert.Empty(t, checkBans(g, bans))
	assert.Empty(t, checkForeign(g, foreigners))
	assert.Empty(t, checkCgo(g))
	assert.Empty(t, checkInit(g))
}

// checkLayers wants a row for every package, so that a new one forces a
// decision, and a package for every name in a row.
func checkLayers(g graph, rows []layer) (faults []string) {
	used := make(map[string]bool)
	for _, p := range g.ours() {
		name, _ := p.name()
		i := slices.IndexFunc(rows, func(l layer) bool { return within(name, l.pkg) })
		if i < 0 {
			faults = append(faults, name+": no row says what it may import")
			continue
		}
		used[rows[i].pkg] = true
		for _, path := range p.Imports {
			other, ok := strings.CutPrefix(path, module+"/")
			if ok && !withinAny(other, rows[i].may) {
				faults = append(faults, fmt.Sprintf("%s imports %s: %s", name, other, rows[i].reason))
			}
		}
	}
	for _, l := range rows {
		if !used[l.pkg] {
			faults = append(faults, "row "+l.pkg+" fits no package")
		}
		for _, m := range l.may {
			faults = append(faults, g.mustMatch(module+"/"+m)...)
		}
	}
	return faults
}

func checkBans(g graph, rows []ban) (faults []string) {
	for _, b := range rows {
		faults = append(faults, g.mustMatch(module+"/"+b.pkg)...)
		for _, never := range b.never {
			faults = append(faults, g.mustMatch(never)...)
		}
		for _, p := range g.ours() {
			name, _ := p.name()
			if !within(name, b.pkg) {
				continue
			}
			for _, dep := range p.Deps {
				if withinAny(dep, b.never) {
					faults = append(faults, fmt.Sprintf("%s links %s: %s", name, dep, b.reason))
				}
			}
		}
	}
	return faults
}

func checkForeign(g graph, rows []foreign) (faults []string) {
	for row, f := range rows {
		faults = append(faults, g.mustMatch(module+"/"+f.pkg)...)
		for _, p := range g.ours() {
			name, _ := p.name()
			if slices.IndexFunc(rows, func(f foreign) bool { return within(name, f.pkg) }) != row {
				continue
			}
			for _, dep := range p.Deps {
				d := g[dep]
				if _, own := d.name(); !own && !d.Standard && !withinAny(dep, f.may) {
					faults = append(faults, fmt.Sprintf("%s links %s: %s", name, dep, f.reason))
				}
			}
		}
	}
	return faults
}

// checkCgo looks for cgo itself and for the binding, which is cgo by another
// name.
func checkCgo(g graph) (faults []string) {
	faults = append(g.mustMatch(module+"/"+cgo), g.mustMatch(libseccomp)...)
	for _, p := range g.ours() {
		name, _ := p.name()
		if name == cgo {
			continue
		}
		if len(p.CgoFiles) > 0 || slices.Contains(p.Imports, "C") || slices.Contains(p.Imports, libseccomp) {
			faults = append(faults, name+" uses C: only "+cgo+" may, so that one package decides what is linked beside Go")
		}
	}
	return faults
}

// checkInit finds functions named init: they run in every process that links
// the package, before main looks at what it is, and each run pays for that. The
// jails' init has one, which keeps main on the first thread: only initialisation
// is sure to run there.
func checkInit(g graph) (faults []string) {
	for _, p := range g.ours() {
		if name, _ := p.name(); name == "cmd/safe-exec-init" {
			continue
		}
		for _, path := range p.files() {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				faults = append(faults, err.Error())
				continue
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
					faults = append(faults, path+": has func init")
				}
			}
		}
	}
	return faults
}

// mustMatch finds a rule that has outlived what it names.
func (g graph) mustMatch(pattern string) []string {
	for path := range g {
		if within(path, pattern) {
			return nil
		}
	}
	return []string{pattern + " is named in a rule and does not exist"}
}
