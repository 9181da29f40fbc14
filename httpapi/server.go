package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Bounds on what a connection may cost before a slot is asked for.
const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 16 << 10
)

// Server answers the API. Make one with New and end it by ending Serve.
type Server struct {
	cfg  Config
	runs *gate // synchronous runs
	// intake bounds the bodies of asynchronous requests being read at once:
	// they hold no run's slot, but each is memory.
	intake  *gate
	routes  map[string]methods
	drain   sync.Once
	closing chan struct{}
}

// New checks the configuration.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, closing: make(chan struct{})}
	s.runs = newGate(cfg.Slots, cfg.Waiting, cfg.WaitLimit, s.closing)
	s.intake = newGate(cfg.Slots, cfg.Waiting, cfg.WaitLimit, s.closing)
	s.routes = s.table()
	return s, nil
}

// Serve answers on ln, a listener of Unix stream sockets, until ctx is done.
// Then it drains: new work is refused with 503, and running work may finish within
// DrainTimeout, after which it is killed. Jobs that wait, and those that were
// killed, stay in their queue. Serve closes ln and returns when no handler is left, or with an
// error that wraps context.DeadlineExceeded when it had to kill. It may be
// called once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	base, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       headerTimeout + s.cfg.WaitLimit + s.cfg.BodyTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnContext:       connContext,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          slog.NewLogLogger(s.cfg.Logger.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	bounded := &listener{Listener: ln, perUID: s.cfg.ConnectionsPerUID, all: s.cfg.Connections, open: map[uint32]int{}}
	go func() { served <- server.Serve(bounded) }()

	var failure error
	select {
	case failure = <-served: // the listener broke: end what runs all the same
	case <-ctx.Done():
	}
	drained := s.stop()
	kill()
	shutdown, cancel := context.WithTimeout(context.Background(), s.cfg.ReplyTimeout)
	defer cancel()
	if err := server.Shutdown(shutdown); err != nil {
		drained = errors.Join(drained, fmt.Errorf("shutdown: %w", err), server.Close())
	}
	return errors.Join(failure, drained)
}

// stop refuses new work and waits until none runs, or until DrainTimeout.
func (s *Server) stop() error {
	s.drain.Do(func() { close(s.closing) })
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.DrainTimeout)
	defer cancel()
	var wg sync.WaitGroup
	var jobsErr, runsErr error
	wg.Go(func() {
		if s.cfg.Jobs == nil {
			return
		}
		if err := s.cfg.Jobs.Close(ctx); err != nil {
			jobsErr = fmt.Errorf("drain jobs: %w", err)
		}
	})
	wg.Go(func() {
		if err := s.runs.idle(ctx); err != nil {
			runsErr = fmt.Errorf("drain runs: %w", err)
		}
	})
	wg.Wait()
	return errors.Join(jobsErr, runsErr)
}

func (s *Server) draining() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}
