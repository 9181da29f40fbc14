package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestLinesThatALogLeavesOut(t *testing.T) {
	type step struct {
		after                 time.Duration
		lines, written, leftN int // leftN is what the log has told of since the step before
	}
	for _, row := range []struct {
		name  string
		steps []step
	}{
		{"a few are all written", []step{{0, 20, 20, 0}, {time.Hour, 20, 20, 0}}},
		{"of many the first", []step{{0, 1000, 20, 0}}},
		{"and one each second", []step{{0, 1000, 20, 0}, {time.Second, 10, 1, 0}, {3 * time.Second, 10, 3, 0}}},
		{"the number of the others is told though nothing follows", []step{{0, 1000, 20, 0}, {time.Minute, 0, 0, 980}}},
		{"once", []step{{0, 1000, 20, 0}, {time.Minute, 20, 20, 980}, {time.Minute, 20, 20, 0}}},
		{"and for each of two floods", []step{{0, 1000, 20, 0}, {time.Minute, 50, 20, 980}, {time.Minute, 0, 0, 30}}},
		{"with those of all the time until then", []step{{0, 30, 20, 0}, {9500 * time.Millisecond, 30, 9, 0}, {time.Second, 0, 0, 31}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out logBuffer
				h := newSparing(slog.NewJSONHandler(&out, nil), "them")
				log := slog.New(h).With("a", 1).WithGroup("g")
				seen := 0
				for i, s := range row.steps {
					time.Sleep(s.after) // by the test's own clock
					synctest.Wait()
					for range s.lines {
						log.Info("x", "b", 2)
					}
					written, left := 0, 0
					for _, line := range strings.Split(out.String()[seen:], "\n") {
						written += strings.Count(line, `"msg":"x","a":1,"g":{"b":2}`)
						if _, n, told := strings.Cut(line, `"msg":"lines were left out of the log","about":"them","lines":`); told {
							_, err := fmt.Sscan(strings.TrimSuffix(n, "}"), &left)
							require.NoError(t, err)
						}
					}
					seen = len(out.String())
					assert.Equal(t, []int{s.written, s.leftN}, []int{written, left}, "step %d", i)
				}
				time.Sleep(time.Minute) // what is left is told before the test ends
			})
		})
	}
}

// Whoever may not call, or calls too often, makes few lines; each is written or counted.
func TestStrangersDoNotFillTheLog(t *testing.T) {
	const tries = 200
	_, token := NewToken("ci")
	cert, key, _ := newCertificate(t)
	secured, err := TLSConfig(cert, key)
	require.NoError(t, err)
	forbidden := func(policy.Caller) (Allowance, error) {
		return Allowance{}, &policy.Error{Code: policy.CodeForbidden, Message: "no"}
	}
	hasty := func(policy.Caller) (Allowance, error) {
		return Allowance{RatePerMinute: 0.001, Burst: 1}, nil
	}
	for _, row := range []struct {
		name string
		cfg  Config
		unix bool
		say  string
		line string // that each makes
	}{
		{"without a token", Config{Tokens: Tokens{token}}, false, "Host: localhost", `"status":401`},
		{"with a wrong one", Config{Tokens: Tokens{token}}, false, "Host: localhost\r\nAuthorization: Bearer x", `"status":401`},
		{"where there are none", Config{}, false, "Host: localhost", `"status":403`},
		{"who asks for another host", Config{Tokens: Tokens{token}}, false, "Host: elsewhere", `"status":403`},
		{"a web page", Config{Tokens: Tokens{token}}, false, "Host: localhost\r\nOrigin: http://a", `"status":403`},
		{"who does not speak TLS", Config{Tokens: Tokens{token}, TLS: secured}, false, "Host: localhost", "TLS handshake error"},
		{"a uid that may not call", Config{Callers: forbidden}, true, "Host: localhost", `"status":403`},
		{"a caller who calls too often", Config{Callers: hasty}, true, "Host: localhost", `"status":429`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log logBuffer
			row.cfg.Executor, row.cfg.Logger = executorFunc(echo), slog.New(slog.NewJSONHandler(&log, nil))
			row.cfg.Jobs = store(t, row.cfg, 64)
			s, err := New(row.cfg)
			require.NoError(t, err)
			network, address := "tcp", "127.0.0.1:0"
			if row.unix {
				network, address = "unix", t.TempDir()+"/s"
			}
			ln, err := net.Listen(network, address)
			require.NoError(t, err)
			ctx, stop := context.WithCancel(context.Background())
			served := make(chan error, 1)
			go func() { served <- s.Serve(ctx, ln) }()
			if row.unix && strings.Contains(row.line, "429") { // his one request
				knock(t, ln, row.say)
			}
			begin := time.Now()
			for range tries {
				knock(t, ln, row.say)
			}
			took := int(time.Since(begin).Seconds()) + 1
			stop()
			require.NoError(t, await(t, "Serve", served))
			written := strings.Count(log.String(), row.line)
			assert.GreaterOrEqual(t, written, sparingBurst)
			assert.LessOrEqual(t, written, sparingBurst+took)
			left := 0
			for _, line := range strings.Split(log.String(), "\n") {
				if strings.Contains(line, "lines were left out of the log") {
					n := 0
					_, end, _ := strings.Cut(line, `"lines":`)
					_, err := fmt.Sscan(strings.TrimSuffix(end, "}"), &n)
					require.NoError(t, err)
					left += n
				}
			}
			assert.Equal(t, tries, written+left, "each is written or counted")
		})
	}
}

// knock sends one request and waits for the end of the connection.
func knock(t *testing.T, ln net.Listener, headers string) {
	t.Helper()
	c, err := net.Dial(ln.Addr().Network(), ln.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nConnection: close\r\n%s\r\n\r\n", headers)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, bufio.NewReader(c))
	require.NoError(t, err)
}

// While others fill their part of it, the log has a line for each request of who may call.
func TestWhoMayCallIsLoggedBesideStrangers(t *testing.T) {
	secret, token := NewToken("ci")
	var log logBuffer
	address := overTCP(t, Config{Executor: executorFunc(echo), Tokens: Tokens{token}, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer c.Close()
	in := bufio.NewReader(c)
	for range 3 * sparingBurst {
		stranger, err := net.Dial("tcp", address)
		require.NoError(t, err)
		assert.Equal(t, 401, say(t, stranger, bufio.NewReader(stranger), "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").StatusCode)
		require.NoError(t, stranger.Close())
		for _, path := range []string{"/healthz", "/nowhere"} {
			say(t, c, in, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+secret+"\r\n\r\n")
		}
	}
	require.Eventually(t, func() bool { return strings.Count(log.String(), `"token":"ci"`) == 6*sparingBurst }, 10*time.Second, time.Millisecond)
}
