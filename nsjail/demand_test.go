package nsjail

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

// stock is one pool of a kind in the past of its test.
type stock struct {
	name, caller                          string
	floor, want, ready, starting, running int
	unused                                time.Duration // since the last run
	mb                                    int64         // of each that waits
	template                              time.Duration // its age; 0 for none
	forks                                 int           // that the template has made
	templateless                          bool          // a kind that is forked, before its first template
	failed                                bool          // the last start, a moment ago
}

func TestDemand(t *testing.T) {
	const ceiling, memory = 4, 100
	busy := stock{name: "busy", want: 2, mb: 10}
	for _, row := range []struct {
		what   string
		stocks []stock
		starts []string       // what is started, in turn
		left   map[string]int // what waits in the end
	}{
		{"what is wanted is started, and no more",
			[]stock{busy}, []string{"busy", "busy"}, map[string]int{"busy": 2}},
		{"what is being started counts",
			[]stock{{name: "a", want: 2, starting: 1, mb: 1}}, []string{"a"}, map[string]int{"a": 1}},
		{"who has fewer jails comes before who empties his pool all the time",
			[]stock{{name: "busy", want: 4, running: 3}, {name: "light", want: 2, ready: 1, unused: time.Second}},
			[]string{"light", "busy", "busy", "busy", "busy"}, map[string]int{"busy": 4, "light": 2}},
		{"the kind that was asked for last comes first",
			[]stock{{name: "old", want: 1, unused: time.Second}, {name: "new", want: 1}}, []string{"new", "old"}, map[string]int{"new": 1, "old": 1}},
		{"a kind that nobody asks for goes back to its floor",
			[]stock{{name: "a", floor: 1, want: 4, ready: 4, unused: idleAfter + time.Second}}, nil, map[string]int{"a": 1}},
		{"one that runs does not",
			[]stock{{name: "a", want: 4, ready: 4, running: 1, unused: idleAfter + time.Second}}, nil, map[string]int{"a": 4}},
		{"a kind that nobody has asked for in a while is forgotten",
			[]stock{{name: "a", unused: forgetAfter + time.Second}}, nil, map[string]int{}},
		{"full memory: what was not used for longest gives way",
			[]stock{{name: "old", want: 1, ready: 1, mb: 60, unused: 2 * time.Second}, {name: "older", want: 1, ready: 1, mb: 35, unused: 3 * time.Second}, {name: "new", want: 1, mb: 20}},
			[]string{"new"}, map[string]int{"old": 1, "older": 0, "new": 1}},
		{"memory full of what is used more: nothing is started",
			[]stock{{name: "now", want: 1, ready: 1, mb: 90}, {name: "before", want: 1, mb: 20, unused: time.Second}}, nil, map[string]int{"now": 1, "before": 0}},
		{"after a start that failed there is a pause",
			[]stock{{name: "a", want: 1, failed: true}}, nil, map[string]int{"a": 0}},
		{"a worn template goes with what it forked, and the next is started",
			[]stock{{name: "a", want: 2, ready: 2, template: templateAge + time.Second}}, []string{"template of a"}, map[string]int{"a": 0}},
		{"so does one that has forked often",
			[]stock{{name: "a", want: 2, ready: 2, template: time.Second, forks: templateForks}}, []string{"template of a"}, map[string]int{"a": 0}},
		{"an idle kind keeps its template, since a fork is soon made",
			[]stock{{name: "a", want: 2, ready: 2, unused: idleAfter + time.Second, template: time.Minute}}, nil, map[string]int{"a": 0}},
		{"and loses it by age",
			[]stock{{name: "a", unused: templateAge, template: templateAge}}, nil, map[string]int{"a": 0}},
		{"what does not fit keeps nothing else waiting",
			[]stock{{name: "runs", caller: "a", want: 1, ready: 1, running: 1, mb: 60}, {name: "large", caller: "b", want: 1, mb: 50}, {name: "small", caller: "c", want: 2, ready: 1, mb: 10}},
			[]string{"small"}, map[string]int{"runs": 1, "large": 0, "small": 2}},
		{"nor what does not fit of the same caller",
			[]stock{{name: "now", caller: "a", want: 2, ready: 1, mb: 40}, {name: "before", caller: "a", want: 1, mb: 70, unused: time.Second}},
			[]string{"now"}, map[string]int{"now": 2, "before": 0}},
		{"what waits for all comes back when one caller has filled the memory",
			[]stock{{name: "all", floor: 1, want: 1, mb: 30, unused: time.Hour}, {name: "old", caller: "a", want: 1, ready: 1, mb: 50, unused: time.Second}, {name: "new", caller: "a", want: 1, ready: 1, mb: 50}},
			[]string{"all"}, map[string]int{"all": 1, "old": 0, "new": 1}},
		{"and gives way to nobody, however long it was not used",
			[]stock{{name: "all", floor: 1, want: 1, ready: 1, mb: 60, unused: time.Hour}, {name: "new", caller: "a", want: 1, mb: 50}},
			nil, map[string]int{"all": 1, "new": 0}},
		{"what a caller has above his part gives way to who has less, what was not used for longest first",
			[]stock{
				{name: "a1", caller: "a", want: 1, ready: 1, mb: 20}, {name: "a2", caller: "a", want: 1, ready: 1, mb: 20}, {name: "a3", caller: "a", want: 1, ready: 1, mb: 20, unused: time.Second},
				{name: "a4", caller: "a", want: 1, ready: 1, mb: 20, unused: 3 * time.Second}, {name: "a5", caller: "a", want: 1, ready: 1, mb: 20, unused: 2 * time.Second},
				{name: "b", caller: "b", want: 1, mb: 30, unused: 10 * time.Second},
			},
			[]string{"b"}, map[string]int{"a1": 1, "a2": 1, "a3": 1, "a4": 0, "a5": 0, "b": 1}},
		{"and no more of it than that",
			[]stock{
				{name: "a1", caller: "a", want: 1, ready: 1, mb: 40, unused: 3 * time.Second}, {name: "a2", caller: "a", want: 1, ready: 1, mb: 20, unused: 2 * time.Second},
				{name: "c", caller: "c", want: 1, ready: 1, mb: 40, unused: time.Second}, {name: "b", caller: "b", want: 1, mb: 45},
			},
			[]string{"b"}, map[string]int{"a1": 0, "a2": 1, "c": 0, "b": 1}},
		{"for a template, too",
			[]stock{{name: "a", caller: "a", want: 1, ready: 1, mb: 80}, {name: "b", caller: "b", want: 1, templateless: true, unused: time.Second}},
			[]string{"template of b"}, map[string]int{"a": 0, "b": 0}},
		{"who wants more than his part makes room among his own",
			[]stock{{name: "old", caller: "a", want: 1, ready: 1, mb: 40, unused: time.Second}, {name: "new", caller: "a", want: 1, mb: 20}, {name: "quiet", caller: "b", want: 1, ready: 1, mb: 45, unused: 50 * time.Second}},
			[]string{"new"}, map[string]int{"old": 0, "new": 1, "quiet": 1}},
		{"even if another has more than his",
			[]stock{{name: "old", caller: "a", want: 1, ready: 1, mb: 45, unused: time.Second}, {name: "new", caller: "a", want: 1, mb: 20}, {name: "quiet", caller: "b", want: 1, ready: 1, mb: 55, unused: 50 * time.Second}},
			[]string{"new"}, map[string]int{"old": 0, "new": 1, "quiet": 1}},
		{"and does without if that is not enough: nothing goes in vain",
			[]stock{{name: "old", caller: "a", want: 1, ready: 1, mb: 5, unused: time.Second}, {name: "new", caller: "a", want: 1, mb: 60}, {name: "quiet", caller: "b", want: 1, ready: 1, mb: 50, unused: 50 * time.Second}},
			nil, map[string]int{"old": 1, "new": 0, "quiet": 1}},
		{"where the parts are smaller than a pool, who has nothing gets that of whoever was away for longest",
			[]stock{
				{name: "a", caller: "a", want: 1, ready: 1, mb: 25, unused: 2 * time.Second}, {name: "b", caller: "b", want: 1, ready: 1, mb: 25, unused: 4 * time.Second},
				{name: "c", caller: "c", want: 1, ready: 1, mb: 25, unused: 3 * time.Second}, {name: "d", caller: "d", want: 1, ready: 1, mb: 25}, {name: "e", caller: "e", want: 1, mb: 25, unused: time.Second},
			},
			[]string{"e"}, map[string]int{"a": 1, "b": 0, "c": 1, "d": 1, "e": 1}},
		{"who has fewer jails of all his kinds comes first, whatever he lacks of one",
			[]stock{{name: "a1", caller: "a", want: 2, ready: 2}, {name: "a2", caller: "a", want: 1}, {name: "b", caller: "b", want: 2, ready: 1, unused: time.Second}},
			[]string{"b", "a2"}, map[string]int{"a1": 2, "a2": 1, "b": 2}},
		{"templates count, since each is a start",
			[]stock{{name: "a1", caller: "a", template: time.Second}, {name: "a2", caller: "a", template: time.Second}, {name: "a3", caller: "a", want: 1, templateless: true}, {name: "b", caller: "b", want: 2, ready: 1, unused: time.Second}},
			[]string{"b", "template of a3"}, map[string]int{"a1": 0, "a2": 0, "a3": 0, "b": 2}},
	} {
		t.Run(row.what, func(t *testing.T) {
			now := time.Now()
			r := &Runner{endings: newEndings()}
			s := &spares{r: r, config: Spares{Ceiling: ceiling, MemoryMB: memory}, pools: map[kind]*pool{}, wake: make(chan struct{}, 1)}
			for _, k := range row.stocks {
				p := k.pool(r, now)
				s.pools[p.kind] = p
			}
			started := []string(nil)
			for {
				task, ok := s.next(now)
				if !ok {
					break
				}
				if task.pool == nil {
					s.do(t.Context(), task)
				} else {
					started = append(started, s.started(task))
				}
			}
			assert.Equal(t, row.starts, started)
			left := map[string]int{}
			for k, p := range s.pools {
				left[k.profile] = len(p.ready)
			}
			assert.Equal(t, row.left, left)
			r.endings.wait()
		})
	}
}

