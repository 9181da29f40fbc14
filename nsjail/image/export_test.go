package image

import (
	"os"

	"golang.org/x/sys/unix"
)

// Clone gives another detached mount of the same image, for a second process
// to attach: a mount that was attached once goes away with the namespace it is
// in. Cloning a mount that is attached nowhere takes Linux 6.15; older kernels
// answer EINVAL.
func (i *Image) Clone() (*os.File, error) {
	fd, err := unix.OpenTree(int(i.Mount.Fd()), "", unix.AT_EMPTY_PATH|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return nil, fail("image_clone", "the image cannot be cloned", os.NewSyscallError("open_tree", err))
	}
	return os.NewFile(uintptr(fd), "image"), nil
}
