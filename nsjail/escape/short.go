package escape

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"safe-exec/nsjail/lease"
)

// DefaultDir is where daemons plant what their short forms look for. Nobody but root
// can fill it, and whatever has got out of a jail can pass it.
var DefaultDir = filepath.Join(filepath.Dir(lease.Dir), "escape")

// shortForm is the probes of severity C that need no profile of their own.
func shortForm() (probes []Probe, err error) {
	all, err := Probes()
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.Severity == "C" && p.Profile == "" && !p.Innocent && p.Verdict == "" {
			probes = append(probes, p)
		}
	}
	if len(probes) == 0 {
		return nil, errors.New("the short form of the battery is empty")
	}
	return probes, nil
}

// try runs the short form once. fallen is the first probe that was not held, "" if
// every one was; err is why one could not be asked, which says nothing of the layers.
func (g *Guard) try(ctx context.Context) (asked int, fallen string, err error) {
	if err := makeDir(g.Dir); err != nil {
		return 0, "", err
	}
	targets, err := plant(g.Dir)
	if err != nil {
		return 0, "", err
	}
	defer targets.Remove()
	b := &Battery{Executor: g.Executor, Targets: targets, Watch: func() (Host, error) { return Host{}, nil }}
	var unasked error
	for _, p := range g.probes {
		row, err := b.jailed(ctx, p, targets.fill(p.source), g.Level)
		if err != nil && ctx.Err() == nil { // a start that failed under load is no hole
			row, err = b.jailed(ctx, p, targets.fill(p.source), g.Level)
		}
		if ctx.Err() != nil {
			return asked, "", ctx.Err()
		}
		asked++
		if err != nil {
			if unasked == nil {
				unasked = fmt.Errorf("%s: %w", p.Name, err)
			}
			continue
		}
		if !row.Verdict.Good() && fallen == "" {
			fallen = fmt.Sprintf("%s: %s: %s", p.Name, row.Verdict, row.Evidence)
		}
	}
	if what := targets.touched(); fallen == "" && what != "" { // by a probe whose run told nothing
		fallen = what
	}
	if fallen == "" && targets.arrivals.settled() > 0 {
		fallen = "a connection reached a planted listener after its probe had ended"
	}
	return asked, fallen, unasked
}

// makeDir makes the directory that the short form plants below. It is root's, and
// every uid can pass it and none list it: a payload that got out must find what it
// looks for.
func makeDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if !rootsDirectory(dir) {
		return fmt.Errorf("%s must be a directory that only root may write", dir)
	}
	if err := os.Chmod(dir, 0o711); err != nil { // whatever the umask
		return err
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o001 == 0 {
			return fmt.Errorf("%s has mode %04o: everybody must be able to pass it, as what has got out of a jail would", at, info.Mode().Perm())
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}
