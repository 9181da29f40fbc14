package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"safe-exec/httpapi"
)

// tcpConfig is an address for holders of tokens. Without listen there is none.
type tcpConfig struct {
	Listen     string    `yaml:"listen"` // address:port
	TokensFile string    `yaml:"tokens_file"`
	Hosts      []string  `yaml:"hosts"` // that a Host header may name, beside loopback ones
	TLS        tlsConfig `yaml:"tls"`
}

// tlsConfig holds paths of PEM files.
type tlsConfig struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

const defaultTokensFile = "/etc/safe-exec/tokens"

// check refuses an address that others than this host reach without TLS: tokens
// and programs would travel in the clear.
func (t tcpConfig) check() error {
	if (t.TLS.Cert == "") != (t.TLS.Key == "") {
		return keyError("tcp.tls", "must have cert and key, or neither")
	}
	if t.Listen == "" {
		return nil
	}
	address, err := netip.ParseAddrPort(t.Listen)
	if err != nil {
		return keyError("tcp.listen", "is %.60q, it must be an address and a port, such as 127.0.0.1:8080 or [::1]:8080", t.Listen)
	}
	if !address.Addr().Unmap().IsLoopback() && t.TLS.Cert == "" {
		return keyError("tcp.listen", "is %s, which other hosts may reach: that needs tcp.tls", t.Listen)
	}
	if t.TokensFile == "" {
		return keyError("tcp.tokens_file", "is empty")
	}
	return nil
}

// tcpEndpoint is what the privileged side makes of it: files as bytes, and a
// listener. What it is given serves it with httpapi.Config's Tokens, Hosts and TLS.
type tcpEndpoint struct {
	Listener net.Listener // nil if there is no address
	Tokens   httpapi.Tokens
	CertPEM  []byte // none without TLS
	KeyPEM   []byte
}

// open reads the files and listens; without an address it gives an endpoint that
// is none.
func (t tcpConfig) open(callers []caller) (*tcpEndpoint, error) {
	e, err := t.read(callers)
	if err != nil {
		return nil, &mistakeError{err}
	}
	if t.Listen == "" {
		return e, nil
	}
	e.Listener, err = net.Listen("tcp", t.Listen)
	if errors.Is(err, unix.EADDRINUSE) {
		return nil, &busyError{fmt.Errorf("tcp.listen: %w", err)}
	}
	if err != nil {
		return nil, fmt.Errorf("tcp.listen: %w", err)
	}
	return e, nil
}

// read reads the files. Every token that callers names must be there.
func (t tcpConfig) read(callers []caller) (*tcpEndpoint, error) {
	if t.Listen == "" {
		return &tcpEndpoint{}, nil
	}
	text, err := readPrivate(t.TokensFile)
	if err != nil {
		return nil, fmt.Errorf("tcp.tokens_file: %w", err)
	}
	e := &tcpEndpoint{}
	if e.Tokens, err = httpapi.ParseTokens(text); err != nil {
		return nil, fmt.Errorf("tcp.tokens_file %s: %w", t.TokensFile, err)
	}
	if len(e.Tokens) == 0 {
		return nil, fmt.Errorf("tcp.tokens_file %s holds no token, so nobody could call", t.TokensFile)
	}
	if err := named(callers, e.Tokens); err != nil {
		return nil, err
	}
	if t.TLS.Cert != "" {
		if e.KeyPEM, err = readPrivate(t.TLS.Key); err != nil {
			return nil, fmt.Errorf("tcp.tls.key: %w", err)
		}
		if e.CertPEM, err = readOwned(t.TLS.Cert, 0o022); err != nil {
			return nil, fmt.Errorf("tcp.tls.cert: %w", err)
		}
		if _, err := e.tls(); err != nil {
			return nil, fmt.Errorf("tcp.tls: %w", err)
		}
	}
	return e, nil
}

// tls is nil where none is configured.
func (e *tcpEndpoint) tls() (*tls.Config, error) {
	if len(e.CertPEM) == 0 {
		return nil, nil
	}
	return httpapi.TLSConfig(e.CertPEM, e.KeyPEM)
}

// beside gives all listeners of a daemon.
func (e *tcpEndpoint) beside(l net.Listener) []net.Listener {
	if e.Listener == nil {
		return []net.Listener{l}
	}
	return []net.Listener{l, e.Listener}
}

// attrs name the address in the log, with the port that the kernel chose where none was asked for.
func (e *tcpEndpoint) attrs() []any {
	if e.Listener == nil {
		return nil
	}
	return []any{"tcp", e.Listener.Addr().String(), "tls", len(e.CertPEM) > 0}
}

func (e *tcpEndpoint) close() {
	if e.Listener != nil {
		e.Listener.Close()
	}
}

// named refuses an entry of callers for a token that the file does not have: a
// slip there would give its holder what the others have.
func named(callers []caller, all httpapi.Tokens) error {
	known := map[string]bool{}
	for _, one := range all {
		known[one.Name] = true
	}
	for i, one := range callers {
		if one.Token != "" && !known[one.Token] {
			return keyError(fmt.Sprintf("callers[%d].token", i), "is %q, which tcp.tokens_file does not have", one.Token)
		}
	}
	return nil
}

// maxPrivateFile bounds a file of tokens, or of a key, in bytes.
const maxPrivateFile = 1 << 20

// readPrivate reads a file that root alone can read and write. It is looked at
// through the descriptor that is read, which follows no link at the path's end.
func readPrivate(path string) ([]byte, error) { return readOwned(path, 0o177) }

// readOwned refuses a file that is not root's or has any of these permissions.
func readOwned(path string, not uint32) ([]byte, error) {
	// Without O_NONBLOCK a fifo would hold the daemon up.
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link", path)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, &os.PathError{Op: "fstat", Path: path, Err: err}
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return nil, fmt.Errorf("%s is not a regular file", path)
	case st.Uid != 0:
		return nil, fmt.Errorf("%s belongs to uid %d, it must be root's", path, st.Uid)
	case st.Mode&not != 0:
		return nil, fmt.Errorf("%s has mode %04o, it must have none of %04o", path, st.Mode&0o7777, not)
	}
	return readAtMost(f, maxPrivateFile)
}
