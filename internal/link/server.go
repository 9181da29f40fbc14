package link

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"safe-exec/policy"
)

// Engine is what runs and checks programs.
type Engine interface {
	policy.Executor
	policy.Checker
}

// ServerConfig says what a Server answers with and how much at once. Zero values
// take the default named with the field; none of them is unlimited.
type ServerConfig struct {
	Engine  Engine                     // required
	Resolve func(policy.Request) error // required: the error that Engine would refuse the request with
	// Authorize writes into a request what its caller may (Privileged, the
	// ceilings), or refuses him. Required: the broker's word is for who asks, and
	// for nothing else.
	Authorize    func(*policy.Request) error
	Describe     func() any    // required: what can be told of the executor, made to JSON
	InFlight     int           // runs and checks at once; default 64. More are refused as busy
	Outstanding  int           // bytes that may wait to be read by the broker; default 128 MiB
	WriteTimeout time.Duration // within which the broker must take what is written; default 10s
	Logger       *slog.Logger  // required: hears the internal causes, which never cross
}

// Server is the executor's end.
type Server struct {
	cfg   ServerConfig
	conn  net.Conn
	in    *bufio.Reader
	out   *outbox
	ready chan struct{}

	ctx  context.Context // ends the runs
	stop context.CancelCauseFunc
	runs sync.WaitGroup

	cutOff sync.Once

	layers layersMemo

	mu      sync.Mutex
	last    uint64 // highest id so far
	running map[uint64]inProgress
}

// inProgress is a run or a check that has no answer yet.
type inProgress struct {
	cancel context.CancelFunc
	kind   kind
	req    policy.Request
	since  time.Time
}

// NewServer makes the executor's end of a connection, which it takes over.
func NewServer(conn net.Conn, cfg ServerConfig) (*Server, error) {
	if cfg.Engine == nil || cfg.Resolve == nil || cfg.Authorize == nil || cfg.Describe == nil || cfg.Logger == nil {
		return nil, errors.New("link: something that a server needs is missing")
	}
	if cfg.InFlight <= 0 {
		cfg.InFlight = 64
	}
	if cfg.Outstanding <= 0 {
		cfg.Outstanding = 128 << 20
	}
	if cfg.WriteTimeout <= 0 {
		cfg.WriteTimeout = 10 * time.Second
	}
	s := &Server{
		cfg: cfg, conn: conn, in: bufio.NewReaderSize(conn, firstPiece), ready: make(chan struct{}),
		running: make(map[uint64]inProgress),
	}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	s.out = &outbox{conn: conn, most: cfg.Outstanding, timeout: cfg.WriteTimeout, fail: s.end}
	return s, nil
}

// Ready is closed when the broker has said that it serves.
func (s *Server) Ready() <-chan struct{} { return s.ready }

// Hello sends the broker its filter and waits for its report, so long at most.
func (s *Server) Hello(filter []byte, within time.Duration) (Report, error) {
	e := newFrame(kindHello, len(filter)+headerSize)
	e.number(Version)
	e.bytes(filter)
	s.out.deliver(e.frame())
	if err := s.conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return Report{}, err
	}
	k, payload, err := readFrame(s.in, fromBroker)
	switch {
	case err != nil:
		return Report{}, err
	case k != kindReport:
		return Report{}, fmt.Errorf("%w: kind %q before the report", ErrOrder, rune(k))
	}
	d := &decoder{buf: payload}
	if v := d.number(); v != Version {
		return Report{}, fmt.Errorf("%w: %d, and this is %d", ErrVersion, v, Version)
	}
	r := Report{Failed: d.text(), Tried: d.texts()}
	return r, errors.Join(d.done(), s.conn.SetReadDeadline(time.Time{}))
}

// Configure sends the configuration, after which the broker may ask.
func (s *Server) Configure(config []byte) error {
	if len(config) > maxConfig {
		return errors.New("link: the broker's configuration is too large")
	}
	e := newFrame(kindConfig, len(config))
	e.buf = append(e.buf, config...)
	s.out.deliver(e.frame())
	return nil
}

// Drain asks the broker to let what runs finish and to exit.
func (s *Server) Drain() { s.out.post(newFrame(kindDrain, 0).frame()) }

// Close ends the connection; Serve returns.
func (s *Server) Close() { s.end(net.ErrClosed) }

func (s *Server) end(cause error) {
	s.cutOff.Do(s.logCutOff) // before they hear of it
	s.stop(cause)
	s.conn.Close()
}

// Serve answers until the connection ends. Then it kills what runs and waits for
// its end. An orderly end of the broker is no error; what it did against the
// protocol is.
func (s *Server) Serve() error {
	err := s.serve()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if cause := context.Cause(s.ctx); cause != nil { // it was ended from here, which made reading fail
		err = cause
	}
	s.end(err)
	s.runs.Wait()
	return err
}

func (s *Server) serve() error {
	ready := false
	for {
		k, payload, err := readFrame(s.in, fromBroker)
		if err != nil {
			return err
		}
		d := &decoder{buf: payload}
		switch k {
		case kindReport:
			return fmt.Errorf("%w: a second report", ErrOrder)
		case kindReady:
			if ready {
				return fmt.Errorf("%w: ready a second time", ErrOrder)
			}
			ready = true
			close(s.ready)
			continue
		case kindCancel:
			err = s.cancel(d)
		default:
			err = s.request(k, d)
		}
		if err != nil {
			return err
		}
	}
}

// cancel ends a run, if it still is one.
func (s *Server) cancel(d *decoder) error {
	id := d.long()
	if err := d.done(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == 0 || id > s.last {
		return fmt.Errorf("%w: cancel of %d", ErrID, id)
	}
	if r, ok := s.running[id]; ok {
		r.cancel()
	}
	return nil
}

func (s *Server) request(k kind, d *decoder) error {
	id := d.long()
	var watch bool
	var req policy.Request
	if k == kindExecute {
		watch = d.bit()
	}
	if k != kindDescribe {
		req = d.request()
	}
	if err := d.done(); err != nil {
		return fmt.Errorf("kind %q: %w", rune(k), err)
	}
	if id <= s.last {
		return fmt.Errorf("%w: %d after %d", ErrID, id, s.last)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.last = id
	busy := len(s.running) >= s.cfg.InFlight
	if !busy && (k == kindExecute || k == kindCheck) {
		s.running[id] = inProgress{cancel, k, req, time.Now()}
	}
	s.mu.Unlock()
	// What is answered here is also written here: a broker that asks and does not
	// read is not read either.
	switch {
	case k == kindDescribe:
		s.out.deliver(s.describe(id))
	case k == kindResolve:
		s.out.deliver(s.resolve(id, req))
	case busy:
		s.out.deliver(errorFrame(id, &policy.Error{Code: policy.CodeBusy, Message: "too many programs run at once"}))
	default:
		if watch {
			req.Watch = func(e policy.Event) { s.event(id, e) }
		}
		s.runs.Go(func() {
			answer := s.run(ctx, k, id, req)
			s.mu.Lock()
			delete(s.running, id)
			s.mu.Unlock()
			cancel()
			s.out.deliver(answer)
		})
		return nil
	}
	cancel()
	return nil
}
