package nsjail

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"safe-exec/nsjail/image"
	"safe-exec/nsjail/launcher"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// native is the language of a program that is no text. No request can name it:
// policy.ParseLanguage does not know it.
const native policy.Language = "native"

// Native is a program that runs in place of an interpreter, for looking at a
// profile's lock-down from inside: leaf, identities, root, limits, Landlock,
// posture and verdict are those of every run. What differs is the image, which
// holds the launcher and the program, and the system calls that a program needs
// to be executed and to start (profiles/native.syscalls).
//
// Exit statuses 90 to 92 of the program are taken for claims of a harness.
type Native struct {
	Profile policy.Profile // whose limits hold
	Filters Filters        // the profile's, with native.syscalls
	Program []byte         // ELF; statically linked, or else its libraries are taken from the host
}

func newNative(ctx context.Context, n Native) (*runtime, error) {
	p := n.Profile
	p.Name, p.Language = p.Name+"-native", native
	p.Level, p.Ceiling, p.Levels = "none", "none", map[string]policy.Level{"none": {Unrestricted: true}}
	rt := &runtime{
		profile: p, startup: n.Filters.Startup, steady: n.Filters.Steady,
		env: []string{"HOME=/tmp", "LANG=C.UTF-8", "PATH=/usr/bin"},
	}
	var err error
	rt.image, err = image.BuildPrograms(ctx, image.Programs{
		Executables: map[string][]byte{launcher.Path: launcher.Launcher(), launcher.Program: n.Program},
		Files:       map[string][]byte{path.Join(profiles.HarnessDir, "steady.bpf"): n.Filters.Steady.Marshal()},
	})
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	rt.image.Interpreter = launcher.Path
	return rt, nil
}

// ExecuteNative runs Config.Native with the arguments, the first of which is the
// program's name for itself. They must be valid UTF-8. The answer and the errors
// are those of Execute.
func (r *Runner) ExecuteNative(ctx context.Context, args []string, limits policy.LimitsRequest) (*policy.Result, error) {
	if r.native == nil {
		return nil, errors.New("this Runner was made without a native program")
	}
	for _, arg := range args {
		if strings.ContainsRune(arg, 0) {
			return nil, errors.New("an argument with a NUL")
		}
	}
	req := policy.Request{Code: strings.Join(args, "\x00"), Limits: limits, StartMode: policy.StartCold}
	spec, err := policy.Resolve(req, r.native.profile)
	if err != nil {
		return nil, err
	}
	result, _, err := r.execute(ctx, r.native, spec, req)
	return result, err
}
