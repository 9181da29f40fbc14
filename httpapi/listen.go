package httpapi

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Bounds on what a connection may cost before a slot is asked for.
const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = time.Minute
	maxHeaderBytes = 16 << 10 // of the request line and the headers, with their ends
	// headerSlop is what net/http reads beyond its MaxHeaderBytes.
	headerSlop = 4 << 10
)

// httpServer is net/http's with every bound set. There is no WriteTimeout: each
// reply sets a deadline of its own, since a run may take longer than any reply.
func (s *Server) httpServer(base context.Context) *http.Server {
	quiet := &silent{open: map[net.Conn]struct{}{}}
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout, // TLS handshakes, too
		ReadTimeout:       headerTimeout + 2*s.cfg.WaitLimit + s.cfg.BodyTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes - headerSlop,
		// It would answer OPTIONS * to whoever asks.
		DisableGeneralOptionsHandler: true,

		ConnState:   quiet.state,
		ConnContext: connContext,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(s.unknown, slog.LevelWarn), // what is wrong with a TLS handshake is told there
	}
	server.RegisterOnShutdown(quiet.close)
	return server
}

// bounded puts the bounds on connections around a listener and, where it is one
// of TCP and the configuration has TLS, that around them: who takes too long over
// a handshake is counted.
func (s *Server) bounded(ln net.Listener) net.Listener {
	bounded := newListener(ln, s.open, s.cfg.patience)
	if _, tcp := ln.Addr().(*net.TCPAddr); tcp && s.cfg.TLS != nil {
		return tls.NewListener(bounded, s.cfg.TLS)
	}
	return bounded
}

// TLSConfig serves a certificate, in PEM with what it takes to verify it, and its
// key. TLS 1.3 only: whoever calls is a program of this decade.
func TLSConfig(certificate, key []byte) (*tls.Config, error) {
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("tls certificate and key: %w", err)
	}
	// HTTP/2 would put many requests on a connection, and the bounds count those.
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13, NextProtos: []string{"http/1.1"}}, nil
}

// closeChunked ends the connection after a request whose body had no announced
// length. Where a Content-Length came along with the chunks, which net/http does
// not tell, a proxy in front may have read another length out of it, and what
// follows would be a request of somebody else (RFC 9112, section 6.1).
func closeChunked(w http.ResponseWriter, r *http.Request) {
	if len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close")
	}
}
