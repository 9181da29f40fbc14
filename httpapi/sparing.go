package httpapi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// What of the log those may fill who have no right to what they ask for: so many lines
// at once, one more each second, and one line every sparingTells that says how many
// were left out.
const (
	sparingBurst = 20
	sparingRate  = 1 // a second
	sparingTells = 10 * time.Second
)

// sparing is a handler that leaves out what is beyond the ration.
type sparing struct {
	slog.Handler
	*ration
}

// ration is shared by all that is derived from one handler.
type ration struct {
	to    slog.Handler
	about string // whose lines these are
	rate  *rate.Limiter

	mu   sync.Mutex
	left int // out, and not told yet
}

func newSparing(to slog.Handler, about string) sparing {
	return sparing{to, &ration{to: to, about: about, rate: rate.NewLimiter(sparingRate, sparingBurst)}}
}

func (h sparing) Handle(ctx context.Context, r slog.Record) error {
	if !h.allow() {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h sparing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return sparing{h.Handler.WithAttrs(attrs), h.ration}
}

func (h sparing) WithGroup(name string) slog.Handler {
	return sparing{h.Handler.WithGroup(name), h.ration}
}

func (r *ration) allow() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rate.Allow() {
		return true
	}
	if r.left++; r.left == 1 {
		time.AfterFunc(sparingTells, r.tell)
	}
	return false
}

// tell writes how many lines were left out since it last did.
func (r *ration) tell() {
	r.mu.Lock()
	n := r.left
	r.left = 0
	r.mu.Unlock()
	if n > 0 {
		slog.New(r.to).Warn("lines were left out of the log", "about", r.about, "lines", n)
	}
}
