package httpapi

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"time"

	"safe-exec/policy"
)

// Config says what a Server serves and how much at once. Zero values take the
// default named with the field; none of them is unlimited.
type Config struct {
	Executor policy.Executor // required
	Describe func() Description
	// Check says before a job is accepted whether it would be refused: it gives the
	// *policy.Error that Executor would. Optional.
	Check func(policy.Request) error
	// Checker answers dry runs; nil refuses them.
	Checker policy.Checker
	// Ceiling is the widest import policy level that a caller may ask for; empty,
	// and the default, is each profile's own ceiling.
	Ceiling func(Peer) string
	Ready   func() error // nil error means that runs would be accepted; its text is shown
	Logger  *slog.Logger // default: JSON on stderr
	Metrics http.Handler // GET /metrics; nil answers 404

	Slots     int           // synchronous runs at once; default 2
	Waiting   int           // requests waiting for one of these; default twice Slots
	WaitLimit time.Duration // how long one waits at most; default 2s

	JobSlots          int           // asynchronous runs at once, beside Slots; default 1
	JobsQueued        int           // jobs waiting to run; default 64
	JobsQueuedPerUID  int           // of these by one caller; default JobsQueued
	JobsFinished      int           // finished jobs kept; default 256
	JobsFinishedBytes int64         // size of their results; default 64 MiB
	JobsAge           time.Duration // how long a finished job is kept; default 15m

	Connections       int // open connections, root's not counted; default 256
	ConnectionsPerUID int // of one caller; default 128

	BodyTimeout  time.Duration // to send a whole body, from the time a slot is taken; default 2s: the slot is taken, and the socket is local
	ReplyTimeout time.Duration // to take a whole reply; default 10s
	DrainTimeout time.Duration // to let running work finish before it is killed; default 30s
}

func (c Config) withDefaults() (Config, error) {
	if c.Executor == nil {
		return c, errors.New("httpapi: no executor")
	}
	if c.Describe == nil {
		c.Describe = func() Description { return Description{} }
	}
	if c.Ceiling == nil {
		c.Ceiling = func(Peer) string { return "" }
	}
	if c.Ready == nil {
		c.Ready = func() error { return nil }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.NewJSONHandler(os.Stderr, nil))
	}
	setDefault(&c.Slots, 2)
	setDefault(&c.Waiting, 2*c.Slots)
	setDefault(&c.WaitLimit, 2*time.Second)
	setDefault(&c.JobSlots, 1)
	setDefault(&c.JobsQueued, 64)
	setDefault(&c.JobsQueuedPerUID, c.JobsQueued)
	setDefault(&c.JobsFinished, 256)
	setDefault(&c.JobsFinishedBytes, 64<<20)
	setDefault(&c.JobsAge, 15*time.Minute)
	setDefault(&c.Connections, 256)
	setDefault(&c.ConnectionsPerUID, 128)
	setDefault(&c.BodyTimeout, 2*time.Second)
	setDefault(&c.ReplyTimeout, 10*time.Second)
	setDefault(&c.DrainTimeout, 30*time.Second)
	for _, v := range []int64{
		int64(c.Slots), int64(c.Waiting), int64(c.WaitLimit), int64(c.JobSlots), int64(c.JobsQueued),
		int64(c.JobsQueuedPerUID), int64(c.JobsFinished), c.JobsFinishedBytes, int64(c.JobsAge),
		int64(c.Connections), int64(c.ConnectionsPerUID),
		int64(c.BodyTimeout), int64(c.ReplyTimeout), int64(c.DrainTimeout),
	} {
		if v < 0 {
			return c, errors.New("httpapi: negative number in the configuration")
		}
	}
	return c, nil
}

func setDefault[T int | int64 | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}
