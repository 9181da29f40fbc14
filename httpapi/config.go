package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"time"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// Config says what a Server serves and how much at once. Zero values take the
// default named with the field; none of them is unlimited.
type Config struct {
	Executor policy.Executor // required
	Describe func() Description
	// Check says early, before anything starts, whether a request would be
	// refused: it gives the *policy.Error that Executor would. Optional, and asked
	// for every request, so it must cost little.
	Check func(policy.Request) error
	// Resolve is Check by whoever runs programs, asked before a job is accepted: who
	// waits gets the Executor's own refusal. Optional.
	Resolve func(context.Context, policy.Request) error
	// Jobs keeps what callers do not wait for; Serve closes it. Nil: the routes of
	// jobs do not exist.
	Jobs       JobStore
	JobSlots   int // jobs that it runs at once; default 1
	JobsQueued int // jobs that wait in it, of all callers together; default 64
	// Checker answers dry runs; nil refuses them.
	Checker policy.Checker
	// Callers says what a caller may have, or fails with CodeForbidden for one who
	// may not call. Default: the Allowance of zero fields, for everybody.
	Callers  func(policy.Caller) (Allowance, error)
	Accounts *Accounts // what callers used; default: the Server's own
	// Tokens are asked for over TCP; without any, nobody is served there.
	Tokens  Tokens
	Hosts   []string     // names of this host, beside loopback ones, that a Host header over TCP may have
	TLS     *tls.Config  // over TCP, see TLSConfig; nil for none
	Ready   func() error // nil error means that runs and jobs would be accepted; a *policy.Error is answered as it is, of any other the text is shown
	Logger  *slog.Logger // default: JSON on stderr
	Metrics http.Handler // GET /metrics; nil answers 404
	// Observe hears of requests that are turned away. Who shall hear of runs, too,
	// is told by an observe.Executor around Executor.
	Observe observe.Observer
	Line    *observe.Line // counts synchronous runs and those that wait; nil for nobody

	Slots     int           // synchronous runs at once; default 2
	Waiting   int           // requests waiting for one of these; default twice Slots
	WaitLimit time.Duration // how long one waits at most; default 2s

	ConnectionsPerUID int // open connections of one uid, or of one token; default 16 and two for each of Slots and Waiting
	// Connections are open ones of all uids but root together, and once more of all tokens;
	// 512 more are for callers who hold fewer than eight. Default four times ConnectionsPerUID.
	Connections int

	ReplyBytes int64 // of all large replies that are being made or taken, at most a quarter for one caller; default 192 MiB

	// BodyBytes are four times those of the bodies of all large requests that are being read: so
	// much one takes while it is decoded. One caller has a quarter; default 192 MiB.
	BodyBytes int64

	BodyTimeout  time.Duration // to send a whole body, from the time a slot is taken; default 2s: the slot is taken, and the socket is local
	ReplyTimeout time.Duration // to take a whole reply, and a second more for each MiB of it; default 10s
	Heartbeat    time.Duration // between signs of life on a stream that has nothing to say; default 15s
	DrainTimeout time.Duration // to let running work finish before it is killed; default 30s

	patience time.Duration // for what is sent though it is refused, or that nobody reads; default refusalPatience, and a test's own
}

func (c Config) withDefaults() (Config, error) {
	if c.Executor == nil {
		return c, errors.New("httpapi: no executor")
	}
	if c.Describe == nil {
		c.Describe = func() Description { return Description{} }
	}
	if c.Accounts == nil {
		c.Accounts = NewAccounts()
	}
	if c.Observe == nil {
		c.Observe = observe.Nothing{}
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
	c.setConnections()
	setDefault(&c.ReplyBytes, 192<<20)
	setDefault(&c.BodyBytes, 192<<20)
	setDefault(&c.BodyTimeout, 2*time.Second)
	setDefault(&c.ReplyTimeout, 10*time.Second)
	setDefault(&c.Heartbeat, 15*time.Second)
	setDefault(&c.DrainTimeout, 30*time.Second)
	setDefault(&c.patience, refusalPatience)
	for _, v := range []int64{
		int64(c.Slots), int64(c.Waiting), int64(c.WaitLimit), int64(c.JobSlots), int64(c.JobsQueued),
		int64(c.Connections), int64(c.ConnectionsPerUID), c.ReplyBytes, c.BodyBytes,
		int64(c.BodyTimeout), int64(c.ReplyTimeout), int64(c.Heartbeat), int64(c.DrainTimeout),
	} {
		if v < 0 {
			return c, errors.New("httpapi: negative number in the configuration")
		}
	}
	return c, nil
}

// setConnections has one for each run that a caller may have waiting, and one more
// that polls or watches beside it.
func (c *Config) setConnections() {
	setDefault(&c.ConnectionsPerUID, 16+2*(c.Slots+c.Waiting))
	setDefault(&c.Connections, 4*c.ConnectionsPerUID)
}

// MostConnections is how many a server of this configuration, whose Slots and
// Waiting must be there, has open at most: a descriptor each.
func (c Config) MostConnections(tcp bool) int {
	c.setConnections()
	uids := newPlaces(c.ConnectionsPerUID, c.Connections)
	most := uids.all + uids.each // root's
	if tcp {
		most += uids.all + maxStrangers
	}
	return most
}

func setDefault[T int | int64 | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}
