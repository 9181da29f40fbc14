package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// Server answers the API. Make one with New and end it by ending Serve.
type Server struct {
	cfg  Config
	runs *gate // synchronous runs
	// intake bounds the bodies of asynchronous requests being read at once:
	// they hold no run's slot, but each is memory.
	intake   *gate
	replies  *budget
	bodies   *budget
	accounts *Accounts
	open     *connections
	routes   map[string]methods
	// unknown and hasty take the log's lines about those who may not call, and about
	// callers who call too often.
	unknown, hasty sparing
	drain          sync.Once
	closing        chan struct{}
}

// New checks the configuration.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, closing: make(chan struct{}), accounts: cfg.Accounts, open: newConnections(cfg.ConnectionsPerUID, cfg.Connections)}
	s.runs = newGate(cfg.Slots, cfg.Waiting, cfg.WaitLimit, s.closing)
	s.intake = newGate(cfg.Slots, cfg.Waiting, cfg.WaitLimit, s.closing)
	s.replies = newBudget(cfg.ReplyBytes, cfg.WaitLimit, BusyReplies, "too many large replies are being taken; take those that were begun, and come again")
	s.bodies = newBudget(cfg.BodyBytes, cfg.WaitLimit, BusyBodies, "too many large requests are being sent; come again when those that were begun are there")
	s.routes = s.table()
	s.unknown = newSparing(cfg.Logger.Handler(), "who may not call")
	s.hasty = newSparing(cfg.Logger.Handler(), "who calls too often")
	return s, nil
}

// Serve answers on ln, listeners of Unix stream sockets and of TCP, until ctx is done.
// Then it drains: new work is refused with 503, and running work may finish within
// DrainTimeout, after which it is killed. Jobs that wait, and those that were
// killed, stay in their queue. Serve closes them and returns when no handler is left, or with an
// error that wraps context.DeadlineExceeded when it had to kill. It may be
// called once.
func (s *Server) Serve(ctx context.Context, ln ...net.Listener) error {
	base, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	server := s.httpServer(base)
	served := make(chan error, len(ln))
	for _, one := range ln {
		go func() { served <- server.Serve(s.bounded(one)) }()
	}

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
	s.unknown.tell()
	s.hasty.tell()
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
