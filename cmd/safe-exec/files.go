package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

// lookOut says what keeps files from being written below the directory of --out, and
// makes nothing: a program that has run in vain is too late to say it.
func (in *inputs) lookOut() error {
	if in.out == "" {
		return nil
	}
	for dir := filepath.Clean(in.out); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		switch {
		case (errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR)) && dir != filepath.Dir(dir):
			if _, err := os.Lstat(dir); err == nil {
				return fmt.Errorf("--out %s: %s is a link to what is not there", in.out, dir)
			}
			continue // it is made
		case err == nil && !info.IsDir():
			err = unix.ENOTDIR
		case err == nil:
			err = unix.Access(dir, unix.W_OK|unix.X_OK)
		}
		if err != nil {
			return fmt.Errorf("--out %s: %s: %w", in.out, dir, errnoOf(err))
		}
		return nil
	}
}

// errnoOf leaves out the step, and the path, which stand there already.
func errnoOf(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

// writeFiles puts what a program left below dir, and never anywhere else: its
// names were chosen by somebody whom nobody trusts. It makes dir where there is
// none. All names are looked at before the first is written; one that cannot be
// written does not keep the others from it.
func (in *inputs) writeFiles(files []policy.File) (failed int, errs []error) {
	for _, f := range files {
		if !plain(f.Path) {
			return len(files), []error{fmt.Errorf("the program named a file %q, which is not written; nothing was", f.Path)}
		}
	}
	if err := os.MkdirAll(in.out, 0o755); err != nil {
		return len(files), []error{err}
	}
	root, err := os.OpenRoot(in.out)
	if err != nil {
		return len(files), []error{err}
	}
	defer root.Close()
	for _, f := range files {
		err := in.writeFile(root, f)
		switch {
		case err == nil:
			continue
		case !in.force && errors.Is(err, fs.ErrExist):
			err = fmt.Errorf("%s is there already; --force writes over it", filepath.Join(in.out, f.Path))
		default:
			err = fmt.Errorf("write %s: %w", filepath.Join(in.out, f.Path), err)
		}
		errs = append(errs, err)
	}
	return len(errs), errs
}

func (in *inputs) writeFile(root *os.Root, f policy.File) error {
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); errors.Is(err, fs.ErrExist) { // --force would not help
		return &fs.PathError{Op: "mkdir", Path: path.Dir(f.Path), Err: unix.ENOTDIR}
	} else if err != nil {
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
	failed, errs := in.writeFiles(result.Files)
	if errs == nil {
		return status
	}
	for _, err := range errs {
		std.complain(err)
	}
	std.complain(fmt.Errorf("%d of %s not written; the program itself: %s", failed, counted(len(result.Files), "file"), result.Status))
	return exitOurs
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
