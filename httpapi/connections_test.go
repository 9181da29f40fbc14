package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests start their own binary again, as another uid or with other limits.
const (
	roleKey = "SAFE_EXEC_HTTPAPI_ROLE"
	pathKey = "SAFE_EXEC_HTTPAPI_SOCKET"
)

func TestMain(m *testing.M) {
	roles := map[string]func(string) error{"crowd": beACrowd, "greedy": beGreedy, "another": beAnother, "starved": beStarved}
	if role, ok := roles[os.Getenv(roleKey)]; ok {
		if err := role(os.Getenv(pathKey)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// again is this program in one of its roles. The test binary is copied to where
// any uid can read it.
func again(t *testing.T, role, socket string) *exec.Cmd {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	program := filepath.Join(filepath.Dir(socket), "again.test")
	if err = os.WriteFile(program, self, 0o755); !errors.Is(err, syscall.ETXTBSY) { // one of them is running
		require.NoError(t, err)
	}
	cmd := exec.Command(program)
	cmd.Env = []string{roleKey + "=" + role, pathKey + "=" + socket}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

const crowdSize = 10000

// crowdReport is what the crowd saw.
type crowdReport struct {
	Held, Refused int
	Odd           []string // the first few that saw anything else
}

// beACrowd opens connections until it has crowdSize of them, each with a request,
// tells how each was met, and keeps all until its input ends.
func beACrowd(socket string) error {
	limit := syscall.Rlimit{Cur: crowdSize + 100, Max: crowdSize + 100}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	var r crowdReport
	var held []net.Conn
	for range crowdSize {
		c, err := dialPatiently(context.Background(), socket)
		if err != nil {
			return err
		}
		// At once: who says nothing is given up after headerTimeout, and another of them
		// gets in in his place. One that is not in may have its 429 already, and a write
		// may fail.
		_, _ = c.Write([]byte("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"))
		held = append(held, c)
	}
	for _, c := range held {
		_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
		in := bufio.NewReaderSize(c, 512)
		got, err := http.ReadResponse(in, nil)
		switch {
		case err == nil && got.StatusCode == 200:
			r.Held++
		case err == nil && got.StatusCode == 429 && got.Close && got.Header.Get("Retry-After") == "1" && got.Header.Get("Content-Type") == ProblemType:
			r.Refused++
		case len(r.Odd) < 5:
			r.Odd = append(r.Odd, fmt.Sprint(got, err))
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return err
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // until whoever started it ends the input
	runtime.KeepAlive(held)
	return nil
}

// dialPatiently waits where the backlog is full: connect of a Unix socket that does
// not block says EAGAIN then.
func dialPatiently(ctx context.Context, socket string) (net.Conn, error) {
	for {
		c, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
		if !errors.Is(err, syscall.EAGAIN) || ctx.Err() != nil {
			return c, err
		}
		time.Sleep(time.Millisecond) // the listener's queue is full, and tells nobody when it is not
	}
}

// letAllIn lets any uid connect.
func (d *daemon) letAllIn() {
	d.t.Helper()
	require.NoError(d.t, os.Chmod(d.path, 0o666))
	for dir := filepath.Dir(d.path); dir != os.TempDir(); dir = filepath.Dir(dir) {
		require.NoError(d.t, os.Chmod(dir, 0o755))
	}
}

func TestTenThousandConnections(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: the crowd must be another uid than who gets in beside it")
	}
	d := start(t, Config{Executor: executorFunc(echo), Slots: 8, Waiting: 64})
	each := d.server.cfg.ConnectionsPerUID
	d.letAllIn()
	cmd := again(t, "crowd", d.path)
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 54321, Gid: 54321}
	// The limit is raised before the child is nobody, who may not.
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	raised(t, crowdSize+100, func() { require.NoError(t, cmd.Start()) })
	reports := make(chan crowdReport, 1)
	go func() {
		defer close(reports)
		var r crowdReport
		if json.NewDecoder(out).Decode(&r) == nil {
			reports <- r
		}
	}()
	answered := 0
	var report crowdReport
	for done := false; !done; {
		select {
		case r, ok := <-reports:
			require.True(t, ok, "the crowd failed")
			report, done = r, true
		default:
			r, err := d.try(context.Background(), "POST", runPath, hello, "Connection", "close") // a new connection each time
			require.NoError(t, err)
			require.Equal(t, 200, r.StatusCode)
			answered++
		}
	}
	assert.Equal(t, crowdReport{Held: each, Refused: crowdSize - each}, report)
	assert.Positive(t, answered, "root was answered in between")
	r, err := d.try(context.Background(), "GET", "/healthz", "")
	require.NoError(t, err)
	assert.Equal(t, 200, r.StatusCode, "and while the crowd is there")
	t.Logf("%d of root's requests were answered meanwhile", answered)
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	d.client.CloseIdleConnections()
	require.Eventually(t, func() bool { return d.server.open.held() == 0 }, 10*time.Second, time.Millisecond, "all places come back")
}

// held is how many connections are open.
func (b *connections) held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.strangers.queue.Len()
	for _, p := range []*places{b.uids, b.tokens} {
		for _, one := range p.open {
			n += one
		}
	}
	return n
}

// raised lets what do starts have more descriptors than this process.
func raised(t *testing.T, most uint64, do func()) {
	t.Helper()
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
	wider := syscall.Rlimit{Cur: max(old.Cur, most), Max: max(old.Max, most)}
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &wider))
	do()
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old))
}

// An idle connection must not cost much more than what net/http needs for it.
func TestIdleConnectionsCostLittle(t *testing.T) {
	const many = 400
	d := start(t, Config{Executor: executorFunc(echo), ConnectionsPerUID: many + 10})
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	before := used()
	var held []net.Conn
	for range many {
		c, in := wire(t, d)
		held = append(held, c)
		require.Equal(t, 200, say(t, c, in, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").StatusCode)
	}
	// The client's side is in the same process, with a buffer of 4 KiB each.
	each := int64(used()-before) / many
	t.Logf("%d bytes for each idle connection, both sides together", each)
	assert.Less(t, each, int64(64<<10))
	runtime.KeepAlive(held)
}
