package child

import (
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// A template is an interpreter that forks jails. It never runs what a user
// wrote, and needs what a payload must not have: the two capabilities with
// which it maps the ids of its forks, mounts that they may lay theirs over, and
// no Landlock and no filter, which would refuse the forks both.

// Descriptors of a template behind those of every payload.
const (
	templateOrders     = payloadJob + 1
	templateProc       = payloadJob + 2
	templateSupervisor = payloadJob + 3
)

// templatePID is what a template is in its pid namespace: a fork is 2 in its own,
// and libraries find out that they were forked when the number is another.
const templatePID = 100

// template is the counterpart of payload. It stays the root of the init's user
// namespace, whose exec keeps just what is inheritable: the bounding set is empty.
func (p *program) template(w payload, proc arg) {
	p.add("setsid", unix.SYS_SETSID)
	p.add("umask", unix.SYS_UMASK, 0o077)
	p.payloadFDs(w)
	p.add("fd_orders", unix.SYS_DUP3, wire.FDOrders, templateOrders, 0)
	p.add("fd_proc", unix.SYS_DUP3, proc, templateProc, 0)
	p.add("fd_init", unix.SYS_DUP3, wire.FDSupervisor, templateSupervisor, 0)
	for _, r := range w.rlimits {
		p.rlimit(r)
	}
	head, sets := p.capabilities(1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID)
	p.add("capabilities", unix.SYS_CAPSET, head, sets)
	p.add("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	w.closeFrom = templateSupervisor + 1
	p.payloadClose(w)
}

// templateSteps are the steps of a template's init. What would bind the forks
// together with the template is missing, and each fork does it for itself.
var templateSteps = []step{
	{"close_on_exec", closeOnExec},
	// On v2 the namespace stays the spawner's: no clone into a leaf may lead out of
	// a namespace's root (cgroups(7), nsdelegate).
	{"namespace_cgroup_proof", func(j *jail) error {
		if j.setup.UnshareCgroup {
			return nil
		}
		return proveCgroupRoot(j)
	}},
	{"memfd_noexec_proof", proveMemfdNoexec},
	{"hostname", setHostname},
	{"mount_image", mountImage},
	{"mount_dev", mountDev},
	{"pivot_root", pivotRoot},
	{"proc", openProc},
	{"detach_old_root", detachOldRoot},
	{"work_dir", func(*jail) error { return unix.Chdir("/") }},
	{"session_keyring", newSessionKeyring},
	{"open_null", openNull},
	{"landlock_ruleset", makeRuleset},
	{"payload", startPayload},
	// Behind the fork: with them, the exec would have left the template without
	// capabilities.
	{"securebits", lockSecurebits},
	{"init_filter", passInitFilter},
	{"supervisor", becomeSupervisor},
}

// openProc makes the /proc of this pid namespace without mounting it: a template
// writes its forks' id maps through it, and forks their limit of user namespaces.
// Only while another /proc can be seen does the kernel allow it.
func openProc(j *jail) error {
	fs, err := unix.Fsopen("proc", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		return err
	}
	j.proc, err = unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	return err
}
