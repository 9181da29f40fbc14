package image

import (
	"bufio"
	"bytes"
	"path/filepath"
	"strings"
)

const (
	loaderConfig = "/etc/ld.so.conf"
	maxIncludes  = 64 // configuration files in all; a file may include itself
)

// systemDirs are the loader's own; each machine has some of them.
var systemDirs = []string{"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"}

// libraryDirs lists where the host's loader looks, in order: what its
// configuration names, as ldconfig(8) reads it, then its own directories.
func libraryDirs(config string) []string {
	var dirs []string
	seen := 0
	var read func(path string)
	read = func(path string) {
		if seen++; seen > maxIncludes {
			return
		}
		real, err := trustedPath(path)
		if err != nil {
			return // not there, or not root's: then it names nothing
		}
		b, err := readTrusted(real)
		if err != nil {
			return
		}
		names, includes := parseLoaderConfig(b)
		dirs = append(dirs, names...)
		for _, pattern := range includes {
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(filepath.Dir(path), pattern)
			}
			found, err := filepath.Glob(pattern) // sorted
			if err != nil {
				continue
			}
			for _, f := range found {
				read(f)
			}
		}
	}
	read(config)
	return append(dirs, systemDirs...)
}

// parseLoaderConfig gives the directories and the include patterns of one
// ld.so.conf file. Other lines (hwcap) are skipped.
func parseLoaderConfig(b []byte) (dirs, includes []string) {
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\v\f,:", r) })
		switch {
		case len(words) > 0 && words[0] == "include":
			includes = append(includes, words[1:]...)
		case len(words) > 0 && words[0] == "hwcap":
		default:
			for _, w := range words {
				// An old form names a library type after the directory: dir=libc6.
				w, _, _ = strings.Cut(w, "=")
				if filepath.IsAbs(w) {
					dirs = append(dirs, filepath.Clean(w))
				}
			}
		}
	}
	return dirs, includes
}
