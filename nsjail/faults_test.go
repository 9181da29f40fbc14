package nsjail_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
	"safe-exec/profiles"
)

// TestNoCodeBeforeProof leaves out one layer at a time, or the two that do the
// same, and wants the run
// refused with the name of what is missing, before any user code ran. The user
// namespace cannot be left out: the init would be the host's root.
func TestNoCodeBeforeProof(t *testing.T) {
	program, err := os.ReadFile("initbin/build/safe-exec-init-faults")
	require.NoError(t, err, "make test builds it")
	// One image is enough: the layers do not depend on the language.
	all, err := profiles.Default()
	require.NoError(t, err)
	python := map[string]policy.Profile{"python": all["python"]}
	memfd := "memfd_noexec_proof"
	if _, err := os.Stat("/proc/sys/vm/memfd_noexec"); err != nil {
		memfd = "" // before Linux 6.3 there is nothing to leave out
	}
	for _, row := range []struct{ skip, step string }{
		{"memfd_noexec", memfd},
		{"namespace_mnt", "mount_image"}, // no right to mount in the spawner's
		// The host's own setting would be written, for which the right is missing.
		{"namespace_pid memfd_noexec memfd_noexec_proof", "namespace_pid"},
		{"namespace_cgroup", "namespace_cgroup_proof"},
		{"namespace_net", "namespace_net"},
		{"namespace_ipc", "namespace_ipc"},
		{"namespace_uts", "hostname"}, // the init may not rename the host
		{"enter_cgroup", "cgroup"},
		{"no_nested_userns", "no_nested_userns_proof"},
		{"mount_tmp", "mounts"},
		{"mount_dev", "open_null"},
		{"mount_tmp_flags", "mounts"},
		{"detach_old_root", "mounts"},
		{"pivot_root", "detach_old_root"}, // the spawner's root has no such path
		{"securebits", "securebits_proof"},
		{"bounding_set", "bounding_set"},
		{"init_capabilities", "capabilities_inheritable"}, // the exec leaves no other: securebits
		{"init_filter", "init_fds"},                       // there is none to hand on
		{"init_fds", "init_exec"},                         // its own program is not where it looks for it
		{"rlimits", "rlimits"},
		{"setsid", "setsid"},
		{"setresgid", "setresgid"},
		{"setresuid", "setresuid"},
		{"capabilities", "capabilities_inheritable"}, // setresuid empties all the others
		{"no_new_privs", "landlock"},
		{"landlock", "landlock_proof"},
		{"close_fds close_on_exec", "close_fds"},
		{"close_fds", ""},     // the exec closes them
		{"close_on_exec", ""}, // they are closed by number
		{"startup_filter", "seccomp_filters"},
		{"umask", ""}, // no layer: files of a single-use working directory
	} {
		t.Run("without "+row.skip, func(t *testing.T) {
			parallel(t)
			r, err := newRunner(python, program, strings.Fields(row.skip))
			require.NoError(t, err)
			defer r.Close()
			result, err := r.Execute(t.Context(), policy.Request{Language: "py", Code: "print('ran')"})
			wantRefused(t, row.step, result, err)
		})
	}
}

// wantRefused wants the step named and nothing run; no step is a program that
// printed "ran".
func wantRefused(t *testing.T, step string, result *policy.Result, err error) {
	t.Helper()
	if step == "" {
		require.NoError(t, err)
		assert.Equal(t, "ran\n", result.Stdout)
		return
	}
	require.Error(t, err, "the program ran: %+v", result)
	var e *policy.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, policy.CodeSetup, e.Code)
	assert.Equal(t, step, e.Step, "%v", err)
}

// TestASpawnerThatEndsAtOnceIsReported and not waited for.
func TestASpawnerThatEndsAtOnceIsReported(t *testing.T) {
	parallel(t)
	ends, err := os.ReadFile("/bin/true")
	require.NoError(t, err)
	all, err := profiles.Default()
	require.NoError(t, err)
	begin := time.Now()
	_, err = newRunner(map[string]policy.Profile{"python": all["python"]}, ends, nil)
	assert.ErrorContains(t, err, "exit status 0")
	assert.Less(t, time.Since(begin), 30*time.Second, "the bound on an answer is a minute")
}
