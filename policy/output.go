package policy

import (
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
