package nsjail

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"safe-exec/policy"
)

// Spares says how many jails wait for a run to come. Their number follows
// demand: of a kind that is asked for, as many as run at once and one more. The
// zero value keeps none.
type Spares struct {
	// Floor is how many jails of each profile's default kind wait even when
	// nothing runs.
	Floor int
	// Ceiling is how many of one kind wait at most.
	Ceiling int
	// MemoryMB bounds what all that wait use together, templates included, in
	// MiB; 0 is DefaultSpareMB. The callers who have any of it may have an equal part
	// each; of what is above, the kinds that were not used for longest give way.
	MemoryMB int64
}

// DefaultSpareMB holds a dozen templates of each language with their forks.
const DefaultSpareMB = 1024

// Bounds that need no operator.
const (
	// idleAfter is how long a kind keeps more than its floor without a run, and
	// forgetAfter how long it is known that there was one.
	idleAfter   = time.Minute
	forgetAfter = 10 * time.Minute
	// templateBytes is what a template is taken to use before it is there.
	templateBytes = 32 << 20
	// refillers is how many spares are started at once: runs need the
	// processors more.
	refillers = 2
	// firstRetry and lastRetry bound the pause after a spare that could not be
	// started; runs still start their own and report why. The first is that after
	// one that did not fit, too.
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// spares is the stock of jails that wait, by kind. Every jail in it is proved,
// holds its harness blocked before the job, and is used once.
type spares struct {
	r      *Runner
	config Spares
	log    *slog.Logger

	asking sync.Mutex // see template
	mu     sync.Mutex
	pools  map[kind]*pool
	closed bool

	wake   chan struct{} // something may have to be done
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// pool is the stock of one kind.
type pool struct {
	kind     kind
	order    order // of the jails to come; its template, once there is one
	floor    int
	want     int
	ready    []*jail
	starting int
	running  int // jails of this kind that have a job
	uses     int
	used     time.Time
	bytes    int64 // what the last one used when it was ready

	templating bool // a template is being started
	retry      time.Time
	pause      time.Duration
}

func newSpares(r *Runner, c Spares, log *slog.Logger) *spares {
	if c.MemoryMB == 0 {
		c.MemoryMB = DefaultSpareMB
	}
	s := &spares{r: r, config: c, log: log, pools: make(map[kind]*pool), wake: make(chan struct{}, 1)}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	if min(c.Floor, c.Ceiling) > 0 {
		for _, name := range slices.Sorted(maps.Keys(r.runtimes)) {
			if spec, err := policy.Resolve(policy.Request{Code: " "}, r.runtimes[name].profile); err == nil && string(spec.Language) == name {
				p := s.pool(kindOf(spec, ""), order{runtime: r.runtimes[name], spec: unasked(spec), mode: policy.StartWarm})
				p.floor, p.want = c.Floor, c.Floor
			}
		}
	}
	for range refillers {
		s.done.Go(func() { s.refill(ctx) })
	}
	return s
}

// pool is made when it is first asked for. The caller holds the lock, or is the
// only one who knows of s.
func (s *spares) pool(k kind, o order) *pool {
	p, ok := s.pools[k]
	if !ok {
		p = &pool{kind: k, order: o, used: time.Now()}
		s.forget(p)
		s.pools[k] = p
	}
	return p
}

// take gives a jail that waits, or else the template to fork one from, or
// neither. leave must be called when the run is over: it says how many of the
// kind are wanted.
func (s *spares) take(rt *runtime, spec policy.Spec, caller string) (j *jail, t *template, leave func()) {
	if s.config.Ceiling == 0 {
		return nil, nil, func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := order{runtime: rt, spec: unasked(spec), mode: policy.StartWarm}
	k := kindOf(spec, "")
	forAll := s.pools[k] // nil for most kinds
	if rt.forks {
		o.mode, k.caller = policy.StartFork, caller
	}
	used := s.pool(k, o)
	used.used = time.Now()
	used.uses++
	used.running++
	if used.uses > 1 { // what is asked for once may never be again
		used.want = max(used.want, min(used.running+1, s.config.Ceiling))
	}
	// What was taken is made up for when the run is over, so as not to take the
	// processors from it, unless the next run would find nothing.
	if len(used.ready) < 2 {
		s.stir()
	}
	leave = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		used.running--
		s.stir()
	}
	if j = used.pop(); j == nil && used.order.template != nil {
		return nil, used.order.template, leave
	}
	if j == nil && forAll != nil {
		if j = forAll.pop(); j != nil {
			forAll.used = used.used
		}
	}
	return j, nil, leave
}

// pop takes the one that has waited shortest: its memory is still in the
// processor's caches. Those that have waited longest go when there are too many.
func (p *pool) pop() *jail {
	last := len(p.ready) - 1
	if last < 0 {
		return nil
	}
	j := p.ready[last]
	p.ready = slices.Delete(p.ready, last, last+1)
	return j
}

// template gives the template of a kind, started now if there is none.
func (s *spares) template(ctx context.Context, k kind, o order) (*template, error) {
	s.asking.Lock() // so that two who ask start one
	defer s.asking.Unlock()
	s.mu.Lock()
	p := s.pool(k, o)
	p.used = time.Now()
	t := p.order.template
	fits := t != nil && !t.worn(time.Now())
	p.templating = p.templating || !fits // so that it is not forgotten meanwhile
	s.mu.Unlock()
	if fits {
		return t, nil
	}
	t, err := s.r.startTemplate(ctx, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	p.templating = false
	if err != nil {
		return nil, err
	}
	s.adopt(p, t)
	s.makeRoom(p)
	return t, nil
}

// adopt gives a pool its template, in place of one that may have come meanwhile.
// The caller holds the lock.
func (s *spares) adopt(p *pool, t *template) {
	s.retire(p)
	p.order.template = t
}

// retire lets a pool's template go, and what it has forked and nobody has taken.
// The caller holds the lock.
func (s *spares) retire(p *pool) {
	for _, j := range p.ready {
		s.r.endings.end(j)
	}
	if p.order.template != nil {
		p.order.template.retire()
	}
	p.ready, p.order.template = nil, nil
}

// stir lets a refiller look again.
func (s *spares) stir() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// waiting counts what Runner.Waiting tells.
func (s *spares) waiting() (jails, templates int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pools {
		jails += len(p.ready)
		if p.order.template != nil {
			templates++
		}
	}
	return jails, templates
}

// close ends all that wait. No run may be under way.
func (s *spares) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.done.Wait()
	for _, p := range s.pools {
		s.retire(p)
	}
	s.r.endings.wait()
}
