package child

import "golang.org/x/sys/unix"

// A pid namespace can forbid files that are nothing but memory to be executed
// (vm.memfd_noexec, Linux 6.3). No Landlock rule reaches these files and they lie
// on no mount of the jail, so that else the filter alone would stop a program in
// one.
const (
	memfdNoexecPath = "/proc/sys/vm/memfd_noexec"
	memfdNoexec     = "2" // only such files can be made as can never be executed
)

// openMemfdNoexec opens the setting for the child to write to; -1 is a kernel
// that has none.
func openMemfdNoexec() (int, error) {
	fd, err := unix.Open(memfdNoexecPath, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return -1, nil
	}
	return fd, err
}

// proveMemfdNoexec reads the setting from inside the pid namespace.
func proveMemfdNoexec(*jail) error {
	fd, err := unix.Open(memfdNoexecPath, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	text := make([]byte, 16)
	n, err := readFull(fd, text)
	if err != nil {
		return err
	}
	if string(text[:n]) != memfdNoexec+"\n" {
		return unix.EPERM
	}
	return nil
}
