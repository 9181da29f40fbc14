package nsjail

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

// stock is one pool of a kind in the past of its test.
type stock struct {
	name                                  string
	floor, want, ready, starting, running int
	unused                                time.Duration // since the last run
	mb                                    int64         // of each that waits
	template                              time.Duration // its age; 0 for none
	forks                                 int           // that the template has made
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
	} {
		t.Run(row.what, func(t *testing.T) {
			now := time.Now()
			r := &Runner{endings: newEndings()}
			s := &spares{r: r, config: Spares{Ceiling: ceiling, MemoryMB: memory}, pools: map[kind]*pool{}, wake: make(chan struct{}, 1)}
			for _, k := range row.stocks {
				s.pools[kind{profile: k.name}] = k.pool(r, now)
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
	if k.failed {
		p.retry = now.Add(firstRetry)
	}
	return p
}

// started does as if the task's start had succeeded, but for a template, which
// stays under way. It gives the name of what was started.
func (s *spares) started(t task) string {
	name := ""
	for k, p := range s.pools {
		if p == t.pool {
			name = k.profile
		}
	}
	if t.template {
		return "template of " + name
	}
	t.pool.starting--
	t.pool.ready = append(t.pool.ready, &jail{runner: s.r})
	return name
}

func TestNoMoreKindsAreKnownThanThereIsRoomFor(t *testing.T) {
	r := &Runner{endings: newEndings()}
	s := &spares{r: r, config: Spares{Ceiling: 1, MemoryMB: 1}, pools: map[kind]*pool{}, wake: make(chan struct{}, 1)}
	floor := s.pool(kind{profile: "floor"}, order{})
	floor.floor = 1
	for i := range 2 * maxKinds {
		_, _, leave := s.take(&runtime{}, policy.Spec{Profile: "python", Limits: policy.Limits{MaxMemoryMB: int64(i)}}, "")
		leave()
	}
	assert.Len(t, s.pools, maxKinds)
	assert.Contains(t, s.pools, kind{profile: "floor"}, "what always waits stays")
	assert.Contains(t, s.pools, kind{profile: "python", limits: policy.Limits{MaxMemoryMB: 2*maxKinds - 1}}, "and what came last")
}
