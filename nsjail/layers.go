package nsjail

import (
	"fmt"
	"strings"

	"safe-exec/nsjail/landlock"
	"safe-exec/policy"
)

// describeLayers says what every result reports. All of these are required: a
// host without one gets no Runner, and a jail without one is refused by its
// posture. Only what a layer cannot do on an older kernel varies.
func (r *Runner) describeLayers() []policy.Layer {
	enforced := func(name, detail string) policy.Layer {
		return policy.Layer{Name: name, State: "enforced", Detail: detail}
	}
	detail := fmt.Sprintf("ABI %d", r.landlockABI)
	if missing := landlock.Missing(r.landlockABI); len(missing) > 0 {
		detail += "; this kernel cannot control " + strings.Join(missing, ", ")
	}
	return []policy.Layer{
		enforced("user_namespace", "init and program have host uids of their own"),
		enforced("mount_namespace", "read-only root of interpreter and library; /tmp is the only writable place"),
		enforced("pid_net_ipc_uts_cgroup_namespaces", "empty"+r.lackOfMemfdNoexec()),
		enforced("capabilities", "none in any set; no_new_privs"),
		enforced("rlimits", ""),
		enforced("landlock", detail),
		enforced("cgroup", r.hierarchy.Version().String()),
		enforced("seccomp", "start-up and steady allowlist"),
	}
}

// lackOfMemfdNoexec says what a kernel before Linux 6.3 cannot do for a pid
// namespace. The seccomp filter is the only layer against such programs there.
func (r *Runner) lackOfMemfdNoexec() string {
	if r.memfdNoexec {
		return ""
	}
	return "; this kernel cannot forbid programs that are files of memory alone"
}
