// Package battery puts the escape battery together: a Runner with every profile,
// a naive jail for the controls, and planted targets. The command and the VM's
// tests start from it.
package battery

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"safe-exec/cgroup"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/image"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// Set is a battery ready to run.
type Set struct {
	*escape.Battery
	Probes []escape.Probe

	facts  escape.Facts
	config wiring.Config
	undo   []func()
	settle func(context.Context) error // waits until the target is at rest; nil where it is
}

// New makes a battery against jails of this process; c.Profiles are the ordinary
// ones, version the program's.
func New(ctx context.Context, c wiring.Config, levels []string, version string) (_ *Set, err error) {
	s := &Set{config: c}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if err := s.plant(levels); err != nil {
		return nil, err
	}
	// Before the runner: the spawner must not hand it on either.
	environ := s.Targets.Environ
	if err := os.Setenv(environ.Name, environ.Value); err != nil {
		return nil, err
	}
	s.undo = append(s.undo, func() { _ = os.Unsetenv(environ.Name) })
	s.config.Profiles = profiles.WithPythonFull(c.Profiles)
	runner, err := wiring.Runner(ctx, s.config)
	if err != nil {
		return nil, err
	}
	s.undo = append(s.undo, runner.Close)
	uids, parent := runner.Owned()
	s.Executor, s.Watch = runner, escape.Watch(uids, parent, os.Getpid())
	s.facts = escape.Facts{Version: version, Kernel: runner.Kernel(), Cgroup: runner.CgroupVersion(), Layers: runner.Layers()}
	for _, rt := range runner.Runtimes() {
		s.facts.Filters = append(s.facts.Filters, escape.Filter{
			Profile: rt.Profile.Name, Interpreter: rt.Version, Startup: rt.StartupFilter, Steady: rt.SteadyFilter,
		})
	}
	return s, s.makeNaive(ctx)
}

// plant makes the targets, and a battery around them.
func (s *Set) plant(levels []string) (err error) {
	if s.Probes, err = escape.Probes(); err != nil {
		return err
	}
	targets, err := escape.Plant()
	if err != nil {
		return err
	}
	s.undo = append(s.undo, targets.Remove)
	s.Battery = &escape.Battery{
		Targets: targets, Levels: levels,
		Restricted: func(p escape.Probe, level string) bool {
			return !s.config.Profiles[string(p.Language)].Levels[level].Unrestricted
		},
	}
	return nil
}

// makeNaive makes the jail of the controls, which this process has in any case.
func (s *Set) makeNaive(ctx context.Context) (err error) {
	interpreters := make(map[policy.Language]string)
	for _, language := range policy.Languages() {
		path, _, err := image.Find(ctx, language, s.config.Profiles[string(language)].Interpreter)
		if err != nil {
			return err
		}
		interpreters[language] = path
	}
	s.Naive, err = escape.NewNaive(s.config.UIDs, cgroup.Options{EnableControllers: s.config.EnableControllers}, interpreters)
	if err != nil {
		return err
	}
	s.undo = append(s.undo, func() {
		if err := s.Naive.Close(); err != nil {
			s.config.Log.Error("the jail of the controls is not removed", "error", err)
		}
	})
	return nil
}

// Close ends everything that New made.
func (s *Set) Close() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
	s.undo = nil
}

// Run runs the probes, n at a time.
func (s *Set) Run(ctx context.Context, probes []escape.Probe, n int) (*escape.Report, error) {
	report := &escape.Report{Time: time.Now(), Facts: s.facts}
	if err := s.Prepare(ctx, probes); err != nil {
		return nil, err
	}
	if s.settle != nil {
		if err := s.settle(ctx); err != nil {
			return nil, err
		}
	}
	host, err := s.Before(ctx)
	if err != nil {
		return nil, err
	}
	left, err := s.All(ctx, probes, n, func(rows []escape.Row) { report.Add(rows...) })
	if err != nil {
		return nil, err
	}
	host, err = s.After(ctx, host)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil: // a daemon that has died is a finding, not the end of the report
		left = err.Error()
	}
	host.Left = cmp.Or(host.Left, left)
	report.Compare(host)
	report.Sort()
	report.Millis = policy.Millis(time.Since(report.Time))
	return report, nil
}

// Ablate runs the probes, n at a time, without one of the layers at a time; none
// named means all. faults is the init that can leave out steps; only a build with
// the tag safeexec_faults then lets such a jail run.
func (s *Set) Ablate(ctx context.Context, probes []escape.Probe, n int, faults []byte, layers ...escape.Layer) (*escape.Ablation, error) {
	return s.Battery.Ablate(ctx, probes, n, func(layer escape.Layer) (escape.Without, error) {
		c := s.config
		c.Program, c.Skip, c.Ablate, c.Unfiltered = faults, layer.Skip, true, layer.Unfiltered
		runner, err := wiring.Runner(ctx, c)
		if err != nil {
			return escape.Without{}, fmt.Errorf("a runner without it: %w", err)
		}
		uids, parent := runner.Owned()
		return escape.Without{
			Executor: runner, Watch: escape.Watch(uids, parent, os.Getpid()), Close: runner.Close,
		}, nil
	}, layers...)
}
