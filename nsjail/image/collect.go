package image

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"safe-exec/policy"
)

// builder puts together the plan of one image.
type builder struct {
	config   Config
	runtime  *host
	plan     *plan
	libs     *resolver
	program  *object
	odd      []string          // host prefixes to take out
	sources  map[string][]byte // Python by image path, to be compiled
	cached   bool
	warnings []string
}

// Accounts of the image: the one that programs run as, whose number is
// wire.PayloadID, and no other, so that a home and a name can be asked for.
const (
	passwd   = "user:x:1:1::/tmp:\n"
	group    = "user:x:1:\n"
	nsswitch = "passwd: files\ngroup: files\nhosts: files\n"
)

func (b *builder) collect(ctx context.Context) error {
	b.sources = map[string][]byte{}
	b.libs = newResolver(libraryDirs(loaderConfig))
	b.odd = oddPrefixes(b.runtime.prefix)
	for _, s := range []struct {
		step, message string
		do            func(context.Context) error
	}{
		{"image_layout", "the directories of the image cannot be laid out", b.layout},
		{"image_interpreter", "the interpreter cannot be taken into the image", b.interpreter},
		{"image_library", "the standard library cannot be taken into the image", b.library},
		{"image_files", "a file of ours cannot be taken into the image", b.files},
		{"image_compile", "the standard library cannot be compiled", b.compile},
		{"image_shared_libraries", "a shared library cannot be taken into the image", b.sharedLibraries},
	} {
		if err := s.do(ctx); err != nil {
			return fail(s.step, s.message, err)
		}
	}
	return nil
}

// layout makes what every image has. /tmp and /dev are mount points.
func (b *builder) layout(context.Context) error {
	for _, dir := range []string{"/tmp", "/dev", "/etc", "/usr/bin", "/usr/lib", "/usr/lib64"} {
		if err := b.plan.dir(dir); err != nil {
			return err
		}
	}
	for _, name := range []string{"lib", "lib64"} {
		if err := b.plan.link("/"+name, "/usr/"+name); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"passwd": passwd, "group": group, "nsswitch.conf": nsswitch} {
		if err := b.plan.file(etcDir+"/"+name, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) interpreter(context.Context) (err error) {
	h := b.runtime
	if b.program, err = readObject(h.path); err != nil {
		return err
	}
	if err := b.libs.add(h.path, b.program); err != nil {
		return err
	}
	if err := b.copyHost(h.inside, h.path, programMode); err != nil {
		return err
	}
	if h.inside != "/usr/bin/python3" && b.config.Language == policy.Python {
		return b.plan.link("/usr/bin/python3", h.inside)
	}
	return nil
}

func (b *builder) library(ctx context.Context) error {
	if b.config.Language == policy.Python {
		return b.pythonLibrary(ctx)
	}
	return b.nodeLibrary()
}

// ownDir is where a Python file of ours gets its .pyc beside it, since it is
// started by that name.
const ownDir = "/usr/lib/safe-exec"

func (b *builder) files(context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(b.config.Files)) {
		data := b.config.Files[name]
		if dir := top(strings.TrimPrefix(name, "/")); dir == "tmp" || dir == "dev" {
			return fmt.Errorf("%s would be hidden by what is mounted on /%s", name, dir)
		}
		if err := b.plan.file(name, data); err != nil {
			return err
		}
		if bytes.HasPrefix(data, []byte("\x7fELF")) {
			o, err := parseObject(bytes.NewReader(data), filepath.Dir(name))
			if err != nil {
				return err
			}
			if err := b.libs.add(name, o, b.program); err != nil {
				return err
			}
		}
		if b.config.Language == policy.Python && filepath.Dir(name) == ownDir && strings.HasSuffix(name, ".py") {
			b.sources[name] = data
		}
	}
	return nil
}

// sharedLibraries puts everything the resolver found, and the loader, where the
// loader of the image finds it.
func (b *builder) sharedLibraries(context.Context) error {
	dir, err := b.libs.libraryHome()
	if err != nil {
		return err
	}
	if err := b.loader(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(b.libs.found)) {
		if err := b.copyHost(filepath.Join(dir, name), b.libs.found[name], fileMode); err != nil {
			return err
		}
	}
	return nil
}

// loader puts PT_INTERP of the interpreter at its own path, which is written in
// the interpreter.
func (b *builder) loader() error {
	if b.program.loader == "" {
		return nil // a static program
	}
	inside, ok := systemPath(b.program.loader)
	if !ok {
		return &os.PathError{Op: "keep the loader", Path: b.program.loader, Err: os.ErrInvalid}
	}
	real, err := trustedPath(b.program.loader)
	if err != nil {
		return err
	}
	return b.copyHost(inside, real, programMode)
}

// copyHost plans a copy of a resolved host file, without the host's prefixes if
// it is from one of them.
func (b *builder) copyHost(name, source string, mode uint32) error {
	info, err := os.Lstat(source)
	if err != nil {
		return err
	}
	if err := b.plan.copy(name, source, info.Size(), mode); err != nil {
		return err
	}
	for _, prefix := range b.odd {
		if e := b.plan.entries[name]; strings.HasPrefix(source, prefix+"/") && e.kind == regular {
			e.scrub = b.odd
		}
	}
	return nil
}
