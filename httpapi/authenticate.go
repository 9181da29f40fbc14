package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"safe-exec/policy"
)

// authenticate finds whose token a request over TCP brought. A page in a browser
// of this host can send requests to loopback too; it cannot keep its Origin back
// from a POST, nor say a Host that is not its own (DNS rebinding).
//
// Whoever brings none has had his one request: his place is for the next stranger.
func (s *Server) authenticate(x *exchange, c *conn) (caller policy.Caller, err error) {
	defer func() {
		if err != nil {
			x.w.Header().Set("Connection", "close")
		}
	}()
	if !s.knownHost(x.r.Host) {
		return policy.Caller{}, &policy.Error{Code: policy.CodeForbidden, Field: "Host", Message: "the Host header names no host that this daemon is"}
	}
	if len(x.r.Header.Values("Origin")) > 0 {
		return policy.Caller{}, &policy.Error{Code: policy.CodeForbidden, Field: "Origin", Message: "requests of web pages are refused"}
	}
	if name, ok := s.bearer(x.r.Header); ok {
		if !s.open.claim(c, name) {
			x.log = s.hasty
			return policy.Caller{}, busy(BusyConnections, minRetry, "this token holds too many connections")
		}
		return policy.Caller{Token: name}, nil
	}
	x.w.Header().Set("WWW-Authenticate", `Bearer realm="safe-exec"`)
	return policy.Caller{}, &refusal{
		status: http.StatusUnauthorized,
		cause:  &policy.Error{Code: policy.CodeForbidden, Message: "a bearer token that this daemon knows is needed"},
	}
}

// bearer reads the one Authorization header (RFC 6750).
func (s *Server) bearer(h http.Header) (name string, ok bool) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, secret, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return s.cfg.Tokens.find(strings.TrimLeft(secret, " "))
}

// knownHost takes localhost, loopback addresses and the names that the operator
// gave, with any port.
func (s *Server) knownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || slices.ContainsFunc(s.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}
