package httpapi

import (
	"context"
	"fmt"
	"net"
	"syscall"
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

type peerKey struct{}

// connContext keeps with a connection who opened it. One that the kernel named
// nobody for carries no Peer, and its requests are refused.
func connContext(ctx context.Context, c net.Conn) context.Context {
	known, ok := c.(*conn)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, known.peer)
}

func peerFrom(ctx context.Context) (Peer, bool) {
	p, ok := ctx.Value(peerKey{}).(Peer)
	return p, ok
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
