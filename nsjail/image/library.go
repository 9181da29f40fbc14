package image

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
)

// missingLibrary says that the host lacks a library.
type missingLibrary struct {
	name, by string
	dirs     []string
	unsafe   error // why a file of that name was passed over
}

func (e *missingLibrary) Error() string {
	s := fmt.Sprintf("library %s, needed by %s, is not in any of %s", e.name, e.by, strings.Join(e.dirs, ", "))
	if e.unsafe != nil {
		s += " (passed over: " + e.unsafe.Error() + ")"
	}
	return s
}

func (e *missingLibrary) Unwrap() error { return fs.ErrNotExist }

// resolver finds the libraries of one process as its loader would. A name
// found once answers for every later object, as in the loader.
type resolver struct {
	dirs  []string          // the host's default directories
	found map[string]string // DT_NEEDED name to resolved host path
	read  map[string]*object
}

func newResolver(dirs []string) *resolver {
	return &resolver{dirs: dirs, found: map[string]string{}, read: map[string]*object{}}
}

// need is one object and those that asked for it, itself first: DT_RPATH of the
// whole chain counts, DT_RUNPATH only of the object itself.
type need struct {
	by    string
	chain []*object
}

// add finds all libraries that an object needs, directly or not. Nothing is
// added when one of them is missing.
func (r *resolver) add(by string, chain ...*object) error {
	fresh := map[string]string{}
	queue := []need{{by, chain}}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, name := range n.chain[0].needed {
			if _, ok := r.found[name]; ok {
				continue
			}
			if _, ok := fresh[name]; ok {
				continue
			}
			path, o, err := r.find(name, n)
			if err != nil {
				return err
			}
			fresh[name] = path
			queue = append(queue, need{path, append([]*object{o}, n.chain...)})
		}
	}
	maps.Copy(r.found, fresh)
	return nil
}

func (r *resolver) find(name string, n need) (string, *object, error) {
	if strings.Contains(name, "/") {
		return "", nil, fmt.Errorf("%s needs %s by its path, which cannot be kept in an image", n.by, name)
	}
	var dirs []string
	if len(n.chain[0].runpath) == 0 {
		for _, o := range n.chain {
			dirs = append(dirs, o.rpath...)
		}
	}
	dirs = append(append(dirs, n.chain[0].runpath...), r.dirs...)
	missing := &missingLibrary{name: name, by: n.by, dirs: dirs}
	for _, dir := range dirs {
		real, err := trustedPath(filepath.Join(dir, name))
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				missing.unsafe = err
			}
			continue
		}
		o := r.read[real]
		if o == nil {
			if o, err = readObject(real); err != nil {
				missing.unsafe = fmt.Errorf("%s: %w", real, err)
				continue
			}
			r.read[real] = o
		}
		if o.class == n.chain[0].class && o.machine == n.chain[0].machine {
			return real, o, nil
		}
	}
	return "", nil, missing
}

// libraryHome is the directory of the image that gets all libraries: the one
// that libc stands in on the host, since there the loader looks without being
// told by a cache or a variable.
func (r *resolver) libraryHome() (string, error) {
	path, ok := r.found["libc.so.6"]
	if !ok {
		return "/usr/lib", nil // musl, or nothing but static code
	}
	home, ok := systemPath(filepath.Dir(path))
	if !ok {
		return "", fmt.Errorf("libc is in %s, where no loader looks by itself", filepath.Dir(path))
	}
	return home, nil
}

// systemPath maps a path in one of the loader's own directories to its place in
// the image, where /lib and /lib64 lead to /usr.
func systemPath(path string) (string, bool) {
	if strings.HasPrefix(path, "/lib") {
		path = "/usr" + path
	}
	dir, _, _ := strings.Cut(strings.TrimPrefix(path, "/usr/"), "/")
	return path, strings.HasPrefix(path, "/usr/") && (dir == "lib" || dir == "lib64")
}
