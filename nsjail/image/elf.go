package image

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// object is what the loader reads of an ELF file to find its libraries.
type object struct {
	class   elf.Class
	machine elf.Machine
	loader  string   // PT_INTERP; empty for a library or a static program
	needed  []string // DT_NEEDED
	rpath   []string // DT_RPATH, $ORIGIN put in; nil when there is a DT_RUNPATH
	runpath []string // DT_RUNPATH, $ORIGIN put in
}

// readObject reads the ELF file at a resolved host path.
func readObject(path string) (*object, error) {
	f, _, err := openTrusted(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseObject(f, filepath.Dir(path))
}

func parseObject(r io.ReaderAt, origin string) (*object, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil, fmt.Errorf("ELF type %s is neither program nor library", f.Type)
	}
	o := &object{class: f.Class, machine: f.Machine}
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		if p.Filesz > maxPath {
			return nil, fmt.Errorf("name of the loader has %d bytes", p.Filesz)
		}
		b := make([]byte, p.Filesz)
		if _, err := p.ReadAt(b, 0); err != nil {
			return nil, fmt.Errorf("name of the loader: %w", err)
		}
		name, _, _ := bytes.Cut(b, []byte{0})
		o.loader = string(name)
	}
	if o.needed, err = f.DynString(elf.DT_NEEDED); err != nil {
		return nil, fmt.Errorf("DT_NEEDED: %w", err)
	}
	runpath, err := f.DynString(elf.DT_RUNPATH)
	if err != nil {
		return nil, fmt.Errorf("DT_RUNPATH: %w", err)
	}
	rpath, err := f.DynString(elf.DT_RPATH)
	if err != nil {
		return nil, fmt.Errorf("DT_RPATH: %w", err)
	}
	o.runpath = expandPath(runpath, origin)
	if len(runpath) == 0 {
		o.rpath = expandPath(rpath, origin)
	}
	return o, nil
}

// expandPath splits the lists of a DT_RPATH or DT_RUNPATH and puts the file's
// own directory in for $ORIGIN (ld.so(8)). Entries with another variable and
// relative ones are dropped: what they mean depends on the machine or the
// working directory.
func expandPath(lists []string, origin string) []string {
	var dirs []string
	for _, list := range lists {
		for _, dir := range strings.Split(list, ":") {
			dir = strings.ReplaceAll(dir, "${ORIGIN}", origin)
			if rest, ok := strings.CutPrefix(dir, "$ORIGIN"); ok && (rest == "" || rest[0] == '/') {
				dir = origin + rest
			}
			if filepath.IsAbs(dir) && !strings.Contains(dir, "$") {
				dirs = append(dirs, filepath.Clean(dir))
			}
		}
	}
	return dirs
}
