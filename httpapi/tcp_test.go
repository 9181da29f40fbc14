package httpapi

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// overTCP serves on loopback and gives the address.
func overTCP(t *testing.T, cfg Config) string {
	t.Helper()
	address, _ := servedOverTCP(t, cfg)
	return address
}

func servedOverTCP(t *testing.T, cfg Config) (string, *Server) {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = discard
	}
	cfg.Jobs = store(t, cfg, 64)
	s, err := New(cfg)
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, await(t, "Serve", served))
		_, err := net.Dial("tcp", ln.Addr().String())
		assert.ErrorIs(t, err, syscall.ECONNREFUSED, "nothing may keep the address")
	})
	return ln.Addr().String(), s
}

// say sends what it is given, byte by byte, and reads one reply.
func say(t *testing.T, c net.Conn, in *bufio.Reader, text string) reply {
	t.Helper()
	require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
	r := hear(t, in)
	if asked, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text))); err == nil && r.Header.Get("X-Request-Id") != "" {
		isDescribed(t, asked.Method, asked.URL.Path, r, true)
	}
	return r
}

func hear(t *testing.T, in *bufio.Reader) reply {
	t.Helper()
	r, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return reply{r, string(body)}
}

func TestWhoIsServedOverTCP(t *testing.T) {
	secret, token := NewToken("ci")
	other, _ := NewToken("other")
	address := overTCP(t, Config{Executor: executorFunc(echo), Tokens: Tokens{token}, Hosts: []string{"Box.example"}})
	good := "Authorization: Bearer " + secret + "\r\n"
	for _, row := range []struct {
		name, host, headers string
		status              int
	}{
		{"who brings a token", "localhost:8080", good, 200},
		{"the scheme in other letters", "localhost", "Authorization: bearer " + secret + "\r\n", 200},
		{"by a loopback address", "127.8.9.1:80", good, 200},
		{"by the other loopback address", "[::1]:80", good, 200},
		{"by a name that the operator gave", "box.example:1", good, 200},
		{"nobody without a token", "localhost", "", 401},
		{"nobody with an empty one", "localhost", "Authorization: Bearer \r\n", 401},
		{"nobody with another", "localhost", "Authorization: Bearer " + other + "\r\n", 401},
		{"nobody with the hash", "localhost", "Authorization: Bearer " + token.Line() + "\r\n", 401},
		{"nobody by another scheme", "localhost", "Authorization: Basic " + secret + "\r\n", 401},
		{"nobody who brings two", "localhost", good + good, 401},
		{"nobody who brings a good and a bad one", "localhost", good + "Authorization: Bearer x\r\n", 401},
		{"no page of a browser", "localhost", good + "Origin: http://localhost\r\n", 403},
		{"no page whose origin is hidden", "localhost", good + "Origin: null\r\n", 403},
		{"nobody by a name that was bent to here", "evil.example", good, 403},
		{"nobody by a name that begins well", "localhost.evil.example", good, 403},
		{"nobody by a number that is no loopback", "192.0.2.1", good, 403},
		{"nobody by no name", "", good, 403},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := net.Dial("tcp", address)
			require.NoError(t, err)
			defer c.Close()
			r := say(t, c, bufio.NewReader(c), "GET /healthz HTTP/1.1\r\nHost: "+row.host+"\r\n"+row.headers+"\r\n")
			assert.Equal(t, row.status, r.StatusCode, r.body)
			assert.Equal(t, row.status == 401, r.Header.Get("WWW-Authenticate") != "")
			if row.status != 200 {
				p := r.problem(t)
				assert.Equal(t, policy.CodeForbidden, p.Code)
				assert.NotContains(t, r.body, secret)
			}
		})
	}
}

func TestRepliesToBadTokensAreAllAlike(t *testing.T) {
	_, token := NewToken("ci")
	address := overTCP(t, Config{Executor: executorFunc(echo), Tokens: Tokens{token}})
	seen := map[string]bool{}
	for _, request := range []string{"GET /healthz", "GET /nosuch", "POST " + runPath, "PUT /healthz", "GET /v1/jobs/job_1", "OPTIONS *", "OPTIONS /healthz", "HEALTH /healthz", "CONNECT localhost:1"} {
		for _, header := range []string{"", "Authorization: Bearer x\r\n", "Authorization: Bearer " + strings.Repeat("y", 5000) + "\r\n"} {
			c, err := net.Dial("tcp", address)
			require.NoError(t, err)
			r := say(t, c, bufio.NewReader(c), request+" HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: 1\r\n"+header+"\r\n")
			seen[fmt.Sprint(r.StatusCode, r.Header.Get("WWW-Authenticate"), r.body)] = true
			c.Close()
		}
	}
	assert.Len(t, seen, 1)
}

func TestAStrangerHasOneRequest(t *testing.T) {
	secret, token := NewToken("ci")
	address := overTCP(t, Config{Executor: executorFunc(echo), Tokens: Tokens{token}})
	for _, row := range []struct{ name, host, header string }{
		{"without a token", "localhost", ""},
		{"with a bad one", "localhost", "Authorization: Bearer x\r\n"},
		{"by a name that was bent to here", "evil.example", "Authorization: Bearer " + secret + "\r\n"},
		{"a page of a browser", "localhost", "Authorization: Bearer " + secret + "\r\nOrigin: null\r\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := net.Dial("tcp", address)
			require.NoError(t, err)
			defer c.Close()
			in := bufio.NewReader(c)
			assert.True(t, say(t, c, in, "GET /healthz HTTP/1.1\r\nHost: "+row.host+"\r\n"+row.header+"\r\n").Close)
			_, err = in.ReadByte()
			assert.ErrorIs(t, err, io.EOF)
		})
	}
}

