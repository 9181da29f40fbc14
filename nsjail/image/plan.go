package image

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

type kind int

const (
	directory kind = iota + 1
	regular
	symlink
)

const (
	fileMode    = 0o644
	programMode = 0o755 // and directories
)

// entry is one thing to make in the image. A regular file has its content at
// hand, or else a source to copy.
type entry struct {
	kind   kind
	data   []byte
	source string   // resolved host path
	scrub  []string // host prefixes to take out of the source while copying
	size   int64
	mode   uint32
	target string // of a symlink, relative
}

// plan is what an image will hold, by absolute path. It is complete before the
// file system is made, so that size and inodes can be bounded by what it says.
type plan struct {
	entries map[string]*entry
	sources map[string]string // host path to the first place it went
}

func newPlan() *plan {
	return &plan{entries: map[string]*entry{"/": {kind: directory, mode: programMode}}, sources: map[string]string{}}
}

func (p *plan) put(name string, e *entry) error {
	if !path.IsAbs(name) || path.Clean(name) != name || strings.ContainsRune(name, 0) {
		return fmt.Errorf("%q is not a clean absolute path", name)
	}
	if name == "/" {
		return nil
	}
	if old, ok := p.entries[name]; ok {
		if old.kind == directory && e.kind == directory {
			return nil
		}
		return fmt.Errorf("%s is in the image already", name)
	}
	parent := path.Dir(name)
	if old, ok := p.entries[parent]; !ok {
		if err := p.dir(parent); err != nil {
			return err
		}
	} else if old.kind != directory {
		return fmt.Errorf("%s: %s is not a directory", name, parent)
	}
	p.entries[name] = e
	return nil
}

func (p *plan) dir(name string) error {
	return p.put(name, &entry{kind: directory, mode: programMode})
}

func (p *plan) file(name string, data []byte) error {
	return p.put(name, &entry{kind: regular, data: data, size: int64(len(data)), mode: fileMode})
}

// copy puts in a file of the host. A second name for the same file becomes a
// link to the first.
func (p *plan) copy(name, source string, size int64, mode uint32) error {
	if first, ok := p.sources[source]; ok {
		if first == name {
			return nil
		}
		return p.link(name, first)
	}
	if err := p.put(name, &entry{kind: regular, source: source, size: size, mode: mode}); err != nil {
		return err
	}
	p.sources[source] = name
	return nil
}

// link makes a symbolic link to an absolute path of the image, as a relative
// one: an absolute one would lead elsewhere where the image is not the root.
func (p *plan) link(name, target string) error {
	return p.put(name, &entry{kind: symlink, target: relative(path.Dir(name), target)})
}

func relative(dir, target string) string {
	from := strings.Split(strings.Trim(dir, "/"), "/")
	to := strings.Split(strings.Trim(target, "/"), "/")
	if from[0] == "" {
		from = nil
	}
	same := 0
	for same < len(from) && same < len(to)-1 && from[same] == to[same] {
		same++
	}
	return strings.Repeat("../", len(from)-same) + strings.Join(to[same:], "/")
}

// names gives the entries of one kind, parents before what is in them.
func (p *plan) names(k kind) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p.entries)) {
		if p.entries[name].kind == k && name != "/" {
			names = append(names, name)
		}
	}
	return names
}

func (p *plan) count() (files, links int) {
	return len(p.names(regular)), len(p.names(symlink))
}

// tmpfs makes the file system that the plan fits in, with nothing to spare but
// the rounding of pages.
func (p *plan) tmpfs() (*tmpfs, error) {
	var pages int64
	for _, e := range p.entries {
		pages += (e.size+pageSize-1)/pageSize + 1 // and one for a directory's or a link's own
	}
	if size := pages * pageSize; size > maxImageBytes {
		return nil, fail("image_size", fmt.Sprintf("the image would take %d bytes, the maximum is %d", size, int64(maxImageBytes)), nil)
	}
	return newTmpfs(pages*pageSize, int64(len(p.entries)+1))
}
