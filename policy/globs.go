package policy

import (
	"fmt"
	"path"
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
			return Invalid(field, "%s is empty", field)
		case len(glob) > MaxPathBytes:
			return tooLarge(field, int64(len(glob)), MaxPathBytes, "%s is %d bytes, the maximum is %d", field, len(glob), MaxPathBytes)
		case !utf8.ValidString(glob):
			return Invalid(field, "%s is not valid UTF-8", field)
		case strings.ContainsFunc(glob, unicode.IsControl):
			return Invalid(field, "%s has a control character", field)
		}
		if err := checkComponents(field, glob); err != nil {
			return err
		}
		for _, part := range strings.Split(glob, "/") {
			if _, err := path.Match(part, ""); err != nil {
				return refusedPath(field, glob, fmt.Sprintf("%q is not a pattern: brackets are closed, and a backslash stands before a character", part))
			}
			if part != "**" && strings.Contains(part, "**") {
				return refusedPath(field, glob, "** stands between slashes, for any number of directories")
			}
		}
	}
	return nil
}