func (k stock) pool(r *Runner, now time.Time) *pool {
	p := &pool{
		kind:  kind{profile: k.name, caller: k.caller},
		floor: k.floor, want: k.want, starting: k.starting, running: k.running, used: now.Add(-k.unused), bytes: k.mb << 20,
		order: order{mode: policy.StartWarm},
	}
	for range k.ready {
		p.ready = append(p.ready, &jail{runner: r})
	}
	if k.template > 0 {
		p.order.mode = policy.StartFork
		p.order.template = &template{jail: &jail{runner: r, init: newPidfd(-1)}, born: now.Add(-k.template), forks: k.forks}
	}
	if k.templateless {
		p.order.mode = policy.StartFork
	}
	if k.failed {
		p.retry = now.Add(firstRetry)
	}
	return p
}

// started does as if the task's start had succeeded, but for a template, which
// stays under way. It gives the name of what was started.
func (s *spares) started(t task) string {
	name := t.pool.kind.profile
	if t.template {
		return "template of " + name
	}
	t.pool.starting--
	t.pool.ready = append(t.pool.ready, &jail{runner: s.r})
	return name
}

func unstarted() *spares {
	return &spares{r: &Runner{endings: newEndings()}, config: Spares{Ceiling: 1, MemoryMB: 1}, pools: map[kind]*pool{}, wake: make(chan struct{}, 1)}
}

