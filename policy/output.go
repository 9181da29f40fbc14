package policy

import (
	"path"
	"slices"
	"strings"
)

// Bounds of the files that a run brings back. What is over them is in FilesSkipped
// with a reason.
const (
	MaxOutputFiles     = 64
	MaxOutputBytes     = 4 << 20 // of all files together
	MaxOutputFileBytes = 2 << 20 // of each
	MaxOutputPathBytes = 1000    // of each path
	MaxSkippedFiles    = 64      // entries of FilesSkipped; one more counts the rest
)

// Collects says whether a file is one of those that globs ask for (Request.Collect):
// nil asks for all. A glob matches a whole path; between slashes it is one of
// path.Match, or ** for any number of directories, none among them. A malformed one
// matches nothing.
func Collects(globs []string, file string) bool {
	if globs == nil {
		return true
	}
	names := strings.Split(file, "/")
	for _, glob := range globs {
		if matches(strings.Split(glob, "/"), names) {
			return true
		}
	}
	return false
}

// Literals gives the paths that globs ask for by name: those of globs without
// wildcards, without their backslashes. Each is matched by its glob.
func Literals(globs []string) (files []string) {
	for _, glob := range globs {
		if file, ok := literal(glob); ok && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files
}

func literal(glob string) (file string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '*', '?', '[':
			return "", false
		case '\\':
			i++
			if i == len(glob) || glob[i] == '/' { // malformed
				return "", false
			}
		}
		b.WriteByte(glob[i])
	}
	return b.String(), true
}

func matches(glob, names []string) bool {
	reached := make([]bool, len(names)+1) // by how many names the parts so far are matched
	reached[0] = true
	for _, part := range glob {
		next := make([]bool, len(reached))
		for i := range next {
			if part == "**" {
				next[i] = reached[i] || i > 0 && next[i-1]
			} else if i > 0 && reached[i-1] {
				matched, err := path.Match(part, names[i-1])
				next[i] = matched && err == nil
			}
		}
		reached = next
	}
	return reached[len(names)]
}
