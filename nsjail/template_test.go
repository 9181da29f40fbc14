package nsjail

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A template that ends twice would give its uids to two others.
func TestATemplateEndsOnceAndIsForkedNoMore(t *testing.T) {
	for _, row := range []struct {
		what  string
		do    func(*template)
		holds bool // it may be forked now
		ends  int32
	}{
		{"one that serves", func(*template) {}, true, 0},
		{"one that was retired while nothing of it lived", func(p *template) { p.retire() }, false, 1},
		{"retired twice", func(p *template) { p.retire(); p.retire() }, false, 1},
		{"retired while a fork lives", func(p *template) { p.hold(); p.retire() }, false, 0},
		{"the last fork ends it", func(p *template) { p.hold(); p.hold(); p.retire(); p.letGo(); p.letGo() }, false, 1},
		{"a fork that comes too late is none", func(p *template) {
			p.retire()
			if p.hold() {
				p.letGo()
			}
		}, false, 1},
		{"one that did not answer", func(p *template) { p.suspect() }, false, 0},
	} {
		t.Run(row.what, func(t *testing.T) {
			r := &Runner{endings: newEndings()}
			var ends atomic.Int32
			j := &jail{runner: r}
			j.undo.add(func() { ends.Add(1) })
			p := &template{jail: j}
			row.do(p)
			assert.Equal(t, row.holds, p.hold())
			r.endings.wait()
			assert.Equal(t, row.ends, ends.Load())
		})
	}
}

// The template that a kind had is let go when another takes its place: nobody else
// knows of it.
func TestAKindHasOneTemplate(t *testing.T) {
	r := &Runner{endings: newEndings()}
	s := &spares{r: r}
	var ends atomic.Int32
	started := func() *template {
		j := &jail{runner: r}
		j.undo.add(func() { ends.Add(1) })
		return &template{jail: j}
	}
	p, last := &pool{}, started()
	s.adopt(p, started())
	s.adopt(p, last)
	r.endings.wait()
	assert.Equal(t, int32(1), ends.Load())
	assert.Same(t, last, p.order.template)
}
