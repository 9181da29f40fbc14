package httpapi

import (
	"context"
	"crypto/tls"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Five seconds is what net/http gives one that has just come; a connection that is
// idle after a request it closes by itself.
func TestAServerThatIsStoppedWaitsForNobodyWhoSaysNothing(t *testing.T) {
	certificate, key, pool := newCertificate(t)
	secured, err := TLSConfig(certificate, key)
	require.NoError(t, err)
	for _, row := range []struct {
		name, network string
		open          func(t *testing.T, address string) net.Conn
	}{
		{"on a Unix socket", "unix", func(t *testing.T, address string) net.Conn { return dialed(t, "unix", address) }},
		{"over TCP, in the midst of a handshake", "tcp", func(t *testing.T, address string) net.Conn { return dialed(t, "tcp", address) }},
		{"over TCP, after the handshake", "tcp", func(t *testing.T, address string) net.Conn {
			c := tls.Client(dialed(t, "tcp", address), &tls.Config{RootCAs: pool, ServerName: "localhost"})
			require.NoError(t, c.Handshake())
			return c
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := New(Config{Executor: executorFunc(echo), Logger: discard, TLS: secured})
			require.NoError(t, err)
			address := "127.0.0.1:0"
			if row.network == "unix" {
				address = filepath.Join(t.TempDir(), "s.sock")
			}
			ln, err := net.Listen(row.network, address)
			require.NoError(t, err)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			served := make(chan error, 1)
			go func() { served <- s.Serve(ctx, ln) }()
			c := row.open(t, ln.Addr().String())
			defer c.Close()
			require.Eventually(t, func() bool { return s.open.held() == 1 }, 10*time.Second, time.Millisecond, "it was not accepted")
			stop()
			select {
			case err := <-served:
				assert.NoError(t, err)
			case <-time.After(4 * time.Second):
				require.FailNow(t, "it waits")
			}
			assert.Zero(t, s.open.held())
			_, err = c.Read(make([]byte, 1))
			assert.Error(t, err)
		})
	}
}

func dialed(t *testing.T, network, address string) net.Conn {
	t.Helper()
	c, err := net.Dial(network, address)
	require.NoError(t, err)
	return c
}
