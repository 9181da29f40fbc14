package image

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// treeFile is one regular file found below a directory of the host.
type treeFile struct {
	rel    string // below the directory
	source string // resolved host path
	size   int64
	link   bool // found through a symbolic link
}

// listTree lists the files below a directory that keep wants, in order. keep is
// asked for directories too, and those it refuses are not entered. Nothing that
// others than root could have put there passes.
func listTree(dir string, keep func(rel string, isDir bool) bool) ([]treeFile, error) {
	root, err := trustedPath(dir)
	if err != nil {
		return nil, err
	}
	var files []treeFile
	var list func(rel string) error
	list = func(rel string) error {
		entries, err := os.ReadDir(filepath.Join(root, rel))
		if err != nil {
			return err
		}
		for _, e := range entries {
			f := treeFile{rel: filepath.Join(rel, e.Name()), source: filepath.Join(root, rel, e.Name())}
			if !keep(f.rel, e.IsDir()) {
				continue
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			if f.link = info.Mode()&os.ModeSymlink != 0; f.link {
				if f.source, err = trustedPath(f.source); err != nil {
					return fmt.Errorf("%s: %w", f.rel, err)
				}
				if info, err = os.Lstat(f.source); err != nil {
					return err
				}
			} else if err := trusted(f.source, info); err != nil {
				return err
			}
			switch {
			case info.IsDir() && f.link:
				return fmt.Errorf("%s is a symbolic link to a directory, which an image cannot hold", filepath.Join(root, f.rel))
			case info.IsDir():
				if err := list(f.rel); err != nil {
					return err
				}
			case info.Mode().IsRegular():
				f.size = info.Size()
				files = append(files, f)
			default:
				return fmt.Errorf("%s is neither file nor directory", f.source)
			}
		}
		return nil
	}
	return files, list(".")
}

// copyTree plans the files of a list below a directory of the image. Links
// come last, so that they can be links to what is there.
func (p *plan) copyTree(to string, files []treeFile) error {
	for _, links := range []bool{false, true} {
		for _, f := range files {
			if f.link != links {
				continue
			}
			if err := p.copy(filepath.Join(to, f.rel), f.source, f.size, fileMode); err != nil {
				return err
			}
		}
	}
	return nil
}

// matchAny tells whether a name matches one of some shell patterns.
func matchAny(name string, patterns []string) bool {
	for _, pattern := range patterns {
		if ok, err := filepath.Match(pattern, name); err == nil && ok {
			return true
		}
	}
	return false
}

// top gives the first component of a relative path.
func top(rel string) string {
	first, _, _ := strings.Cut(rel, "/")
	return first
}
