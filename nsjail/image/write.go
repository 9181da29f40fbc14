package image

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// write makes what the plan says below a mount that holds nothing yet. Modes
// are set one by one, so that they are exact whatever the umask.
func (p *plan) write(ctx context.Context, mount *os.File) error {
	at := int(mount.Fd())
	for _, name := range p.names(directory) {
		if err := makeDirectory(at, name[1:], p.entries[name].mode); err != nil {
			return fail("image_write", name+" cannot be made", err)
		}
	}
	files := p.names(regular)
	err := parallel(ctx, len(files), func(i int) error {
		if err := p.entries[files[i]].write(at, files[i][1:]); err != nil {
			return fail("image_write", files[i]+" cannot be written", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range p.names(symlink) {
		if err := unix.Symlinkat(p.entries[name].target, at, name[1:]); err != nil {
			return fail("image_write", name+" cannot be made", os.NewSyscallError("symlinkat", err))
		}
	}
	return nil
}

func makeDirectory(at int, name string, mode uint32) error {
	if err := unix.Mkdirat(at, name, mode); err != nil {
		return os.NewSyscallError("mkdirat", err)
	}
	return os.NewSyscallError("fchmodat", unix.Fchmodat(at, name, mode, 0))
}

func (e *entry) write(at int, name string) error {
	fd, err := unix.Openat(at, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, e.mode)
	if err != nil {
		return os.NewSyscallError("openat", err)
	}
	defer unix.Close(fd)
	if err := unix.Fchmod(fd, e.mode); err != nil {
		return os.NewSyscallError("fchmod", err)
	}
	// The size first: it decides whether large pages are used.
	if err := unix.Ftruncate(fd, e.size); err != nil {
		return os.NewSyscallError("ftruncate", err)
	}
	switch {
	case e.source == "":
		return writeAll(fd, e.data)
	case len(e.scrub) > 0:
		b, err := readTrusted(e.source)
		if err != nil {
			return err
		}
		return writeAll(fd, scrub(b, e.scrub, true))
	default:
		return sendAll(fd, e.source, e.size)
	}
}

func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return os.NewSyscallError("write", err)
		}
		b = b[n:]
	}
	return nil
}

// sendAll copies a whole file of the host by sendfile(2); copy_file_range(2)
// does not cross file systems.
func sendAll(fd int, source string, size int64) error {
	f, info, err := openTrusted(source)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() != size {
		return fmt.Errorf("%s has %d bytes and had %d a moment ago", source, info.Size(), size)
	}
	// Older kernels give a large page only where the file's size covers it.
	if err := unix.Ftruncate(fd, size); err != nil {
		return os.NewSyscallError("ftruncate", err)
	}
	for size > 0 {
		n, err := unix.Sendfile(fd, int(f.Fd()), nil, int(min(size, 1<<30)))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return os.NewSyscallError("sendfile", err)
		}
		if n == 0 {
			return fmt.Errorf("%s was cut short while it was copied", source)
		}
		size -= int64(n)
	}
	return nil
}

// parallel calls do for 0 to n-1 on all processors and gives the first error;
// after one, or when ctx is cancelled, no further call is begun.
func parallel(ctx context.Context, n int, do func(int) error) error {
	var mu sync.Mutex
	var first error
	next := 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = ctx.Err()
		}
		if first != nil || next == n {
			return 0, false
		}
		next++
		return next - 1, true
	}
	var wg sync.WaitGroup
	for range min(n, runtime.NumCPU()) {
		wg.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				if err := do(i); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return first
}
