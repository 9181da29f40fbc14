package child

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/landlock"
	"safe-exec/nsjail/wire"
)

// jail is what the steps share.
type jail struct {
	setup   wire.Setup
	control int
	ruleset int // Landlock
	null    int
	proc    int // a template's alone
	payload int // pid
	pidfd   int
	program int // what the init becomes
}

// step is one named piece of the set-up; the name is what a fault reports.
type step struct {
	name string
	do   func(*jail) error
}

// steps builds a jail from a fresh clone. The order is the security argument.
var steps = []step{
	// Every descriptor is closed by number as well, but not before the payload's
	// own are in place.
	{"close_on_exec", closeOnExec},
	{"namespace_cgroup", unshareCgroup},
	// From outside the namespace's root cannot be seen. Needs /proc, which is gone
	// after the pivot.
	{"namespace_cgroup_proof", proveCgroupRoot},
	// Needs /proc, too.
	{"memfd_noexec_proof", proveMemfdNoexec},
	{"hostname", setHostname},
	// Needs /proc, too.
	{"no_nested_userns", forbidNestedUserns},
	{"mount_image", mountImage},
	{"mount_tmp", mountTmp},
	{"mount_dev", mountDev},
	{"pivot_root", pivotRoot},
	{"detach_old_root", detachOldRoot},
	{"work_dir", enterWorkDir},
	// The daemon's keys are reachable through an inherited session keyring.
	{"session_keyring", newSessionKeyring},
	{"open_null", openNull},
	// Landlock rules name paths of the new root, so after the pivot. The
	// ruleset is only made here; payload and init each enforce it for itself,
	// where they need no mounts any more.
	{"landlock_ruleset", makeRuleset},
	// Need CAP_SETPCAP, hence before the capabilities go; before the fork, so
	// that the payload is born with them.
	{"securebits", lockSecurebits},
	{"payload", startPayload},
	// While the payload boots its interpreter: the filter is handed on, the rest is
	// given up, and the program that is left waits.
	{"init_filter", passInitFilter},
	{"supervisor", becomeSupervisor},
}

// closeOnExec marks what the init was born with: the payload's copies are made
// without the mark.
func closeOnExec(*jail) error {
	return unix.CloseRange(wire.FDControl, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC)
}

func unshareCgroup(j *jail) error {
	if !j.setup.UnshareCgroup {
		return nil
	}
	// This thread alone: it forks the payload, and is all that is left of the init
	// when that becomes the supervisor.
	return unix.Unshare(unix.CLONE_NEWCGROUP)
}

// proveCgroupRoot wants every hierarchy to show this process at the root of its
// cgroup namespace (cgroup_namespaces(7)): a root further up would have the
// groups of other runs below it.
func proveCgroupRoot(*jail) error {
	fd, err := unix.Open("/proc/self/cgroup", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	text := make([]byte, 8192) // a line for each of a dozen hierarchies
	n, err := readFull(fd, text)
	if err != nil {
		return err
	}
	if n == 0 || n == len(text) {
		return unix.EPROTO
	}
	for line := range strings.Lines(string(text[:n])) {
		if !strings.HasSuffix(line, ":/\n") {
			return unix.EXDEV
		}
	}
	return nil
}

func setHostname(*jail) error {
	if err := unix.Setdomainname([]byte("(none)")); err != nil {
		return err
	}
	return unix.Sethostname([]byte("sandbox"))
}

// forbidNestedUserns sets user.max_user_namespaces of the jail's own user
// namespace: neither empty capability sets nor Landlock stop a nested one, in
// which all capabilities would be full again. The filter is the other layer.
func forbidNestedUserns(*jail) error {
	fd, err := unix.Open("/proc/sys/user/max_user_namespaces", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte("0"))
	return err
}

// mountImage makes the profile's image the root-to-be. The daemon sealed mount
// and superblock read-only; crossing into this user namespace locked the flags.
func mountImage(j *jail) error {
	return unix.Mount(wire.ImageDir+"/"+j.setup.Image, wire.JailDir, "", unix.MS_BIND, "")
}

func mountTmp(j *jail) error {
	flags, options := tmpfs(j.setup.TmpBytes, j.setup.TmpInodes, j.setup.Skip)
	return unix.Mount("tmpfs", wire.JailDir+"/tmp", "tmpfs", flags, options)
}

// tmpfs is how the working directory is mounted.
func tmpfs(size, inodes uint64, skip []string) (flags uintptr, options string) {
	flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME
	if skipped(skip, "mount_tmp_flags") {
		flags = 0
	}
	owner := wire.PayloadID
	if skipped(skip, "setresuid") {
		owner = wire.InitID // who the program then is; it must find what it always finds
	}
	id := strconv.Itoa(owner)
	// The init, which has another uid, lists it.
	return flags, "mode=0755,uid=" + id + ",gid=" + id +
		",size=" + strconv.FormatUint(size, 10) + ",nr_inodes=" + strconv.FormatUint(inodes, 10)
}

// mountDev binds the daemon's device nodes: mknod is refused in a user
// namespace, and so is opening a node on a nodev mount.
func mountDev(*jail) error {
	return unix.Mount(wire.DevDir, wire.JailDir+"/dev", "", unix.MS_BIND, "")
}

// pivotRoot stacks the old root on the new one; "." keeps pointing at the old
// root until that is detached (pivot_root(2)).
func pivotRoot(*jail) error {
	if err := unix.Chdir(wire.JailDir); err != nil {
		return err
	}
	return unix.PivotRoot(".", ".")
}

// detachOldRoot leaves no path that leads out.
func detachOldRoot(*jail) error { return unix.Unmount(".", unix.MNT_DETACH) }

func enterWorkDir(*jail) error { return unix.Chdir("/tmp") }

// newSessionKeyring is for this thread alone, which forks and outlives the others.
func newSessionKeyring(*jail) error {
	_, _, errno := unix.RawSyscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0)
	if errno != 0 && errno != unix.ENOSYS { // a kernel without keys has none to leak
		return errno
	}
	return nil
}

func openNull(j *jail) (err error) {
	j.null, err = unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return err
}

func makeRuleset(j *jail) (err error) {
	j.ruleset, err = paths(j.setup.ReadRoots).Create(int(j.setup.LandlockABI))
	return err
}

// paths is what Landlock leaves of the jail's root.
func paths(readRoots []string) landlock.Config {
	return landlock.Config{
		ReadExec:  readRoots,
		ReadWrite: []string{"/tmp"},
		ReadFiles: []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"},
		WriteFile: []string{"/dev/null"},
	}
}

// securebits: root gets nothing for being root, and neither this nor
// keep-capabilities nor ambient capabilities can be turned on again
// (capabilities(7); NO_SETUID_FIXUP stays off and is locked so, since the
// fixup is what empties the sets on setresuid).
const securebits = 1<<0 | 1<<1 | 1<<3 | 1<<5 | 1<<6 | 1<<7

func lockSecurebits(*jail) error {
	return prctl(unix.PR_SET_SECUREBITS, securebits, 0, 0, 0)
}
