package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"syscall"

	"safe-exec/policy"
)

// Peer is the process at the other end of a connection: for a server who
// connected, for a client who listens, as the kernel saw it then. The pid may
// have been reused since, and is 0 if the process is not in the caller's pid
// namespace.
type Peer struct {
	UID uint32
	GID uint32
	PID int32
}

type (
	peerKey struct{}
	tcpKey  struct{}
)

// connContext keeps with a connection who opened it. One that the kernel named
// nobody for carries no Peer: over TCP a token has to say who it is, else its
// requests are refused.
func connContext(ctx context.Context, c net.Conn) context.Context {
	if secured, ok := c.(interface{ NetConn() net.Conn }); ok { // crypto/tls
		c = secured.NetConn()
	}
	known, ok := c.(*conn)
	switch {
	case !ok:
		return ctx
	case known.tcp:
		return context.WithValue(ctx, tcpKey{}, known)
	}
	return context.WithValue(ctx, peerKey{}, known.peer)
}

func peerFrom(ctx context.Context) (Peer, bool) {
	p, ok := ctx.Value(peerKey{}).(Peer)
	return p, ok
}

// identify finds out who asks and what he may have, and counts his request. It
// fails with CodeForbidden for those who may not call, with 401 for those who
// bring no good token, and with CodeBusy for those who ask too often.
func (s *Server) identify(x *exchange) (err error) {
	x.log = s.unknown
	closeChunked(x.w, x.r)
	peer, local := peerFrom(x.r.Context())
	over, tcp := x.r.Context().Value(tcpKey{}).(*conn)
	switch {
	case local:
		x.caller = policy.Caller{Local: true, UID: peer.UID, GID: peer.GID}
		x.attrs = append(x.attrs, slog.Uint64("uid", uint64(peer.UID)), slog.Uint64("gid", uint64(peer.GID)), slog.Int("pid", int(peer.PID)))
	case tcp && len(s.cfg.Tokens) > 0:
		if x.caller, err = s.authenticate(x, over); err != nil {
			return err
		}
		x.attrs = append(x.attrs, slog.String("token", x.caller.Token))
	default:
		return &policy.Error{Code: policy.CodeForbidden, Message: "the kernel does not say who is calling; use the Unix socket"}
	}
	if x.allowance, err = s.allowanceOf(x.caller); err != nil {
		return err
	}
	x.log = s.hasty
	if err := s.accounts.request(x.caller, x.allowance); err != nil {
		return err
	}
	x.log = s.cfg.Logger.Handler()
	return nil
}

// enter takes a place in a gate for a caller who has processor time left, and room
// for his body before it: who waits for that keeps no place from anybody.
func (s *Server) enter(x *exchange, g *gate) (leave func(), err error) {
	if err := s.accounts.mayRun(x.caller, x.allowance); err != nil {
		return nil, err
	}
	if err := s.reserve(x); err != nil {
		return nil, err
	}
	return g.enter(x.r.Context(), x.caller.String(), x.allowance)
}

// asks writes into a request who asks and what he may ask for.
func (x *exchange) asks(req *policy.Request) {
	req.Caller, req.Privileged = x.caller, x.caller.Root()
	req.Ceiling, req.CeilingLimits = x.allowance.Level, x.allowance.Limits
}

// PeerOf asks the kernel who is at the other end of a Unix socket (SO_PEERCRED).
// Any other connection is an error.
func PeerOf(c net.Conn) (Peer, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return Peer{}, fmt.Errorf("peer credentials: %T is no Unix socket", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return Peer{}, fmt.Errorf("peer credentials: %w", err)
	}
	var cred *syscall.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err != nil {
		return Peer{}, fmt.Errorf("peer credentials: %w", err)
	}
	if credErr != nil {
		return Peer{}, fmt.Errorf("getsockopt SO_PEERCRED: %w", credErr)
	}
	return Peer{UID: cred.Uid, GID: cred.Gid, PID: cred.Pid}, nil
}
