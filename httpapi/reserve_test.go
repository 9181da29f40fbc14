package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beStarved is a daemon with few descriptors. It tells how a caller is met while
// there are none, and after.
func beStarved(socket string) error {
	ln, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	s, err := New(Config{Executor: executorFunc(echo), Logger: discard, ConnectionsPerUID: 1000})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	limit := syscall.Rlimit{Cur: 64, Max: 64}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	fmt.Println("ready")
	commands := bufio.NewScanner(os.Stdin)
	var taken []*os.File
	for commands.Scan() {
		switch commands.Text() {
		case "take":
			for s.open.held() > 1 { // those that were answered are being closed
				time.Sleep(time.Millisecond) // between looks: a server tells nobody of a connection's end
			}
			for {
				f, err := os.Open("/dev/null")
				if err != nil {
					break
				}
				taken = append(taken, f)
			}
			fmt.Println(len(taken))
		case "give":
			for _, f := range taken {
				f.Close()
			}
			taken = nil
			fmt.Println("given")
		case "cpu":
			var u syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
				return err
			}
			fmt.Println((u.Utime.Nano() + u.Stime.Nano()) / 1e6)
		}
	}
	stop()
	return <-served
}

func TestOutOfDescriptors(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s.sock")
	cmd := again(t, "starved", socket)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	tell := func(command string) string {
		if command != "" {
			_, err := fmt.Fprintln(in, command)
			require.NoError(t, err)
		}
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSpace(line)
	}
	require.Equal(t, "ready", tell(""))
	ask := func() reply {
		c, err := net.Dial("unix", socket)
		require.NoError(t, err)
		defer c.Close()
		in := bufio.NewReader(c)
		require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
		_, _ = fmt.Fprint(c, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		return hear(t, in)
	}
	require.Equal(t, 200, ask().StatusCode)
	held, err := net.Dial("unix", socket)
	require.NoError(t, err)
	defer held.Close()
	inside := bufio.NewReader(held)
	require.Equal(t, 200, say(t, held, inside, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").StatusCode)
	for range 2 { // it recovers each time
		taken, err := strconv.Atoi(tell("take"))
		require.NoError(t, err)
		require.Positive(t, taken)
		for range 20 {
			r := ask()
			require.Equal(t, 429, r.StatusCode)
			assert.Equal(t, "connections", r.problem(t).Reason)
		}
		assert.Equal(t, 200, say(t, held, inside, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").StatusCode, "who is in is served")
		before, err := strconv.Atoi(tell("cpu"))
		require.NoError(t, err)
		time.Sleep(300 * time.Millisecond) // the time is the subject: a loop would burn it
		after, err := strconv.Atoi(tell("cpu"))
		require.NoError(t, err)
		assert.Less(t, after-before, 150, "milliseconds of a processor, while nobody asks")
		require.Equal(t, "given", tell("give"))
		require.Equal(t, 200, ask().StatusCode)
	}
	require.NoError(t, in.Close())
	assert.NoError(t, cmd.Wait())
}
