package nsjail

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"

	"safe-exec/nsjail/child"
	"safe-exec/nsjail/image"
	"safe-exec/nsjail/shim"
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/profiles"
	"safe-exec/seccomp"
)

// runtime is one profile made ready: its image built, its filters compiled.
type runtime struct {
	profile         policy.Profile
	image           *image.Image
	harness         string // path in the image
	env             []string
	fdClasses       []string // descriptors besides 0 to 3 that the interpreter may have open
	startup, steady seccomp.Program
	forks           bool // a template of it can fork
	closeFrom       int  // the first descriptor that a fork does not keep
}

// heapReserve is what Node needs beside the JavaScript heap, in MiB: its own
// code and data, and the init's share of the leaf.
const heapReserve = 64

// newRuntime builds the image of a profile. compiled are its two filters.
func newRuntime(ctx context.Context, p policy.Profile, cacheDir string, startup, steady seccomp.Program) (*runtime, error) {
	rt := &runtime{
		profile: p, startup: startup, steady: steady,
		env: []string{"HOME=/tmp", "LANG=C.UTF-8", "PATH=/usr/bin"},
	}
	start, files, err := profiles.Harness(p.Language)
	if err != nil {
		return nil, err
	}
	rt.harness = start
	files[path.Join(profiles.HarnessDir, "steady.bpf")] = steady.Marshal()
	switch p.Language {
	case policy.Python:
		files[path.Join(profiles.HarnessDir, "_safe_exec.abi3.so")] = shim.Python()
		rt.harness += "c" // compiled when the image is made
		rt.forks, rt.closeFrom = true, payloadFDs
		// One thread each: a library that starts one per processor would meet
		// the pids limit first.
		rt.env = append(rt.env, "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MPLCONFIGDIR=/tmp")
	case policy.JavaScript:
		files[path.Join(profiles.HarnessDir, "safe_exec.node")] = shim.Node()
		rt.forks, rt.closeFrom = true, child.ForkFDs // the engine's own stay, made anew
		rt.fdClasses = []string{"anon_inode:[eventpoll]", "anon_inode:[eventfd]", "pipe:[", devNull}
	}
	rt.image, err = image.Build(ctx, image.Config{
		Language: p.Language, Interpreter: p.Interpreter, Files: files, CacheDir: cacheDir, Full: p.FullLibrary,
	})
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	return rt, nil
}

// heapLimit is what the interpreter is told to keep its heap below, in bytes;
// 0 where there is no such flag.
func (rt *runtime) heapLimit(l policy.Limits) int64 {
	if rt.profile.Language != policy.JavaScript {
		return 0
	}
	return max(l.MaxMemoryMB-heapReserve, 16) << 20
}

// argv starts the harness. Isolated mode and no site: the working directory is
// never on the module path, and no file of the user is run before the harness.
// Node's internals hold the parser that the import policy needs, and its vm
// module makes ES modules. An engine that was told so at its start makes no code
// from strings, whatever a program lays its hands on.
func (rt *runtime) argv(s policy.Spec) []string {
	switch rt.profile.Language {
	case native:
		return []string{rt.image.Interpreter}
	case policy.Python:
		return []string{rt.image.Interpreter, "-I", "-S", "-B", "-X", "utf8", rt.harness}
	case policy.JavaScript: // below
	}
	argv := []string{
		rt.image.Interpreter, "--expose-internals", "--experimental-vm-modules",
		"--max-old-space-size=" + strconv.FormatInt(rt.heapLimit(s.Limits)>>20, 10),
	}
	argv = append(argv, rt.image.Flags...)
	if !s.Level.Unrestricted && slices.Contains(s.Level.BlockedNames, "eval") {
		argv = append(argv, "--disallow-code-generation-from-strings")
	}
	return append(argv, rt.harness)
}

// payloadFDs is how many descriptors a payload is born with.
const payloadFDs = 4

func (j *jail) setupMessage() wire.Setup {
	l := j.spec.Limits
	argv := j.runtime.argv(j.spec)
	if j.serves != nil {
		argv = append(argv, "template")
		if j.runtime.profile.Language == policy.JavaScript {
			// Each worker that the engine has, every fork has to make: one is enough
			// for the one processor that a run may use.
			argv = slices.Insert(argv, 1, "--v8-pool-size=1")
		}
	}
	return wire.Setup{
		Image: j.runtime.profile.Name, LandlockABI: uint32(j.runner.landlockABI), ReadRoots: j.runtime.image.Roots,
		TmpBytes: uint64(l.MaxDiskBytes), TmpInodes: uint64(l.MaxFiles),
		UnshareCgroup: j.runner.unshareCgroup(),
		Rlimits:       j.rlimits(), Template: j.serves != nil,
		Argv: argv, Env: j.runtime.env,
		StartupFilter: string(j.runtime.startup.Marshal()), InitFilter: string(j.runner.initFilter.Marshal()),
		Skip: j.runner.skip,
	}
}
