// Package compile turns a reviewed policy into the kernel's program, by
// libseccomp. It is the only package that uses cgo; the daemon links it, the
// processes inside a jail never do.
//
// Whatever the policy says, a call of another architecture, or of the x32 ABI,
// kills the process: its numbers mean other calls than those the policy names.
//
// What does not belong here: what a policy allows (profiles), and loading the
// program (seccomp).
package compile

import (
	"fmt"
	"io"
	"math"
	"os"

	lib "github.com/seccomp/libseccomp-golang"

	"safe-exec/seccomp"
)

// Compile makes the program for x86_64. Errors name the policy and the rule; a
// call that libseccomp does not know is one.
func Compile(p seccomp.Policy) (seccomp.Program, error) {
	prog, err := compile(p)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", p.Name, err)
	}
	return prog, nil
}

func compile(p seccomp.Policy) (seccomp.Program, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	fallback, err := action(p.Default)
	if err != nil {
		return nil, err
	}
	filter, err := lib.NewFilter(fallback)
	if err != nil {
		return nil, fmt.Errorf("new filter: %w", err)
	}
	defer filter.Release()
	if err := restrictArch(filter); err != nil {
		return nil, err
	}
	// Level 2 is a binary tree in place of a chain, so that a call costs ten
	// comparisons and not a hundred. libseccomp before 2.5 has no such level,
	// and its chain means the same.
	if major, minor, _ := lib.GetLibraryVersion(); major > 2 || minor >= 5 {
		if err := filter.SetOptimize(2); err != nil {
			return nil, fmt.Errorf("optimise: %w", err)
		}
	}
	for _, r := range p.Rules {
		if err := addRule(filter, r); err != nil {
			return nil, fmt.Errorf("rule %v: %w", r, err)
		}
	}
	return export(filter)
}

func restrictArch(filter *lib.ScmpFilter) error {
	native, err := lib.GetNativeArch()
	if err != nil {
		return fmt.Errorf("native architecture: %w", err)
	}
	if native != lib.ArchAMD64 {
		return fmt.Errorf("architecture %v: the policies are written for x86_64", native)
	}
	// libseccomp's own default kills the thread only, which leaves a process
	// behind that nobody reports on.
	if err := filter.SetBadArchAction(lib.ActKillProcess); err != nil {
		return fmt.Errorf("bad-architecture action: %w", err)
	}
	return nil
}

func addRule(filter *lib.ScmpFilter, r seccomp.Rule) error {
	nr, err := lib.GetSyscallFromNameByArch(r.Syscall, lib.ArchAMD64)
	if err != nil {
		return err
	}
	// libseccomp has negative numbers for calls of other architectures, and
	// would drop such a rule without a word.
	if nr < 0 {
		return fmt.Errorf("no such system call on x86_64")
	}
	act, err := action(r.Action)
	if err != nil {
		return err
	}
	var conditions []lib.ScmpCondition
	for _, a := range r.Args {
		c, err := lib.MakeCondition(a.Index, lib.CompareMaskedEqual, a.Mask, a.Value)
		if err != nil {
			return err
		}
		conditions = append(conditions, c)
	}
	if len(conditions) == 0 {
		return filter.AddRuleExact(nr, act)
	}
	return filter.AddRuleConditionalExact(nr, act, conditions)
}

func action(a seccomp.Action) (lib.ScmpAction, error) {
	switch a {
	case seccomp.Allow:
		return lib.ActAllow, nil
	case seccomp.Notify:
		return lib.ActNotify, nil
	case seccomp.KillProcess:
		return lib.ActKillProcess, nil
	}
	if errno, ok := a.Errno(); ok {
		return lib.ActErrno.SetReturnCode(int16(errno)), nil
	}
	return 0, fmt.Errorf("%v", a)
}

// export reads the program back through a pipe; export to memory came with
// libseccomp 2.6.
func export(filter *lib.ScmpFilter) (seccomp.Program, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	defer r.Close()
	written := make(chan error, 1)
	go func() { // a pipe holds 64 KiB, then the writer waits for its reader
		defer w.Close()
		written <- filter.ExportBPF(w)
	}()
	b, err := io.ReadAll(r)
	if err := <-written; err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("export: read back: %w", err)
	}
	return seccomp.UnmarshalProgram(b)
}

// SyscallName names a system call of x86_64 as a denial reports it. A number
// that libseccomp does not know is syscall_N, and seccomp.OtherCalls is "other".
func SyscallName(nr int) string {
	if nr == seccomp.OtherCalls {
		return "other"
	}
	// libseccomp has names for negative numbers too, which stand for calls of
	// other architectures; a program that uses one as a number makes no such call.
	if nr >= 0 && nr <= math.MaxInt32 {
		if name, err := lib.ScmpSyscall(nr).GetNameByArch(lib.ArchAMD64); err == nil {
			return name
		}
	}
	return fmt.Sprintf("syscall_%d", nr)
}
