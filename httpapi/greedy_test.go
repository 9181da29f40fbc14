package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beGreedy opens connections until one is refused, says how many it has, and keeps
// all until its input ends.
func beGreedy(socket string) error {
	var held []net.Conn
	for {
		c, err := dialPatiently(context.Background(), socket)
		if err != nil {
			return err
		}
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		got, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
		if err != nil {
			return err
		}
		if got.StatusCode == http.StatusTooManyRequests {
			break
		}
		if got.StatusCode != http.StatusOK {
			return errors.New(got.Status)
		}
		held = append(held, c)
	}
	fmt.Println(len(held))
	_, _ = os.Stdin.Read(make([]byte, 1))
	runtime.KeepAlive(held)
	return nil
}

// Each of these uids holds all connections that it gets when the next one comes.
func TestGreedyCallersDoNotShutOthersOut(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: callers of other uids")
	}
	d := start(t, Config{Executor: executorFunc(echo), ConnectionsPerUID: 20, Connections: 50})
	d.letAllIn()
	for i, row := range []struct {
		name string
		gets int
	}{
		{"the first has all that one may have", 20},
		{"so has the second", 20},
		{"the third what is left for all, and so many that it holds few no longer", 10},
		{"one after them gets in", few},
		{"and another", few},
	} {
		cmd := again(t, "greedy", d.path)
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(54321 + i), Gid: 54321}
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		defer func() {
			assert.NoError(t, in.Close())
			assert.NoError(t, cmd.Wait())
		}()
		got := 0
		_, err = fmt.Fscan(out, &got)
		require.NoError(t, err)
		assert.Equal(t, row.gets, got, row.name)
	}
	r, err := d.try(context.Background(), "GET", "/healthz", "")
	require.NoError(t, err)
	assert.Equal(t, 200, r.StatusCode, "root, too")
}
