package compile_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
	"safe-exec/seccomp/bpfsim"
	"safe-exec/seccomp/compile"
)

func TestCompileRefuses(t *testing.T) {
	rule := func(name string, a seccomp.Action, args ...seccomp.Arg) seccomp.Rule {
		return seccomp.Rule{Syscall: name, Action: a, Args: args, Reason: "test"}
	}
	for _, row := range []struct {
		what    string
		policy  seccomp.Policy
		message string
	}{
		{"the empty policy", seccomp.Policy{Name: "p"}, "compile p: default: invalid action 0x0"},
		{"a default that allows", seccomp.Policy{Name: "p", Default: seccomp.Allow}, "compile p: default: a filter that allows"},
		{"a call that is none", seccomp.Policy{Name: "p", Default: seccomp.Notify, Rules: []seccomp.Rule{rule("raed", seccomp.Allow)}},
			"compile p: rule raed: "},
		{"a call of other architectures", seccomp.Policy{Name: "p", Default: seccomp.Notify, Rules: []seccomp.Rule{rule("socketcall", seccomp.Allow)}},
			"compile p: rule socketcall: no such system call on x86_64"},
		{"an invalid action", seccomp.Policy{Name: "p", Default: seccomp.Notify, Rules: []seccomp.Rule{rule("read", 0)}},
			"compile p: read: invalid action 0x0"},
		{"an argument that is none", seccomp.Policy{Name: "p", Default: seccomp.Notify, Rules: []seccomp.Rule{
			rule("read", seccomp.Allow, seccomp.Arg{Index: 6, Mask: 1})}}, "compile p: read: argument 6"},
	} {
		t.Run(row.what, func(t *testing.T) {
			_, err := compile.Compile(row.policy)
			assert.ErrorContains(t, err, row.message)
		})
	}
}

func TestSyscallName(t *testing.T) {
	for nr, want := range map[int]string{
		0: "read", unix.SYS_SOCKET: "socket", 9999: "syscall_9999", 1 << 33: "syscall_8589934592",
		seccomp.OtherCalls: "other", -101: "syscall_-101",
	} {
		assert.Equal(t, want, compile.SyscallName(nr))
	}
}

// TestProgramsMeanWhatTheListsSay compares the compiled programs with the
// policy's own definition: libseccomp's optimiser has had faults.
func TestProgramsMeanWhatTheListsSay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range filters {
		p := policy(t, f.list, f.phase)
		t.Run(p.Name, func(t *testing.T) {
			m := machine(t, p)
			byCall := make(map[string][]seccomp.Rule)
			for _, r := range p.Rules {
				byCall[r.Syscall] = append(byCall[r.Syscall], r)
			}
			for nr := range 1000 {
				rules := byCall[compile.SyscallName(nr)]
				for _, args := range interesting(random, rules) {
					want := p.Default
					for _, r := range rules {
						if matches(r, args) {
							want = r.Action
						}
					}
					got := run(t, m, bpfsim.Call{Nr: uint32(nr), Args: args})
					require.Equal(t, want.String(), got.String(), "%s %#x", compile.SyscallName(nr), args)
				}
			}
		})
	}
}

func matches(r seccomp.Rule, args [6]uint64) bool {
	for _, a := range r.Args {
		if args[a.Index]&a.Mask != a.Value {
			return false
		}
	}
	return true
}

// interesting gives arguments that match each rule, the same with each bit of
// each compared argument turned, and some at random.
func interesting(random *rand.Rand, rules []seccomp.Rule) [][6]uint64 {
	all := [][6]uint64{{}}
	for range 4 {
		var args [6]uint64
		for i := range args {
			args[i] = random.Uint64() >> random.UintN(64)
		}
		all = append(all, args)
	}
	for _, r := range rules {
		var hit [6]uint64
		for i := range hit {
			hit[i] = random.Uint64()
		}
		for _, a := range r.Args {
			hit[a.Index] = hit[a.Index]&^a.Mask | a.Value
		}
		all = append(all, hit)
		for _, a := range r.Args {
			for bit := range 64 {
				near := hit
				near[a.Index] ^= 1 << bit
				all = append(all, near)
			}
		}
	}
	return all
}

// TestTooLarge exports more than a pipe holds, and more than the kernel takes.
func TestTooLarge(t *testing.T) {
	p := seccomp.Policy{Name: "large", Default: seccomp.Errno(unix.EPERM)}
	for i := range uint64(2200) {
		p.Rules = append(p.Rules, seccomp.Rule{Syscall: "read", Action: seccomp.Allow, Reason: "test",
			Args: []seccomp.Arg{{Index: 0, Mask: ^uint64(0), Value: i<<32 | i*7919}}})
	}
	_, err := compile.Compile(p)
	require.ErrorContains(t, err, "compile large: unmarshal filter: ")
	assert.ErrorContains(t, err, "want 1 to 4096 instructions")
}

func BenchmarkCompile(b *testing.B) {
	p := policy(b, "python", seccomp.Steady)
	for b.Loop() {
		if _, err := compile.Compile(p); err != nil {
			b.Fatal(err)
		}
	}
}
