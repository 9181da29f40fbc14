package image

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// nodeLibrary takes in the JavaScript that Node reads from files at every
// start. The project's own builds read none, those of distributions have moved
// parts out; the paths stand in the program, or in the library that it is a thin
// shell around.
func (b *builder) nodeLibrary() error {
	parts := []string{b.runtime.path}
	for name, path := range b.libs.found {
		if strings.HasPrefix(name, "libnode.") {
			parts = append(parts, path)
		}
	}
	for _, part := range parts {
		names, err := scriptsIn(part)
		if err != nil {
			return err
		}
		for _, name := range names {
			real, err := trustedPath(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // a string that only looks like a path
			}
			if err != nil {
				return err
			}
			if !strings.HasPrefix(name, home+"/") {
				return fmt.Errorf("%s reads %s, which is in no place that an image can have", part, name)
			}
			if err := b.copyHost(name, real, fileMode); err != nil {
				return err
			}
		}
	}
	return nil
}

// scriptsIn lists the absolute paths of scripts that stand in a program.
func scriptsIn(path string) ([]string, error) {
	f, info, err := openTrusted(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_POPULATE)
	if err != nil {
		return nil, &os.PathError{Op: "mmap", Path: path, Err: err}
	}
	defer func() { _ = unix.Munmap(b) }()
	return scriptPaths(b), nil
}

// maxPath is PATH_MAX.
const maxPath = 4096

// scriptPaths finds NUL-terminated strings that are clean absolute paths of
// JavaScript files.
func scriptPaths(b []byte) []string {
	var paths []string
	end := []byte(".js\x00")
	for at := 0; ; {
		i := bytes.Index(b[at:], end)
		if i < 0 {
			return paths
		}
		stop := at + i + len(end) - 1
		start := bytes.LastIndexByte(b[max(at, stop-maxPath):stop], 0) + 1 + max(at, stop-maxPath)
		name := string(b[start:stop])
		if filepath.IsAbs(name) && filepath.Clean(name) == name && !strings.ContainsAny(name, "\n\r ") {
			paths = append(paths, name)
		}
		at = stop
	}
}
