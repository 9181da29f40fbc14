package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"safe-exec/httpapi/client"
)

// tokenVariable holds the bearer token: a command line can be read by every
// process of the host.
const tokenVariable = "SAFE_EXEC_TOKEN"

// socketVariable names the daemon's socket, here and in the Python client.
const socketVariable = "SAFE_EXEC_SOCKET"

// remote says where the daemon is.
type remote struct {
	socket, url string
	flags       *flags
}

func (f *flags) remote() *remote {
	r := &remote{flags: f}
	f.StringVar(&r.socket, "socket", cmp.Or(os.Getenv(socketVariable), defaultSocket), "the daemon's socket `PATH` (default $"+socketVariable+", else "+defaultSocket+")")
	f.StringVar(&r.url, "url", "", "a daemon on TCP in its place: `URL`, such as http://127.0.0.1:8080; its token is $"+tokenVariable)
	return r
}

// named says whether the caller named one daemon, which no other can replace.
func (r *remote) named() bool {
	return r.url != "" || r.flags.Changed("socket") || os.Getenv(socketVariable) != ""
}

// replaced says whether the command may go on without the daemon that err keeps it
// from: where nobody listens, and no daemon was named or a configuration, too. One
// that is there and refuses, or does not answer, has rules that are not ours to guess.
func (r *remote) replaced(err error) bool {
	return r.url == "" && (!r.named() || r.flags.Changed("config")) &&
		(errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED))
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
			return nil, err
		}
		return nil, unreachable(r.socket, err)
	}
	return c, nil
}

// unreachable says which of the usual reasons it is, and what helps.
func unreachable(socket string, err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err // it says where
	}
	why := "start one with `safe-exec serve`"
	switch info, err := os.Stat(socket); {
	case errno == syscall.EACCES:
		why = admission(socket)
	case err == nil && info.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("no daemon answers on %s: it is not a socket", socket)
	}
	return fmt.Errorf("no daemon answers on %s: %w: %s", socket, errno, why)
}

// admission says how to be let in.
func admission(socket string) string {
	info, err := os.Stat(socket)
	if err != nil {
		return "a directory on the way to it keeps this user out"
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if ok && owner.Gid != 0 {
		name := fmt.Sprintf("with the gid %d", owner.Gid)
		if g, err := user.LookupGroupId(strconv.Itoa(int(owner.Gid))); err == nil {
			name = g.Name
		}
		return "join the group " + name + ", which owns the socket"
	}
	return "it is root's alone, since there was no group for callers when the daemon started: " +
		"make one (groupadd --system safe-exec), join it, and start the daemon again"
}
