package policy

import (
	"path"
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
// nil asks for all. A glob is one of path.Match; it matches whole paths, or, without
// a slash, the names of files in any directory. A malformed one matches nothing.
func Collects(globs []string, file string) bool {
	if globs == nil {
		return true
	}
	for _, glob := range globs {
		name := file
		if !strings.Contains(glob, "/") {
			name = path.Base(file)
		}
		if matched, err := path.Match(glob, name); err == nil && matched {
			return true
		}
	}
	return false
}
