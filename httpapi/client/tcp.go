package client

import (
	"crypto/tls"
	"net"
	"net/netip"
	"net/url"

	"safe-exec/policy"
)

// NewTCP makes a client of a daemon that listens on TCP: base is such as
// http://127.0.0.1:8080, token the bearer token (RFC 6750), empty for none. conf
// is for https, nil for the host's authorities. Only to a loopback address do
// programs and token travel without TLS; anything else is CodeInvalid.
func NewTCP(base, token string, conf *tls.Config) (*Client, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return nil, policy.Invalid("url", "must be such as http://127.0.0.1:8080, without a path and without a password")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, policy.Invalid("url", "must begin with http:// or https://")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, policy.InvalidAt("url", "%s is not this machine: programs and token would travel in the clear; use https", u.Hostname())
	}
	for _, c := range []byte(token) {
		if c <= ' ' || c > '~' {
			return nil, policy.Invalid("token", "must be printable ASCII without spaces")
		}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	where := u.Scheme + "://" + u.Host
	return newClient(where, where, token, "tcp", net.JoinHostPort(u.Hostname(), port), conf), nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
