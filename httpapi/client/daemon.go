package client

import (
	"context"
	"net/http"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

// Posture asks what isolates a run of this daemon. Errors are as of Execute.
func (c *Client) Posture(ctx context.Context) (*httpapi.Posture, error) {
	var p httpapi.Posture
	if err := c.call(ctx, http.MethodGet, "/v1/posture", nil, &p); err != nil {
		return nil, err
	}
	return &p, nil
}

// Runtimes asks which profiles the daemon serves, and for its version. Errors
// are as of Execute.
func (c *Client) Runtimes(ctx context.Context) (version string, list []httpapi.Runtime, err error) {
	var reply struct {
		Version  string            `json:"version"`
		Runtimes []httpapi.Runtime `json:"runtimes"`
	}
	err = c.call(ctx, http.MethodGet, "/v1/runtimes", nil, &reply)
	return reply.Version, reply.Runtimes, err
}

// Daemon connects and asks the kernel who listens. It fails with
// CodeUnavailable, as Ping does, and with CodeInternal where the kernel does not
// know, as on TCP.
func (c *Client) Daemon(ctx context.Context) (httpapi.Peer, error) {
	conn, err := c.dial(ctx)
	if err != nil {
		return httpapi.Peer{}, c.unreachable(err)
	}
	defer conn.Close()
	peer, err := httpapi.PeerOf(conn)
	if err != nil {
		return peer, &policy.Error{Code: policy.CodeInternal, Err: err}
	}
	return peer, nil
}
