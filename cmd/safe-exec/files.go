package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"safe-exec/policy"
)

// writeFiles puts what a program left below dir, and never anywhere else: its
// names were chosen by somebody whom nobody trusts. It makes dir where there is
// none. All names are looked at before the first is written.
func (in *inputs) writeFiles(files []policy.File) error {
	for _, f := range files {
		if !plain(f.Path) {
			return fmt.Errorf("the program named a file %q, which is not written; nothing was", f.Path)
		}
	}
	if err := os.MkdirAll(in.out, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(in.out)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if err := in.writeFile(root, f); err != nil {
			if !in.force && errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s is there already; --force writes over it", filepath.Join(in.out, f.Path))
			}
			return fmt.Errorf("write %s: %w", filepath.Join(in.out, f.Path), err)
		}
	}
	return nil
}

func (in *inputs) writeFile(root *os.Root, f policy.File) error {
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return err
	}
	if in.force {
		// A link that is there is replaced, not followed; a directory that is
		// not empty stays.
		if err := root.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	file, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	content := f.Content
	if content == nil {
		content = []byte(f.Text)
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// plain says whether a name is a relative path without surprises, also in a
// terminal.
func plain(name string) bool {
	return filepath.IsLocal(name) && path.Clean(name) == name && name != "." &&
		!strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '\\' || r == unicode.ReplacementChar })
}

// bringBack writes the files of a result where --out asks for it, says which did
// not come back, and gives the exit status.
func (in *inputs) bringBack(std stdio, result *policy.Result, status int) int {
	if in.out == "" {
		if !in.shown {
			noteFiles(std, result.Files, "--out DIR writes them")
		}
		return status
	}
	for _, f := range result.FilesSkipped {
		fmt.Fprintf(std.err, "safe-exec: %s did not come back: %s\n", oneLine(f.Path), oneLine(f.Reason))
	}
	if err := in.writeFiles(result.Files); err != nil {
		std.complain(err)
		return exitOurs
	}
	return status
}

// maxNamed is how many files a note names.
const maxNamed = 5

// noteFiles names what came back and is about to be dropped, and says how it would
// not be.
func noteFiles(std stdio, files []policy.File, how string) {
	if len(files) == 0 {
		return
	}
	var names []string
	for _, f := range files[:min(len(files), maxNamed)] {
		names = append(names, oneLine(f.Path))
	}
	text := strings.Join(names, ", ")
	if more := len(files) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	fmt.Fprintf(std.err, "safe-exec: files came back and were not kept: %s\n", text)
	std.hint(how)
}
