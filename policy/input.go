package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what a program gets beside its text.
const (
	MaxInputBytes     = 2 << 20 // stdin, args, env and contents of files together
	MaxInputFiles     = 64
	MaxPathBytes      = 200 // a whole path, and a whole glob
	MaxComponentBytes = 100 // one name of a path
	MaxPathDepth      = 8   // names of a path
	MaxArgs           = 64
	MaxEnv            = 64
	MaxGlobs          = 16 // of Request.Collect
)

// tmpfsPage is what a tmpfs gives a file at a time, in bytes.
const tmpfsPage = 4096

// CheckInput refuses what a program cannot safely be given beside its text, and
// what does not fit a working directory of these limits: whatever passes can be
// written there. It is pure. Errors are CodeInvalid and CodeTooLarge with the
// field as the API names it: stdin, args[2], env.NAME, files[3].path, collect[0].
func CheckInput(in Input, collect []string, l Limits) error {
	for _, check := range []func() error{
		func() error { return CheckInputSize(in, collect) },
		func() error { return checkArgs(in.Args) },
		func() error { return checkEnv(in.Env) },
		func() error { return checkFiles(in.Files) },
		func() error { return checkRoom(in, l) },
		func() error { return checkGlobs(collect) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// CheckInputSize is the part of CheckInput that counts: entries, and the bytes of all
// together, for which the largest is blamed. It comes first, so that nothing large is
// looked at closely. The error is a *Error with CodeTooLarge.
func CheckInputSize(in Input, collect []string) error {
	for _, count := range []struct {
		field     string
		have, max int
	}{
		{"args", len(in.Args), MaxArgs}, {"env", len(in.Env), MaxEnv},
		{"files", len(in.Files), MaxInputFiles}, {"collect", len(collect), MaxGlobs},
	} {
		if count.have > count.max {
			return TooLarge(count.field, count.have, count.max, "has %d entries, the maximum is %d")
		}
	}
	total := len(in.Stdin)
	field, most := "stdin", total // who has the largest share is named
	count := func(name string, size int) {
		total += size
		if size > most {
			field, most = name, size
		}
	}
	for i, arg := range in.Args {
		count(fmt.Sprintf("args[%d]", i), len(arg))
	}
	for name, value := range in.Env {
		count("env."+printableName(name), len(name)+len(value))
	}
	for i, file := range in.Files {
		count(fmt.Sprintf("files[%d]", i), len(file.Content))
	}
	if total > MaxInputBytes {
		return TooLarge(field, total, MaxInputBytes,
			"is the largest of stdin, args, env and files, which are %d bytes together; the maximum is %d")
	}
	return nil
}

func checkArgs(args []string) error {
	for i, arg := range args {
		if err := checkText(fmt.Sprintf("args[%d]", i), arg); err != nil {
			return err
		}
	}
	return nil
}

// checkText refuses what is no text to an interpreter: the kernel's strings end
// at a NUL.
func checkText(field, value string) error {
	switch {
	case strings.IndexByte(value, 0) >= 0:
		return Invalid(field, "has a NUL")
	case !utf8.ValidString(value):
		return Invalid(field, "is not valid UTF-8")
	}
	return nil
}

// checkFiles holds paths to printable ASCII: which other texts are the same name
// to a person, or to the program that unpacks a result elsewhere, takes tables
// of Unicode that the standard library does not have.
func checkFiles(files []InputFile) error {
	taken := make(map[string]string, len(files)) // paths and their directories, folded: as it was first written
	whole := make(map[string]bool, len(files))
	for i, file := range files {
		field := fmt.Sprintf("files[%d].path", i)
		if err := checkPath(field, file.Path); err != nil {
			return err
		}
		folded := strings.ToLower(file.Path)
		if other, ok := taken[folded]; ok {
			return refusedPath(field, file.Path, clash(file.Path, other, whole[folded]))
		}
		taken[folded], whole[folded] = file.Path, true
		for at := strings.LastIndexByte(file.Path, '/'); at >= 0; at = strings.LastIndexByte(file.Path[:at], '/') {
			above, key := file.Path[:at], folded[:at]
			if other, ok := taken[key]; ok && (whole[key] || other != above) {
				return refusedPath(field, file.Path, under(above, other, whole[key]))
			}
			taken[key] = above
		}
	}
	return nil
}

// clash says what is wrong with a path whose name is taken, by a file or by a
// directory that an earlier path goes through.
func clash(path, other string, file bool) string {
	switch {
	case path != other:
		return differs(path, other)
	case file:
		return fmt.Sprintf("%q is given twice", path)
	}
	return fmt.Sprintf("%q is a directory of an earlier path, so no file can have that name", path)
}

// under is clash for a directory that a path goes through.
func under(directory, other string, file bool) string {
	if directory == other && file {
		return fmt.Sprintf("%q is a file, so nothing can lie below it", directory)
	}
	return differs(directory, other)
}

func differs(path, other string) string {
	return fmt.Sprintf("%q differs from %q by the case of letters alone", path, other)
}

func refusedPath(field, path, why string) *Error {
	e := Invalid(field, ": %s", why)
	if len(path) <= MaxPathBytes {
		e = e.With(path)
	}
	return e
}

// checkPath refuses a path that is not one below the working directory.
func checkPath(field, path string) error {
	if path == "" {
		return Invalid(field, "is missing or empty")
	}
	if len(path) > MaxPathBytes {
		return TooLarge(field, len(path), MaxPathBytes, "is %d bytes, the maximum is %d")
	}
	if strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r > '~' || r == '\\' }) {
		return refusedPath(field, path, "a path has printable ASCII characters only, and no backslash")
	}
	return checkComponents(field, path)
}

// checkComponents is for paths and globs alike.
func checkComponents(field, path string) error {
	components := strings.Split(path, "/")
	if len(components) > MaxPathDepth {
		return TooLarge(field, len(components), MaxPathDepth, "has %d components, the maximum is %d")
	}
	for _, name := range components {
		switch {
		case name == "":
			return refusedPath(field, path, "a path is relative to the working directory, with single slashes between names")
		case name == "." || name == "..":
			return refusedPath(field, path, "a path has no component . or ..")
		case len(name) > MaxComponentBytes:
			return TooLarge(field, len(name), MaxComponentBytes, "has a component of %d bytes, the maximum is %d")
		}
	}
	return nil
}

// checkRoom says whether the files, and the input, which is a file too, fit the
// working directory's tmpfs: it counts whole pages, and an inode for each file and
// directory, its root among them.
func checkRoom(in Input, l Limits) error {
	pages, names := int64(0), []string{}
	room := func(size int) { pages += (int64(size) + tmpfsPage - 1) / tmpfsPage }
	inodes := int64(1)
	if in.Stdin != "" {
		room(len(in.Stdin))
		inodes++
	}
	for _, file := range in.Files {
		room(len(file.Content))
		inodes++
		for at, c := range file.Path {
			if c == '/' {
				names = append(names, file.Path[:at])
			}
		}
	}
	field := "files"
	if len(in.Files) == 0 {
		field = "stdin"
	}
	if pages == 0 && inodes == 1 {
		return nil
	}
	if size := pages * tmpfsPage; size > l.MaxDiskBytes {
		return TooLarge(field, size, l.MaxDiskBytes, "takes %d bytes of the working directory, which has %d (max_disk_bytes)")
	}
	slices.Sort(names)
	if inodes += int64(len(slices.Compact(names))); inodes > l.MaxFiles {
		return TooLarge(field, inodes, l.MaxFiles, "takes %d files and directories, the working directory may have %d (max_files)")
	}
	return nil
}
