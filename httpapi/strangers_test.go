package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Strangers hold all places that there are for them and fill each again at once,
// some in silence, some in the middle of a header, some by asking.
func TestStrangersDoNotShutHoldersOfTokensOut(t *testing.T) {
	t.Parallel()
	const crowd, requests = 40, 5
	secret, token := NewToken("ci")
	cfg := Config{Executor: executorFunc(echo), Tokens: Tokens{token}, ConnectionsPerUID: 16}
	address, server := servedOverTCP(t, cfg)
	server.open.mu.Lock()
	server.open.strangers.most = crowd / 2    // there are more of them than places
	server.open.strangers.grace = time.Second // and of this test's own time none is lost
	server.open.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	var came atomic.Int64
	done := make(chan struct{})
	for i := range crowd {
		go func() {
			defer func() { done <- struct{}{} }()
			for ctx.Err() == nil {
				c, err := net.Dial("tcp", address)
				if err != nil {
					continue
				}
				came.Add(1)
				end := context.AfterFunc(ctx, func() { c.Close() })
				_, _ = io.WriteString(c, []string{"", "GET /healthz HTTP/1.1\r\n", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"}[i%3])
				_, _ = io.Copy(io.Discard, c) // until it is closed
				end()
				c.Close()
			}
		}()
	}
	defer func() {
		stop()
		for range crowd {
			<-done
		}
	}()
	require.Eventually(t, func() bool { return came.Load() > crowd }, 30*time.Second, time.Millisecond, "they push each other out")
	for i := range requests {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		r := say(t, c, bufio.NewReader(c), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer "+secret+"\r\n\r\n")
		assert.Equal(t, http.StatusOK, r.StatusCode, "request %d: %s", i, r.body)
		c.Close()
	}
	t.Logf("%d strangers came", came.Load())
}

// A connection that has shown its token is no stranger any more, and stays.
func TestWhoShowedATokenStays(t *testing.T) {
	secret, token := NewToken("ci")
	address, server := servedOverTCP(t, Config{Executor: executorFunc(echo), Tokens: Tokens{token}})
	server.open.mu.Lock()
	server.open.strangers.most = 3
	server.open.mu.Unlock()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer c.Close()
	in := bufio.NewReader(c)
	request := fmt.Sprintf("GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", secret)
	require.Equal(t, 200, say(t, c, in, request).StatusCode)
	var idle []net.Conn
	for range 4 {
		one, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer one.Close()
		idle = append(idle, one)
	}
	require.NoError(t, idle[0].SetReadDeadline(time.Now().Add(headerTimeout/2)))
	_, err = idle[0].Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF, "the first of the strangers makes room at once")
	assert.Equal(t, 200, say(t, c, in, request).StatusCode)
}
