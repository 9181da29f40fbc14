package nsjail

import (
	"context"
	"errors"

	"safe-exec/nsjail/posture"
	"safe-exec/policy"
)

// obtain gives a proved jail with this spec: one that waits, one that a template
// forks, or one that is started now, whichever is there first. A request that
// asks for a way gets that one, made for it.
func (r *Runner) obtain(ctx context.Context, rt *runtime, spec policy.Spec, req policy.Request) (*jail, error) {
	o := order{runtime: rt, spec: spec, mode: req.StartMode}
	switch req.StartMode {
	case "":
		o.asker = askerOf(req)
		return r.quickest(ctx, o)
	case policy.StartWarm:
		o.asker = askerOf(req)
		o.spec = unasked(spec)
		return r.startAndClaim(ctx, o, spec)
	case policy.StartFork:
		if !rt.forks {
			return nil, policy.Invalid("start_mode", ": profile %s cannot be forked; there are cold and warm", rt.profile.Name)
		}
		o.spec = unasked(spec)
		j, err := r.forkFor(ctx, o, spec, askerOf(req))
		if errors.Is(err, errTemplateDied) { // nobody had asked it for a while
			j, err = r.forkFor(ctx, o, spec, askerOf(req))
		}
		return j, err
	}
	o.asker = askerOf(req)
	return r.start(ctx, o)
}

// forkFor has the caller's template fork, which is started if need be.
func (r *Runner) forkFor(ctx context.Context, o order, spec policy.Spec, a asker) (j *jail, err error) {
	if o.template, err = r.spares.template(ctx, kindOf(spec, a.caller), o); err != nil {
		return nil, err
	}
	o.asker = a
	return r.startAndClaim(ctx, o, spec)
}

// quickest counts the run among those of its kind, and takes what there is.
func (r *Runner) quickest(ctx context.Context, o order) (*jail, error) {
	waiting, template, leave := r.spares.take(o.runtime, o.spec, o.asker.caller)
	j, err := r.first(ctx, o, waiting, template)
	if err != nil {
		leave()
		return nil, err
	}
	j.undo.add(leave)
	return j, nil
}

// first falls back, step by step, to a start of the jail's own. Whoever asks
// notices no more of a failure than the time it took.
func (r *Runner) first(ctx context.Context, o order, waiting *jail, template *template) (*jail, error) {
	if waiting != nil {
		err := waiting.claim(o.spec, o.asker)
		if err == nil {
			return waiting, nil
		}
		r.log.Error("a jail that waited does not hold any more", "profile", o.spec.Profile, "error", err)
		r.endings.end(waiting)
	}
	if template != nil {
		forked := order{runtime: o.runtime, spec: unasked(o.spec), mode: policy.StartFork, template: template, asker: o.asker}
		j, err := r.startAndClaim(ctx, forked, o.spec)
		if err == nil || ctx.Err() != nil {
			return j, err
		}
		r.log.Error("a template did not fork", "profile", o.spec.Profile, "error", err)
	}
	o.mode = policy.StartCold
	return r.start(ctx, o)
}

// startAndClaim makes a jail as those that wait are made, and gives it its job.
func (r *Runner) startAndClaim(ctx context.Context, o order, spec policy.Spec) (*jail, error) {
	j, err := r.start(ctx, o)
	if err != nil {
		return nil, err
	}
	j.spec = spec // it was proved a moment ago
	return j, nil
}

// claim gives a jail that waited its job. It lay about, so it is proved once more
// if anything can have changed.
func (j *jail) claim(spec policy.Spec, a asker) error {
	j.share(a) // first: what it weighs counts from here on
	if !j.untouched() {
		if err := j.prove(); err != nil {
			return err
		}
	}
	j.spec = spec
	return nil
}

// untouched says that the jail is as it was proved: nothing in it has run since, by
// the kernel's account of its leaf, and nobody has changed it from outside. The
// account is of just after the proof, since the harness may still be on its way into
// its wait then, as it is at every other start.
func (j *jail) untouched() bool {
	ran, err := j.leaf.CPUTime()
	if err != nil || ran != j.before.CPUUser+j.before.CPUSystem {
		return false
	}
	for i, p := range []*pidfd{j.init, j.payload} {
		pid, err := p.pid()
		if err != nil {
			return false
		}
		seen, err := posture.ReadOutside(pid)
		if err != nil || !seen.Equal(j.outside[i]) || p.ended(0) {
			return false
		}
	}
	return true
}
