package httpapi

import (
	"context"
	"fmt"
	"net"
	"syscall"
)

// Peer is the process at the other end of the connection, as the kernel saw it
// when it connected. The pid may have been reused since and is for the log
// only.
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

// peerOf asks the kernel who connected (SO_PEERCRED).
func peerOf(c net.Conn) (Peer, error) {
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
