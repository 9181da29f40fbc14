package child

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// Descriptors that no program may confuse with the low ones.
const (
	testNull    = 20
	testRuleset = 21
	testMapped  = 22
	testNoexec  = 23
	testProc    = 24
	testErrPipe = 30
	testPidfd   = 31
	testProgram = wire.FDSupervisor
)

func testPayload(skip ...string) program {
	return payloadProgram(&jail{
		null: testNull, ruleset: testRuleset,
		setup: wire.Setup{
			Argv: []string{"/usr/bin/true"}, Skip: skip, StartupFilter: string(make([]byte, 16)),
			Rlimits: []wire.Rlimit{{Resource: unix.RLIMIT_CORE}, {Resource: unix.RLIMIT_NOFILE, Value: 64}},
		},
	}, testErrPipe)
}

func testTemplate(skip ...string) program {
	return payloadProgram(&jail{
		null: testNull, ruleset: testRuleset, proc: testProc,
		setup: wire.Setup{
			Argv: []string{"/usr/bin/true"}, Skip: skip, Template: true,
			Rlimits: []wire.Rlimit{{Resource: unix.RLIMIT_CORE}, {Resource: unix.RLIMIT_NOFILE, Value: 256}},
		},
	}, testErrPipe)
}

// The order in which the descriptors of a request lie is the daemon's choice.
var testRequest = []int{60, 64, 63, 62, 61, 65}

func testInit(skip ...string) program {
	return initProgram(wire.Request{Skip: skip}, testRequest, testNull, testNoexec, testMapped, testErrPipe)
}

func testFork(skip ...string) lists {
	return ForkOrder{
		CgroupV2: true, InitID: 4, PayloadID: 5, MemfdErrno: unix.EACCES, CloseFrom: 4, Skip: skip,
		LandlockABI: 7, ReadRoots: []string{"/usr"}, StartupFilter: string(make([]byte, 16)), InitFilter: string(make([]byte, 8)),
		Rlimits: []wire.Rlimit{{Resource: unix.RLIMIT_CORE}, {Resource: unix.RLIMIT_NOFILE, Value: 64}},
	}.lists()
}

func testSupervisor(skip ...string) program {
	return supervisorOf(&jail{control: wire.FDControl, ruleset: testRuleset, pidfd: testPidfd, program: testProgram, setup: wire.Setup{Skip: skip}})
}

// coldInit is the list of an init, with what becomes of its last step.
func coldInit(list []step, skip ...string) []string {
	return append(stepNames(list[:len(list)-1]), names(testSupervisor(skip...))...)
}

// forkedInit is the list of a forked init with the fork where it is.
func forkedInit(l lists) []string {
	return slices.Concat(names(program{ops: l.before}), []string{"payload"}, names(program{ops: l.after}))
}

func names(p program) []string {
	var list []string
	for _, o := range p.ops {
		list = append(list, o.step)
	}
	return list
}

func stepNames(steps []step) []string {
	var list []string
	for _, s := range steps {
		list = append(list, s.name)
	}
	return list
}

