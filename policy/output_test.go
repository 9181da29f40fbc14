package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

func TestWhichFilesGlobsAskFor(t *testing.T) {
	for _, row := range []struct {
		name  string
		globs []string
		file  string
		want  bool
	}{
		{"no list asks for every file", nil, "a/b/c", true},
		{"an empty list asks for none", []string{}, "a", false},
		{"a name asks for that file", []string{"plot.png"}, "plot.png", true},
		{"and not for one of that name elsewhere", []string{"plot.png"}, "out/plot.png", false},
		{"a star asks for all of a kind", []string{"*.csv", "*.png"}, "plot.png", true},
		{"and for no other", []string{"*.csv"}, "plot.png", false},
		{"in a directory as well", []string{"out/*.png"}, "out/plot.png", true},
		{"a star goes over no slash", []string{"out/*"}, "out/deep/plot.png", false},
		{"two do", []string{"out/**/*.png"}, "out/very/deep/plot.png", true},
		{"over none too", []string{"**/*.png"}, "plot.png", true},
		{"two at the end ask for all that is below", []string{"out/**"}, "out/deep/plot.png", true},
		{"and for nothing beside", []string{"out/**"}, "in/deep/plot.png", false},
		{"nor does a directory's name stand for what is in it", []string{"out"}, "out/plot.png", false},
		{"case counts", []string{"*.PNG"}, "plot.png", false},
		{"a malformed glob asks for nothing", []string{"[", "a"}, "[", false},
		{"and hides no other", []string{"[", "a"}, "a", true},
		{"a glob that backtracks is no work", []string{strings.Repeat("*a", 100) + "b"}, strings.Repeat("a", 1000), false},
		{"nor is one of many directories", []string{strings.Repeat("**/", 60) + "b"}, strings.Repeat("a/", 100) + "a", false},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, policy.Collects(row.globs, row.file)) })
	}
}

func TestWhichFilesGlobsName(t *testing.T) {
	for _, row := range []struct {
		name  string
		globs []string
		want  []string
	}{
		{"no list names none", nil, nil},
		{"a glob without wildcards is a name", []string{"plot.png", "out/a.csv"}, []string{"plot.png", "out/a.csv"}},
		{"one with wildcards is not", []string{"*.png", "a?", "[ab]", "**", "out/**/a"}, nil},
		{"a backslash makes a wildcard a character", []string{`a\*`, `\[\?]`, `\\`}, []string{"a*", "[?]", `\`}},
		{"and leaves another as it is", []string{`\a`, "a"}, []string{"a"}},
		{"before nothing it is malformed", []string{`a\`, `a\/b`}, nil},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, policy.Literals(row.globs)) })
	}
}

func FuzzANameIsMatchedByItsGlob(f *testing.F) {
	f.Add(`a\*/\[b]`, "a*/b")
	f.Add(`out/\a]^-`, "out/a]^-")
	f.Add(`a\/b`, "a/b")
	f.Fuzz(func(t *testing.T, glob, other string) {
		for _, name := range policy.Literals([]string{glob}) {
			assert.True(t, policy.Collects([]string{glob}, name))
			assert.Equal(t, other == name, policy.Collects([]string{glob}, other), "it asks for one file")
		}
	})
}
