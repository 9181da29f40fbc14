package httpapi

// A caller who holds fewer than few connections may take the last places, of which
// there are so many for newcomers callers.
const (
	few       = 8
	newcomers = 64
)

// places bound the connections of callers who are known. Its user locks.
//
// Those beyond shared are for callers who hold few. However many each of n callers
// holds, together they take shared and few*n places at most: as long as there are no
// more of them than newcomers, one who holds fewer than few gets in.
type places struct {
	each, shared, all int

	open map[holder]int
	sum  int // without root's
}

// holder is who connections are counted for: a uid of this host or a token.
type holder struct {
	uid   uint32
	token string
}

func newPlaces(each, shared int) *places {
	return &places{each: each, shared: shared, all: shared + few*newcomers, open: map[holder]int{}}
}

// enter counts root only against its own bound, so that the operator gets in when
// agents have taken all there is.
func (p *places) enter(who holder) bool {
	holds := p.open[who]
	switch {
	case holds >= p.each:
		return false
	case !who.root() && p.sum >= p.all:
		return false
	case !who.root() && p.sum >= p.shared && holds >= few:
		return false
	}
	p.count(who, 1)
	return true
}

func (h holder) root() bool { return h.token == "" && h.uid == 0 }

func (p *places) count(who holder, by int) {
	if p.open[who] += by; p.open[who] == 0 {
		delete(p.open, who)
	}
	if !who.root() {
		p.sum += by
	}
}
