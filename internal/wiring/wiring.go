// Package wiring puts a nsjail.Runner together from the embedded profiles, the
// compiled filters and the embedded init: what the daemon, the command line and
// the tests all start from. Here the one cgo package meets the rest.
package wiring

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/nsjail"
	"safe-exec/nsjail/initbin"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
	"safe-exec/profiles"
	"safe-exec/seccomp"
	"safe-exec/seccomp/compile"
)

// CacheName is the cache's in the state directory.
const CacheName = "cache"

// Config is what an operator or a test chooses.
type Config struct {
	Profiles          map[string]policy.Profile
	StateDir          string // root-only cache; made if missing
	UIDs              lease.Range
	EnableControllers bool
	Spares            nsjail.Spares
	Log               *slog.Logger
	// Native is an ELF program that ExecuteNative runs under the lock-down of
	// NativeProfile; nil for none.
	Native        []byte
	NativeProfile policy.Profile

	Program      []byte        // tests: another init than the embedded one
	Skip         []string      // tests: see nsjail.Config
	Ablate       bool          // tests: see nsjail.Config
	Unfiltered   bool          // tests, with Ablate: payload filters that allow everything
	StartTimeout time.Duration // tests on slow machines: see nsjail.Config
}

// Runner makes a Runner. The caller closes it.
func Runner(ctx context.Context, c Config) (*nsjail.Runner, error) {
	if err := os.MkdirAll(c.StateDir, 0o700); err != nil {
		return nil, err
	}
	filters := make(map[string]nsjail.Filters)
	for name, p := range c.Profiles {
		startup, err := compileList(string(p.Language), seccomp.Startup)
		if err != nil {
			return nil, err
		}
		steady, err := compileList(string(p.Language), seccomp.Steady)
		if err != nil {
			return nil, err
		}
		if c.Ablate && c.Unfiltered {
			startup, steady = allowAll, allowAll
		}
		filters[name] = nsjail.Filters{Startup: startup, Steady: steady}
	}
	initFilter, err := compileList("init", seccomp.Steady)
	if err != nil {
		return nil, err
	}
	if c.Program == nil {
		c.Program = initbin.Program()
	}
	native, err := c.native()
	if err != nil {
		return nil, err
	}
	return nsjail.New(ctx, nsjail.Config{
		Profiles: c.Profiles, Filters: filters, InitFilter: initFilter, SyscallName: compile.SyscallName,
		Program: c.Program, CacheDir: filepath.Join(c.StateDir, CacheName), LeaseDir: lease.Dir,
		UIDs: c.UIDs, Cgroup: cgroup.Options{EnableControllers: c.EnableControllers}, Log: c.Log,
		Spares: c.Spares, Native: native, Skip: c.Skip, Ablate: c.Ablate, StartTimeout: c.StartTimeout,
	})
}

// allowAll is no filter, in the shape of one.
var allowAll = seccomp.Program{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}

// BrokerFilter compiles the list that the broker runs under.
func BrokerFilter() (seccomp.Program, error) { return compileList("broker", seccomp.Steady) }

// compileList compiles one phase of an embedded list.
func compileList(name string, phase seccomp.Phase) (seccomp.Program, error) {
	p, err := parseList(name, phase)
	if err != nil {
		return nil, err
	}
	program, err := compile.Compile(p)
	if err != nil {
		return nil, fmt.Errorf("%s.syscalls, phase %s: %w", name, phase, err)
	}
	return program, nil
}

func parseList(name string, phase seccomp.Phase) (seccomp.Policy, error) {
	list, err := profiles.Syscalls(name)
	if err != nil {
		return seccomp.Policy{}, err
	}
	return seccomp.ParsePolicy(name+".syscalls", bytes.NewReader(list), phase)
}
