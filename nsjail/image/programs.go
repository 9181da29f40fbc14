package image

import (
	"bytes"
	"context"
	"path/filepath"
)

// executeOnly keeps a program unreadable to who runs it, so that the kernel
// makes the process undumpable at the exec, as the shim makes an interpreter.
const executeOnly = 0o711

// Programs says what goes into an image that has no interpreter.
type Programs struct {
	// Executables are ELF programs, by path in the image. One of them may be
	// dynamically linked: its loader and libraries come from the host.
	Executables map[string][]byte
	Files       map[string][]byte // mode 0644, as Config.Files
}

// BuildPrograms makes an image of programs that are linked for themselves; for
// the rest it is as Build, and Interpreter, Source and Version are empty.
func BuildPrograms(ctx context.Context, c Programs) (*Image, error) {
	b := &builder{
		config: Config{Files: c.Files}, plan: newPlan(),
		libs: newResolver(libraryDirs(loaderConfig)), program: &object{},
	}
	err := b.layout(ctx)
	for name, data := range c.Executables {
		if err == nil {
			err = b.executable(name, data)
		}
	}
	for _, part := range []func(context.Context) error{b.files, b.sharedLibraries} {
		if err == nil {
			err = part(ctx)
		}
	}
	if err != nil {
		return nil, fail("image_programs", "a program cannot be taken into the image", err)
	}
	return b.plan.make(ctx)
}

func (b *builder) executable(name string, data []byte) error {
	o, err := parseObject(bytes.NewReader(data), filepath.Dir(name))
	if err != nil {
		return err
	}
	if o.loader != "" {
		b.program = o
	}
	if err := b.libs.add(name, o); err != nil {
		return err
	}
	return b.plan.put(name, &entry{kind: regular, data: data, size: int64(len(data)), mode: executeOnly})
}
