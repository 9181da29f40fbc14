package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkGlobs holds what shall be brought back to the syntax of path.Match, between
// slashes, and ** for any number of directories, as a component of its own. Names
// of files are the program's to choose, so all of Unicode may stand there.
func checkGlobs(globs []string) error {
	for i, glob := range globs {
		field := fmt.Sprintf("collect[%d]", i)
		switch {
		case glob == "":
			return Invalid(field, "is empty")
		case len(glob) > MaxPathBytes:
			return TooLarge(field, len(glob), MaxPathBytes, "is %d bytes, the maximum is %d")
		case !utf8.ValidString(glob):
			return Invalid(field, "is not valid UTF-8")
		case strings.ContainsFunc(glob, unicode.IsControl):
			return Invalid(field, "has a control character")
		}
		if err := checkComponents(field, glob); err != nil {
			return err
		}
		for _, part := range strings.Split(glob, "/") {
			if newPattern(part) == nil {
				return refusedPath(field, glob, fmt.Sprintf("%q is not a pattern: brackets are closed, and a backslash stands before a character", part))
			}
			if part != "**" && strings.Contains(part, "**") {
				return refusedPath(field, glob, "** stands between slashes, for any number of directories")
			}
		}
		if name, ok := literal(glob); ok { // backslashes hide no dots
			if err := checkComponents(field, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Globs say of files whether they are asked for (Request.Collect). A glob matches a
// whole path; between slashes it is one of path.Match, or ** for any number of
// directories, none among them. A malformed one matches nothing.
//
// It is for one goroutine, and cheapest for paths in their order: what they have in
// common with the one before is not looked at again.
type Globs struct {
	all   bool
	globs [][]*pattern // nil stands for **
	path  []level      // of the path that was asked for last
}

// level is how far each glob is matched by the names down to one.
type level struct {
	name    string
	reached [][]bool // by glob, by how many of its parts
}

// NewGlobs takes those of a request: nil asks for all files.
func NewGlobs(globs []string) *Globs {
	g := &Globs{all: globs == nil}
	begin := level{}
next:
	for _, glob := range globs {
		var parts []*pattern
		for _, part := range strings.Split(glob, "/") {
			var p *pattern
			if part != "**" {
				if p = newPattern(part); p == nil {
					continue next
				}
			}
			parts = append(parts, p)
		}
		g.globs = append(g.globs, parts)
		reached := make([]bool, len(parts)+1)
		reached[0] = true
		begin.reached = append(begin.reached, overNone(parts, reached))
	}
	g.path = []level{begin}
	return g
}

// Match says whether one of them asks for the file.
func (g *Globs) Match(file string) bool {
	if g.all {
		return true
	}
	names := strings.Split(file, "/")
	same := 0
	for same < len(names) && same+1 < len(g.path) && g.path[same+1].name == names[same] {
		same++
	}
	g.path = g.path[:same+1]
	for _, name := range names[same:] {
		here := level{name: name}
		for i, parts := range g.globs {
			here.reached = append(here.reached, step(parts, g.path[len(g.path)-1].reached[i], name))
		}
		g.path = append(g.path, here)
	}
	for i, parts := range g.globs {
		if g.path[len(names)].reached[i][len(parts)] {
			return true
		}
	}
	return false
}

// step goes on by one name.
func step(parts []*pattern, reached []bool, name string) []bool {
	next := make([]bool, len(reached))
	for i, part := range parts {
		switch {
		case !reached[i]:
		case part == nil:
			next[i] = true
		case part.matches(name):
			next[i+1] = true
		}
	}
	return overNone(parts, next)
}

// overNone lets each ** stand for no directory.
func overNone(parts []*pattern, reached []bool) []bool {
	for i, part := range parts {
		if reached[i] && part == nil {
			reached[i+1] = true
		}
	}
	return reached
}