func TestTokensHaveAllowancesAndJobsOfTheirOwn(t *testing.T) {
	one, a := NewToken("a")
	two, b := NewToken("b")
	callers := make(chan policy.Request, 8)
	address := overTCP(t, Config{
		Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
			callers <- r
			return echo(ctx, r)
		}),
		Tokens: Tokens{a, b},
		Callers: func(c policy.Caller) (Allowance, error) {
			if c.Token == "b" {
				return Allowance{RatePerMinute: 1, Burst: 3}, nil
			}
			return Allowance{Level: "tiny"}, nil
		},
	})
	send := func(secret, method, path, body string) reply {
		r, err := http.NewRequest(method, "http://"+address+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Content-Type", jsonType)
		got, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer got.Body.Close()
		text, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		return reply{got, string(text)}
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	require.Equal(t, 200, send(one, "POST", runPath, hello).StatusCode)
	got := <-callers
	assert.Equal(t, policy.Caller{Token: "a"}, got.Caller)
	assert.Equal(t, "tiny", got.Ceiling)
	assert.False(t, got.Privileged, "a token is never root")
	assert.Equal(t, 403, send(one, "POST", runPath, with(`"profile":"p"`)).StatusCode)

	var job Submitted
	decode(t, send(one, "POST", asyncPath, hello), &job)
	assert.Equal(t, 200, send(one, "GET", jobPrefix+job.JobID, "").StatusCode)
	assert.Equal(t, 404, send(two, "GET", jobPrefix+job.JobID, "").StatusCode, "another token's")
	assert.Equal(t, 404, send(two, "DELETE", jobPrefix+job.JobID, "").StatusCode)
	assert.Equal(t, 200, send(two, "GET", "/healthz", "").StatusCode)
	assert.Equal(t, 429, send(two, "GET", "/healthz", "").StatusCode)
}

// TestAHolderOfATokenIsNoUidInTheLog: a search for what root did must not find him.
func TestAHolderOfATokenIsNoUidInTheLog(t *testing.T) {
	secret, token := NewToken("ci")
	var log logBuffer
	address := overTCP(t, Config{Executor: executorFunc(echo), Tokens: Tokens{token}, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer c.Close()
	assert.Equal(t, 200, say(t, c, bufio.NewReader(c), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+secret+"\r\n\r\n").StatusCode)
	require.Eventually(t, func() bool { return strings.Contains(log.String(), `"token":"ci"`) }, 10*time.Second, time.Millisecond)
	for _, name := range []string{`"uid"`, `"gid"`, `"pid"`} {
		assert.NotContains(t, log.String(), name)
	}
}

// newCertificate is one for localhost, its key, and who trusts it.
func newCertificate(t *testing.T) (certificate, key []byte, roots *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	roots = x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(certificate))
	return certificate, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), roots
}

func TestTLSOverTCP(t *testing.T) {
	cert, key, roots := newCertificate(t)
	secured, err := TLSConfig(cert, key)
	require.NoError(t, err)
	_, err = TLSConfig(cert, cert)
	require.Error(t, err, "a certificate is no key")

	secret, token := NewToken("ci")
	address := overTCP(t, Config{Executor: executorFunc(echo), Tokens: Tokens{token}, TLS: secured})
	request := "GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + secret + "\r\n\r\n"
	c, err := tls.Dial("tcp", address, &tls.Config{RootCAs: roots, ServerName: "localhost", NextProtos: []string{"h2", "http/1.1"}})
	require.NoError(t, err)
	defer c.Close()
	assert.Equal(t, "http/1.1", c.ConnectionState().NegotiatedProtocol)
	assert.Equal(t, 200, say(t, c, bufio.NewReader(c), request).StatusCode)

	_, err = tls.Dial("tcp", address, &tls.Config{RootCAs: roots, ServerName: "localhost", MaxVersion: tls.VersionTLS12})
	assert.Error(t, err, "an old version is refused")
	plain, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer plain.Close()
	assert.Equal(t, 400, say(t, plain, bufio.NewReader(plain), request).StatusCode, "in the clear nothing is served")
}

func TestATokenCannotTakeAllConnectionsOverTCP(t *testing.T) {
	one, a := NewToken("a")
	two, b := NewToken("b")
	address := overTCP(t, Config{Executor: executorFunc(echo), Tokens: Tokens{a, b}, ConnectionsPerUID: 2})
	ask := func(secret string) (net.Conn, reply) {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		return c, say(t, c, bufio.NewReader(c), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+secret+"\r\n\r\n")
	}
	first, r := ask(one)
	require.Equal(t, 200, r.StatusCode)
	_, r = ask(one)
	require.Equal(t, 200, r.StatusCode)
	for range 5 { // each is closed and leaves no count behind
		_, r = ask(one)
		require.Equal(t, 429, r.StatusCode)
		assert.True(t, r.Close)
		assert.Equal(t, "connections", r.problem(t).Reason)
	}
	_, r = ask(two)
	assert.Equal(t, 200, r.StatusCode, "another token has its own")
	assert.Equal(t, 200, say(t, first, bufio.NewReader(first), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+one+"\r\n\r\n").StatusCode, "who is in stays in")
	first.Close()
	require.Eventually(t, func() bool { _, r := ask(one); return r.StatusCode == 200 }, 10*time.Second, time.Millisecond, "the place comes back")
}
