package nsjail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"safe-exec/cgroup"
	"safe-exec/nsjail/image"
	"safe-exec/nsjail/landlock"
	"safe-exec/nsjail/lease"
	"safe-exec/nsjail/posture"
	"safe-exec/nsjail/shim"
	"safe-exec/policy"
	"safe-exec/seccomp"
)

// Filters are the two programs of a profile.
type Filters struct{ Startup, Steady seccomp.Program }

// Config is what a Runner is made from.
type Config struct {
	Profiles    map[string]policy.Profile // by name
	Filters     map[string]Filters        // by profile name
	InitFilter  seccomp.Program
	SyscallName func(nr int) string
	Program     []byte // the spawner and init, an executable
	CacheDir    string // root-only; compiled standard library
	LeaseDir    string // host-wide, root-only
	UIDs        lease.Range
	Cgroup      cgroup.Options
	// StartTimeout bounds the way from nothing to a proved jail. Zero is
	// DefaultStartTimeout.
	StartTimeout time.Duration
	// Spares is how many jails wait for a run to come; zero is none, and every
	// run starts its own.
	Spares Spares
	Log    *slog.Logger
	// Native is a program to run in place of an interpreter, by ExecuteNative
	// alone; nil in a daemon.
	Native *Native
	// Skip names layers to leave out, so that a test can see the jail refused.
	// Only a Program built for tests heeds it.
	Skip []string
	// Ablate runs the jail although Skip left something out. Only a build made
	// for tests heeds it.
	Ablate bool
}

// DefaultStartTimeout is a hundred times what a start takes on an idle host.
const DefaultStartTimeout = 10 * time.Second

// Runner runs programs in jails. It is safe for concurrent use.
type Runner struct {
	log          *slog.Logger
	startTimeout time.Duration
	skip         []string
	ablated      bool

	lease       *lease.Lease
	hierarchy   *cgroup.Hierarchy
	spawner     *spawner
	runtimes    map[string]*runtime
	native      *runtime // see Config.Native
	memfdNoexec bool     // the kernel can forbid programs of memory (Linux 6.3)
	initFilter  seccomp.Program
	syscallName func(nr int) string
	supervisor  *os.File // what every init becomes
	landlockABI int
	namespaces  map[string]string // the daemon's own
	layers      []policy.Layer
	leaves      atomic.Uint64
	turns       chan struct{} // of the steps that take threads
	endings     *endings
	spares      *spares
	shares      *shares

	undo undo
}

// New makes everything that runs share: the lease, the cgroup parent, the
// images, the spawner. It needs root and the kernel features that Check names.
func New(ctx context.Context, c Config) (_ *Runner, err error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("jails need root: the daemon sets up namespaces for other uids")
	}
	r := &Runner{
		log: c.Log, skip: c.Skip, ablated: ablated(c), startTimeout: c.StartTimeout,
		initFilter: c.InitFilter, syscallName: c.SyscallName, runtimes: make(map[string]*runtime), turns: make(chan struct{}, atOnce), endings: newEndings(), shares: newShares(c.Log),
	}
	if r.startTimeout == 0 {
		r.startTimeout = DefaultStartTimeout
	}
	defer func() {
		if err != nil {
			r.undo.run()
		}
	}()
	if r.landlockABI, err = landlock.ABI(); err != nil {
		return nil, err
	}
	_, err = os.Stat("/proc/sys/vm/memfd_noexec")
	r.memfdNoexec = err == nil
	if r.namespaces, err = posture.Namespaces(os.Getpid()); err != nil {
		return nil, err
	}
	if err := r.takeLease(c); err != nil {
		return nil, err
	}
	devices, err := image.Devices()
	if err != nil {
		return nil, fmt.Errorf("device nodes: %w", err)
	}
	defer devices.Close()
	mounts := make(map[string]*os.File)
	for name, p := range c.Profiles {
		rt, err := newRuntime(ctx, p, c.CacheDir, c.Filters[name].Startup, c.Filters[name].Steady)
		if err != nil {
			return nil, err
		}
		for _, w := range rt.image.Warnings {
			r.log.Warn("image", "profile", name, "warning", w)
		}
		r.runtimes[name] = rt
		r.undo.add(func() { rt.image.Close() })
		mounts[name] = rt.image.Mount
	}
	if c.Native != nil {
		if r.native, err = newNative(ctx, *c.Native); err != nil {
			return nil, err
		}
		r.undo.add(func() { r.native.image.Close() })
		mounts[r.native.profile.Name] = r.native.image.Mount
	}
	if r.supervisor, err = sealedFile(supervisorName, shim.Supervisor()); err != nil {
		return nil, err
	}
	r.undo.add(func() { r.supervisor.Close() })
	if r.spawner, err = startSpawner(c.Program, devices, mounts, c.Log); err != nil {
		return nil, err
	}
	r.undo.add(r.spawner.close)
	r.layers = r.describeLayers()
	r.spares = newSpares(r, c.Spares, c.Log)
	r.undo.add(r.endings.wait)
	r.undo.add(r.spares.close)
	return r, nil
}

func (r *Runner) takeLease(c Config) (err error) {
	if r.lease, err = lease.Take(c.LeaseDir, c.UIDs, cgroup.Sweep); err != nil {
		return err
	}
	swept := true
	r.undo.add(func() {
		if err := r.lease.Close(swept); err != nil {
			r.log.Error("lease", "error", err)
		}
	})
	// Noted before it is made, so that there is no moment in which a killed
	// daemon leaves a parent that nobody knows of.
	report, err := cgroup.Probe(c.Cgroup)
	if err != nil {
		return err
	}
	if err := r.lease.Record(report.Parents(r.lease.CgroupName())); err != nil {
		return err
	}
	if r.hierarchy, err = cgroup.Open(r.lease.CgroupName(), c.Cgroup); err != nil {
		return err
	}
	r.undo.add(func() {
		if err := r.hierarchy.Close(); err != nil {
			swept = false // the next holder of the lease tries again
			r.log.Error("cgroup parent not removed", "error", err)
		}
	})
	return nil
}

// Close ends what waits and the spawner, and gives back what New took. No run may
// be under way.
func (r *Runner) Close() { r.undo.run() }

// Owned is what jails of this Runner have to themselves on the host: their uids
// and the name of their cgroup parent.
func (r *Runner) Owned() (uids lease.Range, cgroupParent string) {
	return r.lease.Range(), r.lease.CgroupName()
}

// Done is closed when the spawner has died, without which nothing can run: the
// daemon should end and be started again.
func (r *Runner) Done() <-chan struct{} { return r.spawner.done }

func (r *Runner) leafName() string { return "run-" + strconv.FormatUint(r.leaves.Add(1), 10) }

func (r *Runner) unshareCgroup() bool { return r.hierarchy.Version() == cgroup.V2 }
