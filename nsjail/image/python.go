package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// opened holds libraries that are not needed by name but opened when a thread
// is cancelled (libgcc) or a name looked up (older C libraries).
var opened = []string{"libgcc_s.so.1", "libnss_files.so.2"}

func (b *builder) pythonLibrary(ctx context.Context) error {
	h := b.runtime
	files, err := listTree(h.library, keepPython(b.config.Full))
	if err != nil {
		return err
	}
	to := filepath.Join(home, h.libname, filepath.Base(h.inside))
	var sources []treeFile
	for _, f := range files {
		name := filepath.Join(to, f.rel)
		switch {
		case filepath.Ext(f.rel) == ".py":
			sources = append(sources, f)
		case filepath.Ext(f.rel) == ".so":
			if err := b.extension(name, f.source); err != nil {
				return err
			}
		case oddConfig(f.rel) && len(b.odd) > 0:
			if err := b.readInto(name, f.source); err != nil {
				return err
			}
		default:
			if err := b.copyHost(name, f.source, fileMode); err != nil {
				return err
			}
		}
	}
	if err := b.readSources(ctx, to, sources); err != nil {
		return err
	}
	if _, ok := b.plan.entries[filepath.Join(to, extensionDir)]; !ok {
		// Without it the interpreter complains of its exec_prefix at every start.
		if err := b.plan.dir(filepath.Join(to, extensionDir)); err != nil {
			return err
		}
	}
	b.openedLibraries()
	return b.pythonData()
}

// oddConfig names the library's record of how it was built, which is full of
// the prefix.
func oddConfig(rel string) bool { return strings.HasPrefix(rel, "_sysconfig") }

// extension takes in an extension module. One whose libraries the host lacks
// does not work on the host either and is left out.
func (b *builder) extension(name, source string) error {
	o, err := readObject(source)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	var missing *missingLibrary
	if err := b.libs.add(source, o, b.program); errors.As(err, &missing) {
		b.warnings = append(b.warnings, fmt.Sprintf("extension module %s is left out: %s", filepath.Base(source), missing))
		return nil
	} else if err != nil {
		return err
	}
	return b.copyHost(name, source, fileMode)
}

func (b *builder) openedLibraries() {
	for _, name := range opened {
		o := &object{class: b.program.class, machine: b.program.machine, needed: []string{name}}
		if err := b.libs.add(b.runtime.path, o, b.program); err != nil && name == opened[0] {
			b.warnings = append(b.warnings, "a cancelled thread would abort the program: "+err.Error())
		}
	}
}

// readSources reads Python text into the plan and marks it for compiling.
func (b *builder) readSources(ctx context.Context, to string, files []treeFile) error {
	texts := make([][]byte, len(files))
	err := parallel(ctx, len(files), func(i int) (err error) {
		if texts[i], err = readTrusted(files[i].source); err == nil && oddConfig(files[i].rel) {
			texts[i] = scrub(texts[i], b.odd, false)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, f := range files {
		name := filepath.Join(to, f.rel)
		if err := b.plan.file(name, texts[i]); err != nil {
			return err
		}
		b.sources[name] = texts[i]
	}
	return nil
}

func (b *builder) readInto(name, source string) error {
	text, err := readTrusted(source)
	if err != nil {
		return err
	}
	return b.plan.file(name, scrub(text, b.odd, false))
}

// pythonData takes in the time zones and the one locale. Python works without
// them; programs that ask for a zone do not.
func (b *builder) pythonData() error {
	zones, err := listTree(zoneDir, keepZone)
	if errors.Is(err, fs.ErrNotExist) {
		b.warnings = append(b.warnings, "no time zones: the host has no "+zoneDir)
	} else if err != nil {
		return err
	}
	if err := b.plan.copyTree(zoneDir, zones); err != nil {
		return err
	}
	for _, dir := range localeDirs {
		files, err := listTree(dir, keepAll)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		return b.plan.copyTree(dir, files)
	}
	b.warnings = append(b.warnings, "no C.UTF-8 locale on the host; programs see the C locale only")
	return nil
}
