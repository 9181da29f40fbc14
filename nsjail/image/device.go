package image

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Devices makes a detached tmpfs with the device nodes of a jail: null, zero,
// random and urandom, mode 0666. It is sealed read-only, nosuid and noexec but
// not nodev, which would keep the nodes from being opened; a node can be
// written to on a read-only mount. It stands apart from the images because
// mknod(2) is refused in a user namespace.
func Devices() (*os.File, error) {
	nodes := []struct {
		name  string
		minor uint32
	}{{"null", 3}, {"zero", 5}, {"random", 8}, {"urandom", 9}}
	const memory = 1 // major number, linux/major.h MEM_MAJOR

	t, err := newTmpfs(int64(len(nodes)+1)*pageSize, int64(len(nodes)+2))
	if err != nil {
		return nil, err
	}
	defer t.closeContext()
	for _, n := range nodes {
		dir := int(t.mount.Fd())
		err := unix.Mknodat(dir, n.name, unix.S_IFCHR|0o666, int(unix.Mkdev(memory, n.minor)))
		if err == nil {
			err = unix.Fchmodat(dir, n.name, 0o666, 0) // whatever the umask
		}
		if err != nil {
			t.mount.Close()
			return nil, fail("image_devices", "device node "+n.name+" cannot be made", fmt.Errorf("mknodat %s: %w", n.name, err))
		}
	}
	if err := t.seal(unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR_NOATIME); err != nil {
		t.mount.Close()
		return nil, err
	}
	return t.mount, nil
}
