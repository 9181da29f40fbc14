package vmtest

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// libraryDirs are where the dynamic linker of an amd64 Debian looks last.
var libraryDirs = []string{
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
	"/usr/local/lib", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
}

// Libraries adds the dynamic linker and every shared library that an ELF file
// of the host needs, directly or through others. It reads the files and runs
// none. A file that is no ELF file needs nothing.
func (t *Tree) Libraries(host string) error {
	seen := make(map[string]bool)
	queue := []string{host}
	for len(queue) > 0 {
		file := queue[0]
		queue = queue[1:]
		if seen[file] {
			continue
		}
		seen[file] = true
		needed, err := dependencies(file)
		if err != nil {
			return fmt.Errorf("libraries of %s: %w", host, err)
		}
		for _, lib := range needed {
			real, err := t.Same(lib)
			if err != nil {
				return fmt.Errorf("libraries of %s: %w", host, err)
			}
			queue = append(queue, real)
		}
	}
	return nil
}

// dependencies are the paths of what one file names: interpreter and needed
// libraries.
func dependencies(file string) (paths []string, err error) {
	f, err := elf.Open(file)
	var format *elf.FormatError
	switch {
	case errors.As(err, &format):
		return nil, nil
	case err != nil:
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			name := make([]byte, p.Filesz)
			if _, err := p.ReadAt(name, 0); err != nil {
				return nil, fmt.Errorf("%s: interpreter: %w", file, err)
			}
			paths = append(paths, strings.TrimRight(string(name), "\x00"))
		}
	}
	names, err := f.ImportedLibraries()
	if err != nil {
		return nil, fmt.Errorf("%s: needed libraries: %w", file, err)
	}
	dirs, err := searchDirs(f, file)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		p, err := find(name, dirs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		paths = append(paths, p)
	}
	return paths, nil
}

func searchDirs(f *elf.File, file string) ([]string, error) {
	var dirs []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		lists, err := f.DynString(tag)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, tag, err)
		}
		for _, list := range lists {
			for dir := range strings.SplitSeq(list, ":") {
				origin := path.Dir(file)
				dirs = append(dirs, strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(dir))
			}
		}
	}
	return append(dirs, libraryDirs...), nil
}

func find(name string, dirs []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, dir := range dirs {
		p := path.Join(dir, name)
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("library %s: %w in %s", name, fs.ErrNotExist, strings.Join(dirs, ", "))
}
