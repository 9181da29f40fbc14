package httpapi

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlacesForConnections(t *testing.T) {
	p := newPlaces(few+1, few+2)
	p.all = p.shared + few + 2
	for _, row := range []struct {
		name  string
		who   holder
		asks  int
		getsN int
	}{
		{"the greedy up to the last places", holder{uid: 1}, few + 1, few + 1},
		{"no more than one may have", holder{uid: 1}, 1, 0},
		{"of the last places, who holds few", holder{uid: 2}, few + 1, few},
		{"a newcomer while there is one", holder{uid: 3}, 1, 1},
		{"the last one", holder{uid: 4}, few, 2},
		{"nobody when all are taken", holder{uid: 5}, 1, 0},
		{"root beyond that, to its own bound", holder{}, few + 2, few + 1},
	} {
		got := 0
		for range row.asks {
			if p.enter(row.who) {
				got++
			}
		}
		assert.Equal(t, row.getsN, got, row.name)
	}
	p.count(holder{uid: 1}, -1)
	assert.False(t, p.enter(holder{uid: 1}), "what the greedy left among the last is not for the greedy")
	assert.True(t, p.enter(holder{uid: 6}), "but for a newcomer")
}

// However many connections callers hold and in whatever order they came by them:
// while fewer than newcomers of them hold any, who holds fewer than few gets in.
func TestWhoHoldsFewGetsIn(t *testing.T) {
	full := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		each := few + r.IntN(40)
		callers := 1 + r.IntN(newcomers) // with the newcomer
		p := newPlaces(each, 4*each)
		for range 3000 {
			who := holder{uid: uint32(1 + r.IntN(callers))}
			if n := 1 + r.IntN(each); r.IntN(20) == 0 { // they leave in heaps
				p.count(who, -min(n, p.open[who]))
				continue
			}
			held, sum := p.open[who], p.sum
			in := p.enter(who)
			if held < few {
				require.True(t, in, "seed %d: one who holds %d, beside %d others who hold %d", seed, held, len(p.open), sum)
			}
			if !in && held < each {
				full++
			}
			require.LessOrEqual(t, p.open[who], each)
			require.LessOrEqual(t, p.sum, p.all)
		}
	}
	assert.Positive(t, full, "the greedy were refused for others' sake")
}

func TestSoManyCallersAreNewcomersTo(t *testing.T) {
	const each = 160
	p := newPlaces(each, 4*each)
	take := func(who holder) {
		for p.enter(who) { // until it may have no more
		}
	}
	for i := range newcomers - 1 {
		take(holder{uid: uint32(1 + i)})
	}
	for range few {
		require.True(t, p.enter(holder{uid: 1000}), "one beside %d who took all they can", newcomers-1)
	}
	for i := range newcomers {
		take(holder{uid: uint32(2000 + i)})
	}
	assert.False(t, p.enter(holder{uid: 3000}), "all has an end")
	assert.True(t, p.enter(holder{}), "but root gets in")
}

// Strangers take only from strangers, from the address that most came from, and
// there from who came first.
func TestWhichStrangerMakesRoom(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := newConnections(4, 16)
		b.strangers.most = 1 + r.IntN(20)
		var model []*conn // strangers, in the order in which they came
		known := map[*conn]bool{}
		now := time.Now()
		for range 500 {
			switch i := r.IntN(4); {
			case i == 0 && len(model) > 0: // one shows a token
				i := r.IntN(len(model))
				c := model[i]
				if b.claim(c, fmt.Sprint("t", r.IntN(3))) {
					model, known[c] = append(model[:i:i], model[i+1:]...), true
				}
			case i == 1 && len(model) > 0: // one leaves
				i := r.IntN(len(model))
				b.leave(model[i])
				b.leave(model[i]) // net/http closes some twice
				model = append(model[:i:i], model[i+1:]...)
			case i == 2 && len(known) > 0:
				for c := range known {
					b.leave(c)
					delete(known, c)
					break
				}
			default:
				c := &conn{tcp: true, from: fmt.Sprint("a", r.IntN(3)), bound: b}
				want := oldest(model, b.strangers.most)
				now = now.Add(strangerGrace)
				got, wait := b.strangers.enter(c, now)
				require.Zero(t, wait)
				require.True(t, want == got, "seed %d", seed)
				if want != nil {
					for i := range model {
						if model[i] == want {
							model = append(model[:i:i], model[i+1:]...)
							break
						}
					}
				}
				model = append(model, c)
			}
			require.Equal(t, len(model), b.strangers.queue.Len())
			require.Equal(t, len(known), b.tokens.sum)
			require.Equal(t, len(model)+len(known), b.held())
		}
	}
}

func TestAStrangerHasTimeToShowAToken(t *testing.T) {
	s := newStrangers(1)
	first, second, now := &conn{}, &conn{}, time.Now()
	_, wait := s.enter(first, now)
	require.Zero(t, wait)
	for _, row := range []struct {
		name        string
		after, wait time.Duration
	}{
		{"at once, whoever comes waits", 0, strangerGrace},
		{"later less", strangerGrace - 1, 1},
		{"and then has the place", strangerGrace, 0},
	} {
		victim, wait := s.enter(second, now.Add(row.after))
		assert.Equal(t, row.wait, wait, row.name)
		assert.Equal(t, wait == 0, victim == first, row.name)
		assert.Equal(t, 1, s.queue.Len(), row.name)
	}
}

func oldest(all []*conn, most int) *conn {
	if len(all) < most {
		return nil
	}
	from := map[string]int{}
	for _, c := range all {
		from[c.from]++
	}
	for _, c := range all {
		if from[c.from] == max(from["a0"], from["a1"], from["a2"]) {
			return c
		}
	}
	return nil
}
