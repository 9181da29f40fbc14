package image

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	pageSize      = 4096
	maxImageBytes = 1 << 30
)

// tmpfs is a file system that is attached nowhere, and the context that it can
// be reconfigured through.
type tmpfs struct {
	context int
	mount   *os.File
}

// newTmpfs makes one of at most size bytes and so many inodes, the root's own
// included. It is writable, nosuid and nodev until sealed.
func newTmpfs(size, inodes int64) (*tmpfs, error) {
	t := &tmpfs{context: -1}
	if err := t.make(size, inodes); err != nil {
		t.closeContext()
		return nil, fail("image_tmpfs", "the file system of an image cannot be made", err)
	}
	return t, nil
}

func (t *tmpfs) make(size, inodes int64) (err error) {
	if t.context, err = unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC); err != nil {
		t.context = -1
		return os.NewSyscallError("fsopen", err)
	}
	for _, o := range [][2]string{
		{"source", "image"},
		{"mode", "0755"}, {"uid", "0"}, {"gid", "0"},
		{"size", strconv.FormatInt(size, 10)},
		{"nr_inodes", strconv.FormatInt(inodes, 10)},
	} {
		if err := unix.FsconfigSetString(t.context, o[0], o[1]); err != nil {
			return t.explain("fsconfig "+o[0]+"="+o[1], err)
		}
	}
	// Large pages where a file fills them: an interpreter starts with fewer
	// faults (Node in 22 ms instead of 26). A kernel without them goes without.
	_ = unix.FsconfigSetString(t.context, "huge", "within_size")
	if err := unix.FsconfigCreate(t.context); err != nil {
		return t.explain("fsconfig create", err)
	}
	fd, err := unix.Fsmount(t.context, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return t.explain("fsmount", err)
	}
	t.mount = os.NewFile(uintptr(fd), "image")
	return nil
}

// seal makes the superblock read-only and gives the mount exactly these
// attributes. EBUSY means that something still has a file open for writing.
func (t *tmpfs) seal(attributes uint64) error {
	err := func() error {
		if err := t.readOnly(); err != nil {
			return err
		}
		// The time attributes are one value of a field, not bits.
		const all = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV |
			unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR__ATIME
		err := unix.MountSetattr(int(t.mount.Fd()), "", unix.AT_EMPTY_PATH, &unix.MountAttr{
			Attr_set: attributes, Attr_clr: all &^ (attributes &^ unix.MOUNT_ATTR__ATIME),
		})
		return os.NewSyscallError("mount_setattr", err)
	}()
	if err != nil {
		return fail("image_seal", "the image cannot be made read-only", err)
	}
	return nil
}

// busyFor bounds the wait for a process that another goroutine is just starting:
// between its fork and its exec it holds copies of our descriptors.
const busyFor = 20 * time.Second

// readOnly makes the superblock read-only. A context that has failed once stays
// so (fsconfig(2)), hence a new one for each try.
func (t *tmpfs) readOnly() error {
	for deadline := time.Now().Add(busyFor); ; time.Sleep(time.Millisecond) {
		if err := unix.FsconfigSetFlag(t.context, "ro"); err != nil {
			return t.explain("fsconfig ro", err)
		}
		err := unix.FsconfigReconfigure(t.context)
		if err == nil {
			return nil
		}
		if err != unix.EBUSY || time.Now().After(deadline) {
			return t.explain("fsconfig reconfigure", err)
		}
		t.closeContext()
		context, err := unix.Fspick(int(t.mount.Fd()), "", unix.FSPICK_EMPTY_PATH|unix.FSPICK_CLOEXEC)
		if err != nil {
			return os.NewSyscallError("fspick", err)
		}
		t.context = context
	}
}

func (t *tmpfs) closeContext() {
	if t.context >= 0 {
		unix.Close(t.context)
		t.context = -1
	}
}

// explain adds what the kernel says of a mount error beyond its errno.
func (t *tmpfs) explain(call string, err error) error {
	err = os.NewSyscallError(call, err)
	b := make([]byte, 256)
	if n, e := unix.Read(t.context, b); e == nil && n > 2 {
		err = fmt.Errorf("%w (%s)", err, strings.TrimSpace(string(b[2:n])))
	}
	return err
}

// usedBytes is the memory that a tmpfs holds.
func usedBytes(mount *os.File) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(mount.Fd()), &s); err != nil {
		return 0, fail("image_size", "the size of the image cannot be read", os.NewSyscallError("fstatfs", err))
	}
	return int64(s.Blocks-s.Bfree) * s.Bsize, nil
}
