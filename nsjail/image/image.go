package image

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

// Config says what goes into an image.
type Config struct {
	Language policy.Language

	// Interpreter is an absolute host path; empty means the usual places,
	// see Candidates. PATH is not looked at.
	Interpreter string

	// Files are put into the image beside the interpreter, mode 0644: image
	// path to content. The libraries of an ELF file among them come too, and a
	// Python file below /usr/lib/safe-exec gets a .pyc beside it.
	Files map[string][]byte

	// CacheDir keeps compiled Python between daemons. It must belong to root
	// with mode 0700 and is created if missing. Empty means compile each time.
	CacheDir string

	// Full keeps the parts of the standard library that no allowed program
	// needs, ctypes and the tests among them.
	Full bool
}

// Image is a finished root. Its fields are not to be changed.
type Image struct {
	Mount       *os.File // the detached mount, sealed
	Interpreter string   // path in the image
	Source      string   // path on the host, symbolic links resolved
	Version     string   // 3.11.2, 20.19.0
	Flags       []string // of the interpreter, without which a fork of it would differ from a fresh one
	Bytes       int64    // memory held, in bytes, page rounding included
	Files       int      // regular files
	Links       int      // symbolic links
	Roots       []string // directories that a program must be let read and execute
	Cached      bool     // the compiled files came from CacheDir

	// Warnings say what was left out or could not be kept, a sentence each: an
	// extension module whose library the host lacks, a cache that is full.
	Warnings []string
}

// Build makes an image. Errors are *policy.Error with CodeSetup, name the step
// and what is missing, and wrap the errno where there is one. Cancelling ctx
// ends the interpreter's runs.
func Build(ctx context.Context, c Config) (*Image, error) {
	rt, err := findRuntime(ctx, c)
	if err != nil {
		return nil, err
	}
	flags, err := rt.flags(ctx, c.Language)
	if err != nil {
		return nil, fail("image_interpreter", "the options of V8 cannot be listed", err)
	}
	b := &builder{config: c, runtime: rt, plan: newPlan()}
	if err := b.collect(ctx); err != nil {
		return nil, err
	}
	img, err := b.plan.make(ctx)
	if err != nil {
		return nil, err
	}
	img.Interpreter, img.Source, img.Version, img.Flags = rt.inside, rt.path, rt.version, flags
	img.Cached, img.Warnings = b.cached, b.warnings
	return img, nil
}

// make writes what the plan says and seals it.
func (p *plan) make(ctx context.Context) (*Image, error) {
	t, err := p.tmpfs()
	if err != nil {
		return nil, err
	}
	defer t.closeContext()
	keep := false
	defer func() {
		if !keep {
			t.mount.Close()
		}
	}()
	if err := p.write(ctx, t.mount); err != nil {
		return nil, err
	}
	if err := t.seal(unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOATIME); err != nil {
		return nil, err
	}
	img := &Image{Mount: t.mount, Roots: []string{"/usr", "/etc"}}
	img.Files, img.Links = p.count()
	if img.Bytes, err = usedBytes(t.mount); err != nil {
		return nil, err
	}
	keep = true
	return img, nil
}

// Close lets go of the image; its memory is freed when no jail uses it any
// more. A second call is harmless.
func (i *Image) Close() error {
	if err := i.Mount.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// fail makes the error that leaves this package.
func fail(step, message string, err error) error {
	return &policy.Error{Code: policy.CodeSetup, Step: step, Message: message, Err: err}
}
