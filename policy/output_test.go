package policy_test

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

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
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, policy.NewGlobs(row.globs).Match(row.file)) })
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

func FuzzAPatternMatchesAsThatOfPackagePath(f *testing.F) {
	for _, pattern := range []string{
		"", "*", "a", "a*", "*a", "*a*b*", "?", "??*", `\*`, `a\`, "[a]", "[^a]", "[a-c]x", "[]a]", "[-]", "[a-", "[\\]a]", "é*", "[é-ü]?", "*[^a-z]*é", strings.Repeat("?", 70) + "*",
	} {
		for _, name := range []string{"", "a", "ab", "ba", "aab", "*", "-", "]", "é", "éü", "\xff", "a\xffb", strings.Repeat("a", 80)} {
			f.Add(pattern, name)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.Contains(pattern, "/") || strings.Contains(name, "/") || pattern == "**" || !utf8.ValidString(pattern) {
			return
		}
		want, err := path.Match(pattern, name)
		assert.Equal(t, want && err == nil, policy.NewGlobs([]string{pattern}).Match(name))
	})
}

// What paths have in common is looked at once, and that changes no answer.
func FuzzGlobsRememberNothingWrong(f *testing.F) {
	f.Add("**/a/*.b", "x/a/1.b\nx/a/2.b\nx\nx/a/c/3.b\na/3.b\nx/a/2.b")
	f.Add("a/**/b/**", "a\na/b\na/b/c\na/c/b/d\nb")
	f.Fuzz(func(t *testing.T, glob, files string) {
		g := policy.NewGlobs([]string{glob})
		for _, file := range strings.Split(files, "\n") {
			assert.Equal(t, policy.NewGlobs([]string{glob}).Match(file), g.Match(file), "%q", file)
		}
	})
}

func FuzzANameIsMatchedByItsGlob(f *testing.F) {
	f.Add(`a\*/\[b]`, "a*/b")
	f.Add(`out/\a]^-`, "out/a]^-")
	f.Add(`a\/b`, "a/b")
	f.Fuzz(func(t *testing.T, glob, other string) {
		for _, name := range policy.Literals([]string{glob}) {
			assert.True(t, policy.NewGlobs([]string{glob}).Match(name))
			assert.Equal(t, other == name, policy.NewGlobs([]string{glob}).Match(other), "it asks for one file")
		}
	})
}

// The names are chosen by a program, and matched as root.
func BenchmarkWhatAProgramChoosesToMatch(b *testing.B) {
	deep := strings.Repeat(strings.Repeat("a", 255)+"/", 7)
	for name, glob := range map[string]string{
		"letters":    "**/*" + strings.Repeat("a", 98) + "b",
		"any":        "**/*" + strings.Repeat("?", 98) + "b",
		"classes":    "**/*" + strings.Repeat("[a-a]", 19) + "b",
		"characters": "**/*" + strings.Repeat("[é-ü]", 19) + "b",
		"parts":      "**/*a*/**/*a*/**/*a*/**/*a*b",
	} {
		globs := make([]string, 16)
		for i := range globs {
			globs[i] = glob
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				g := policy.NewGlobs(globs)
				for i := range 990 {
					if g.Match(deep + strings.Repeat("a", 250) + fmt.Sprintf("%05d", i)) {
						b.Fatal("it matches")
					}
				}
			}
		})
	}
}
