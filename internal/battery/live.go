package battery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"safe-exec/httpapi"
	"safe-exec/httpapi/client"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/lease"
	"safe-exec/nsjail/posture"
	"safe-exec/policy"
)

// Bounds of what a live daemon may take. It may have other callers, whose runs
// last half a minute at most.
const (
	liveSettle = 40 * time.Second
	liveBound  = 3 * time.Minute
	busyFor    = time.Minute
)

// Live makes a battery against the daemon that listens at a socket, whose
// namespaces this process must be in (see Apart). c is as for New, and for the
// controls alone: these run in a naive jail of this process.
func Live(ctx context.Context, socket string, c wiring.Config, levels []string) (_ *Set, err error) {
	s := &Set{config: c}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	daemon := client.New(socket)
	s.undo = append(s.undo, daemon.Close)
	peer, err := Find(ctx, daemon)
	if err != nil {
		return nil, err
	}
	if apart, err := Apart(peer); err != nil {
		return nil, err
	} else if len(apart) > 0 {
		return nil, fmt.Errorf("the daemon is in other namespaces (%v), where what is planted here cannot be seen", apart)
	}
	posture, err := daemon.Posture(ctx)
	if err != nil {
		return nil, err
	}
	release, runtimes, err := daemon.Runtimes(ctx)
	if err != nil {
		return nil, err
	}
	if posture.CgroupParent == "" || posture.UIDs.Count == 0 {
		return nil, errors.New("the daemon does not say which cgroups and uids its runs have: it is older than this program")
	}
	if err := s.plant(levels); err != nil {
		return nil, err
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", peer.PID))
	if err != nil {
		return nil, fmt.Errorf("the daemon's environment: %w", err)
	}
	s.Targets.Environ = escape.Telling(string(environ))
	s.facts = escape.Facts{
		Daemon: &escape.Daemon{Socket: socket, PID: int(peer.PID)}, Version: release,
		Kernel: posture.Kernel, Cgroup: posture.Cgroup, Layers: posture.Layers,
	}
	for _, rt := range runtimes {
		s.facts.Filters = append(s.facts.Filters, escape.Filter{
			Profile: rt.Profile, Interpreter: rt.Version, Startup: rt.StartupFilter, Steady: rt.SteadyFilter,
		})
	}
	s.Executor, s.Settle, s.Bound = &patient{daemon, busyFor}, liveSettle, liveBound
	s.settle = func(ctx context.Context) error { return settled(ctx, daemon) }
	s.Watch = escape.Watch(lease.Range(posture.UIDs), posture.CgroupParent, int(peer.PID))
	s.Lacking = func(p escape.Probe, level string) string { return lacking(runtimes, p, level) }
	return s, s.makeNaive(ctx)
}

// Jails that wait are made for what was run before, one after the other; to count the
// host while that goes on would show them as something left behind.
const (
	stillFor   = 3 * time.Second // longer than any of them takes
	settledFor = time.Minute
)

// settled waits until no more jails begin to wait.
func settled(ctx context.Context, daemon *client.Client) error {
	defer daemon.Close()
	most, since := -1, time.Now()
	for deadline := time.Now().Add(settledFor); time.Since(since) < stillFor; {
		posture, err := daemon.Posture(ctx)
		if err != nil {
			return err
		}
		if now := posture.Spares + posture.Templates; now > most {
			most, since = now, time.Now()
		}
		if time.Now().After(deadline) {
			return errors.New("the daemon goes on making jails that wait: ask it while no one else does")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// Find asks the kernel which process serves a socket, and wants it to be root's.
func Find(ctx context.Context, daemon *client.Client) (httpapi.Peer, error) {
	peer, err := daemon.Daemon(ctx)
	switch {
	case err != nil:
		return peer, err
	case peer.UID != 0:
		return peer, fmt.Errorf("the socket is served by uid %d, and a daemon is root's", peer.UID)
	case peer.PID == 0:
		return peer, errors.New("the daemon is in another pid namespace than this process, and cannot be watched from here")
	}
	return peer, nil
}

// Apart names the namespaces in which this process is not with the daemon.
func Apart(daemon httpapi.Peer) (names []string, err error) {
	ours, err := posture.Namespaces(os.Getpid())
	if err != nil {
		return nil, err
	}
	its, err := posture.Namespaces(int(daemon.PID))
	if err != nil {
		return nil, fmt.Errorf("the daemon's namespaces: %w", err)
	}
	for _, name := range posture.NamespaceNames {
		if ours[name] != its[name] {
			names = append(names, name)
		}
	}
	return names, nil
}

// lacking says what of a probe's needs the daemon does not serve, "" if it
// serves all.
func lacking(runtimes []httpapi.Runtime, p escape.Probe, level string) string {
	name := p.Profile
	if name == "" {
		name = string(p.Language)
	}
	i := slices.IndexFunc(runtimes, func(rt httpapi.Runtime) bool { return rt.Profile == name })
	switch {
	case i < 0 && p.Profile != "":
		return "the daemon has no profile " + name + " (python_full in its configuration)"
	case i < 0:
		return "the daemon has no profile " + name
	case !slices.Contains(runtimes[i].Policies, level):
		return "profile " + name + " has no policy " + level
	}
	rt := runtimes[i]
	_, err := policy.Resolve(policy.Request{Code: " ", Limits: p.Limits}, policy.Profile{
		Name: rt.Profile, Language: rt.Language, Requestable: rt.Limits,
		Level: level, Ceiling: level, Levels: map[string]policy.Level{level: {}},
	})
	var e *policy.Error
	switch {
	case errors.As(err, &e):
		return e.Message
	case err != nil:
		return err.Error()
	}
	return ""
}

// patient is the daemon for somebody who has time: a run that it has no place
// for is asked again, and one whose jail could not be set up once more.
type patient struct {
	daemon interface {
		policy.Executor
		Close()
	}
	bound time.Duration // of waiting for a place
}

func (p *patient) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	// A connection that is kept would be counted among the daemon's descriptors.
	defer p.daemon.Close()
	setups := 0
	for deadline := time.Now().Add(p.bound); ; {
		result, err := p.daemon.Execute(ctx, req)
		var e *policy.Error
		if !errors.As(err, &e) {
			return result, err
		}
		wait, busy := client.RetryAfter(err)
		switch {
		case busy && time.Now().Add(wait).Before(deadline):
		case e.Code == policy.CodeSetup && setups == 0:
			setups++ // a start that failed under load is no hole
		default:
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}
