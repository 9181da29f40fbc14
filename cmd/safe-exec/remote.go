package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"safe-exec/httpapi/client"
)

// tokenVariable holds the bearer token: a command line can be read by every
// process of the host.
const tokenVariable = "SAFE_EXEC_TOKEN"

// remote says where the daemon is.
type remote struct{ socket, url string }

func (f *flags) remote() *remote {
	r := &remote{}
	f.StringVar(&r.socket, "socket", defaultSocket, "the daemon's socket `PATH` (default "+defaultSocket+")")
	f.StringVar(&r.url, "url", "", "a daemon on TCP in its place: `URL`, such as http://127.0.0.1:8080; its token is $"+tokenVariable)
	return r
}

func (r *remote) client() (*client.Client, error) {
	if r.url == "" {
		return client.New(r.socket), nil
	}
	return client.NewTCP(r.url, os.Getenv(tokenVariable), nil)
}

// connect gives a client of a daemon that answers.
func (r *remote) connect(ctx context.Context) (*client.Client, error) {
	c, err := r.client()
	if err != nil {
		return nil, err
	}
	if err := c.Ping(ctx); err != nil {
		c.Close()
		if r.url != "" {
			return nil, fmt.Errorf("no daemon answers on %s: %w", r.url, err)
		}
		return nil, unreachable(r.socket, err)
	}
	return c, nil
}

// unreachable says which of the usual reasons it is.
func unreachable(socket string, err error) error {
	why := "start one with `safe-exec serve`, or run this as root without --socket"
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return fmt.Errorf("no daemon answers on %s: %w", socket, err)
	}
	if errno == syscall.EACCES {
		why = "join the group that owns the socket, or run this as root"
	}
	return fmt.Errorf("no daemon answers on %s: %w: %s", socket, errno, why)
}