func TestNoMoreKindsAreKnownThanThereIsRoomFor(t *testing.T) {
	s := unstarted()
	of := func(caller string, mb int64) kind {
		return kind{profile: "python", limits: policy.Limits{MaxMemoryMB: mb}, caller: caller}
	}
	ask := func(k kind) {
		_, _, leave := s.take(&runtime{forks: true}, policy.Spec{Profile: k.profile, Limits: k.limits}, k.caller)
		leave()
	}
	floor := s.pool(kind{profile: "floor"}, order{})
	floor.floor = 1
	for i := range int64(10) {
		ask(of("quiet", i))
	}
	for i := range int64(2 * maxKinds) {
		ask(of("busy", i))
	}
	assert.Len(t, s.pools, maxKinds)
	assert.Contains(t, s.pools, kind{profile: "floor"}, "what always waits stays")
	assert.Contains(t, s.pools, of("busy", 2*maxKinds-1), "and what came last")
	for i := range int64(10) {
		assert.Contains(t, s.pools, of("quiet", i), "and what another caller has, within his part")
	}
	for i := range int64(2 * maxKinds) {
		ask(of("third", i))
	}
	count := map[string]int{}
	for k := range s.pools {
		count[k.caller]++
	}
	assert.Len(t, s.pools, maxKinds)
	assert.InDelta(t, maxKinds/3, count["third"], 1, "an equal part comes from who has more: %v", count)
	assert.Equal(t, 10, count["quiet"])
}

func TestWhatWaitsForAllIsUsedWhenARunTakesOfIt(t *testing.T) {
	s := unstarted()
	floor := s.pool(kindOf(policy.Spec{Profile: "python"}, ""), order{})
	floor.floor, floor.used = 1, time.Now().Add(-time.Hour)
	before := floor.used
	take := func() *jail {
		j, _, leave := s.take(&runtime{forks: true}, policy.Spec{Profile: "python"}, "a")
		leave()
		return j
	}
	assert.Nil(t, take())
	assert.Equal(t, before, floor.used, "there was none to take")
	waits := &jail{runner: s.r}
	floor.ready = []*jail{waits}
	assert.Same(t, waits, take())
	assert.WithinDuration(t, time.Now(), floor.used, time.Minute)
}