func TestOrderIsTheSecurityArgument(t *testing.T) {
	programs := map[string][]string{
		"payload": names(testPayload()), "init": names(testInit()), "steps": coldInit(steps),
		"template": names(testTemplate()), "template's steps": coldInit(templateSteps), "forked init": forkedInit(testFork()),
	}
	for _, row := range []struct{ program, first, then, why string }{
		{"payload", "setgroups", "setresgid", "setgroups needs the capability of the namespace's root"},
		{"payload", "setresgid", "setresuid", "so does setresgid, which setresuid gives up"},
		{"payload", "securebits_proof", "setresuid", "with keep-capabilities on, setresuid would leave some"},
		{"payload", "setresuid", "capabilities", "setresuid needs a capability"},
		{"payload", "capabilities", "startup_filter", "the filter refuses capset"},
		{"payload", "no_new_privs", "landlock", "without capabilities Landlock wants no_new_privs"},
		{"payload", "no_new_privs", "startup_filter", "so does a filter"},
		{"payload", "landlock", "landlock_proof", "a proof comes after what it proves"},
		{"payload", "landlock", "close_fds", "the ruleset is an inherited descriptor"},
		{"payload", "fd_job", "close_fds", "so is the job socket"},
		{"payload", "no_nested_userns_proof", "startup_filter", "the filter would refuse the call that proves"},
		{"payload", "landlock_proof", "startup_filter", "likewise"},
		{"payload", "close_fds", "startup_filter", "the filter refuses close_range"},
		{"payload", "startup_filter", "exec", "nothing but the exec happens without the full jail"},

		{"init", "memfd_noexec", "spawn_setresuid", "the setting is the host root's to write"},
		{"init", "memfd_noexec", "close_fds", "it is written through an inherited descriptor"},
		{"init", "spawn_close_pipes", "spawn_wait_for_ids", "a copy of the pipe's write end would outlive the spawner"},
		{"init", "spawn_wait_for_ids", "spawn_setgroups", "before, the identity is nobody's"},
		{"init", "spawn_setgroups", "spawn_setresgid", "as in the payload"},
		{"init", "spawn_setresgid", "spawn_setresuid", "as in the payload"},
		{"init", "spawn_setresuid", "spawn_inheritable", "setresuid to the namespace's root gives the capabilities"},
		{"init", "spawn_inheritable", "bounding_set", "what is not in the bounding set cannot become inheritable"},
		{"init", "bounding_set", "spawn_exec", "after the exec there are threads"},
		{"init", "spawn_fds", "close_fds", "what is kept is moved first"},
		{"init", "close_fds", "spawn_exec", "the init is born with its own descriptors only"},

		{"steps", "namespace_cgroup", "namespace_cgroup_proof", "a proof comes after what it proves"},
		{"steps", "namespace_cgroup_proof", "pivot_root", "it reads /proc"},
		{"steps", "memfd_noexec_proof", "pivot_root", "so does it"},
		{"steps", "no_nested_userns", "pivot_root", "it writes to /proc"},
		{"steps", "mount_image", "mount_tmp", "/tmp is a directory of the image"},
		{"steps", "mount_dev", "pivot_root", "the device nodes are outside"},
		{"steps", "pivot_root", "detach_old_root", "pivot_root puts it where it can be detached"},
		{"steps", "detach_old_root", "work_dir", "until then the working directory is the old root"},
		{"steps", "work_dir", "payload", "the payload inherits it"},
		{"steps", "close_on_exec", "payload", "the payload inherits the mark"},
		{"steps", "pivot_root", "open_null", "the jail's own node, not the daemon's"},
		{"steps", "pivot_root", "landlock_ruleset", "rules name paths of the new root"},
		{"steps", "session_keyring", "payload", "the payload inherits it"},
		{"steps", "securebits", "payload", "the payload inherits them"},
		{"steps", "payload", "init_landlock", "the fork needs what these give up"},
		{"steps", "payload", "init_capabilities", "likewise"},
		{"steps", "payload", "init_fds", "the payload gets what the init gives up"},
		{"steps", "init_landlock", "init_fds", "the ruleset is a descriptor"},
		{"steps", "init_landlock", "init_capabilities", "without capabilities it wants no_new_privs"},
		{"steps", "init_filter", "init_fds", "it goes through a descriptor"},
		{"steps", "init_capabilities", "init_exec", "the program only waits and reads"},
		{"steps", "no_new_privs", "init_exec", "without capabilities its filter wants it"},

		{"template", "capabilities", "exec", "the exec keeps what is inheritable then"},
		{"template", "no_new_privs", "exec", "the forks inherit it"},
		{"template's steps", "namespace_cgroup_proof", "pivot_root", "it reads /proc"},
		{"template's steps", "memfd_noexec_proof", "pivot_root", "so does it"},
		{"template's steps", "proc", "detach_old_root", "a new /proc is allowed while one can be seen"},
		{"template's steps", "proc", "payload", "the template inherits it"},
		{"template's steps", "payload", "securebits", "with them its exec would leave no capability"},
		{"template's steps", "securebits", "init_capabilities", "they need one"},
		{"template's steps", "securebits", "init_exec", "the exec would give the namespace's root what is inheritable"},
		{"template's steps", "payload", "init_landlock", "the template must be able to mount"},
		{"template's steps", "init_capabilities", "init_exec", "the program only waits"},

		{"forked init", "spawn_wait_for_ids", "spawn_setgroups", "before, the identity is nobody's"},
		{"forked init", "namespace_cgroup", "namespace_cgroup_proof", "a proof comes after what it proves"},
		{"forked init", "bounding_set", "init_capabilities", "it needs one"},
		{"forked init", "spawn_setresgid", "spawn_setresuid", "as in the payload"},
		{"forked init", "spawn_setresuid", "mount_tmp", "the files of nobody could not be made"},
		{"forked init", "mount_tmp", "work_dir", "the working directory is the mount"},
		{"forked init", "mount_tmp", "landlock_ruleset", "rules name the file that is there, not the path"},
		{"forked init", "work_dir", "payload", "the payload inherits it"},
		{"forked init", "session_keyring", "payload", "the payload inherits it"},
		{"forked init", "securebits", "payload", "the payload inherits them"},
		{"forked init", "no_nested_userns", "payload", "the payload proves it"},
		{"forked init", "payload", "init_fds", "the payload gets what the init gives up"},
		{"forked init", "init_landlock", "init_fds", "the ruleset is a descriptor"},
		{"forked init", "init_filter", "init_fds", "it goes through a descriptor"},
		{"forked init", "init_capabilities", "init_exec", "the program only waits"},
		{"forked init", "no_new_privs", "init_exec", "without capabilities its filter wants it"},
	} {
		t.Run(row.program+": "+row.first+" before "+row.then, func(t *testing.T) {
			list := programs[row.program]
			require.Contains(t, list, row.first)
			require.Contains(t, list, row.then)
			last := len(list) - 1 - slices.Index(reversed(list), row.first)
			assert.Less(t, last, slices.Index(list, row.then), "%s: %v", row.why, list)
		})
	}
	for program, end := range map[string]string{
		"payload": "exec", "init": "spawn_exec", "steps": "init_exec",
		"template": "exec", "template's steps": "init_exec", "forked init": "init_exec",
	} {
		t.Run(program+": "+end+" is the last", func(t *testing.T) {
			assert.Equal(t, end, programs[program][len(programs[program])-1])
		})
	}
}

// TestInitsEndAlike: there is one list, however they began.
func TestInitsEndAlike(t *testing.T) {
	cold, forked := names(testSupervisor()), names(program{ops: testFork().after})
	end := func(list []string) []string { return list[slices.Index(list, "init_landlock"):] }
	assert.Equal(t, end(cold), end(forked))
}

// TestAForkedPayloadDoesWhatAColdOneDoes: there is one list, less the exec.
func TestAForkedPayloadDoesWhatAColdOneDoes(t *testing.T) {
	cold, forked := slices.Compact(names(testPayload())), slices.Compact(names(program{ops: testFork().payload}))
	assert.Equal(t, cold, append(forked, "exec"))
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func TestCloneFlags(t *testing.T) {
	const all = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	assert.Equal(t, uint64(all), cloneFlags(wire.Request{}), "v1: the thread is in the leaf, so seven at once")
	assert.Equal(t, uint64(all&^unix.CLONE_NEWCGROUP), cloneFlags(wire.Request{CgroupV2: true}),
		"v2: made by the clone it would be rooted at the spawner's group")
}
