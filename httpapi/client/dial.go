package client

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

const (
	dialTimeout = 2 * time.Second
	fullPause   = 10 * time.Millisecond // between looks at a backlog that is full
)

// dialing connects within dialTimeout. Where so many wait to be accepted that no more
// may, connect says EAGAIN on a Unix socket, and no event tells when there is room
// (unix(7)): that is a daemon in demand and no daemon that is gone.
func dialing(network, address string) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		for {
			c, err := new(net.Dialer).DialContext(ctx, network, address)
			if !errors.Is(err, syscall.EAGAIN) || sleep(ctx, fullPause) != nil {
				return c, err
			}
		}
	}
}
