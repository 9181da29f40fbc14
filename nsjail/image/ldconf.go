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
		for _, d := range parseLoaderConfig(b) {
			if !d.include {
				dirs = append(dirs, d.path)
				continue
			}
			pattern := d.path
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(filepath.Dir(path), pattern)
			}
			found, err := filepath.Glob(pattern) // sorted
			if err != nil {
				continue // a pattern that is none matches nothing
			}
			for _, f := range found {
				read(f)
			}
		}
	}
	read(config)
	return append(dirs, systemDirs...)
}

// directive is one directory, or one pattern of files to include.
type directive struct {
	path    string
	include bool
}

// parseLoaderConfig reads one ld.so.conf file. Lines that are neither (hwcap)
// are skipped.
func parseLoaderConfig(b []byte) []directive {
	var found []directive
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\v\f,:", r) })
		include := len(words) > 0 && words[0] == "include"
		if len(words) > 0 && (include || words[0] == "hwcap") {
			words = words[1:]
		}
		for _, w := range words {
			if include {
				found = append(found, directive{w, true})
				continue
			}
			// An old form names a library type after the directory: dir=libc6.
			w, _, _ = strings.Cut(w, "=")
			if filepath.IsAbs(w) {
				found = append(found, directive{filepath.Clean(w), false})
			}
		}
	}
	return found
}
