//go:build safeexec_faults

package nsjail_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/initbin"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// TestNoCodeBeforeProofOfAFork is TestNoCodeBeforeProof for jails that a template
// forks. The template is made by the shipped init, which leaves nothing out; what
// its forks do comes from this process.
func TestNoCodeBeforeProofOfAFork(t *testing.T) {
	all, err := profiles.Default()
	require.NoError(t, err)
	python := map[string]policy.Profile{"python": all["python"]}
	for _, row := range []struct{ skip, step string }{
		{"namespace_mnt", "mount_tmp"}, // no right to mount in the template's
		{"namespace_pid", "namespace_pid"},
		{"namespace_cgroup", "namespace_cgroup_proof"},
		{"namespace_net", "namespace_net"},
		{"namespace_ipc", "namespace_ipc"},
		{"namespace_uts", "namespace_uts"},
		{"no_nested_userns", "no_nested_userns_proof"},
		{"mount_tmp", "mounts"},
		{"mount_tmp_flags", "mounts"},
		{"work_dir", "directory"},
		{"securebits", "securebits_proof"},
		{"bounding_set", "bounding_set"},
		{"init_capabilities", ""},      // the exec leaves none of them: securebits
		{"init_filter", "init_filter"}, // the program that it becomes misses it
		{"init_fds", "init"},           // its own socket is not where it looks for it
		{"rlimits", "rlimits"},
		{"setsid", "setsid"},
		{"setresgid", "setresgid"},
		{"setresuid", "setresuid"},
		{"capabilities", ""}, // setresuid empties all but one set, which is empty in a new user namespace
		{"no_new_privs", ""}, // the template has it already
		{"landlock", "landlock_proof"},
		{"close_fds", "close_fds"},
		{"fd_stdin", ""}, // the template's own is the same
		{"fd_stdout", "fd_1"},
		{"startup_filter", "seccomp_filters"},
		{"umask", ""}, // no layer: files of a single-use working directory
	} {
		t.Run("without "+row.skip, func(t *testing.T) {
			parallel(t)
			r, err := newRunner(python, initbin.Program(), strings.Fields(row.skip))
			require.NoError(t, err)
			defer r.Close()
			result, err := r.Execute(t.Context(), policy.Request{
				Language: "py", Code: "print('ran')", StartMode: policy.StartFork, Privileged: true,
			})
			wantRefused(t, row.step, result, err)
		})
	}
}
