package broker

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/link"
	"safe-exec/internal/wiring"
	"safe-exec/policy"
)

// uid is nobody's, and lies outside what jails get.
const uid = 1_899_999_990

// patience is for what must happen and never does.
const patience = 60 * time.Second

var hostile string // the program, built without cgo

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if os.Getenv(killedEnv) != "" {
			return claimUntilKilled()
		}
		dir, err := os.MkdirTemp("", "safe-exec-broker-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if err := os.Chmod(dir, 0o755); err != nil {
			panic(err)
		}
		hostile = filepath.Join(dir, "hostile")
		build := exec.Command("go", "build", "-o", hostile, "./testdata/hostile")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

type engine struct{ started chan context.Context }

func (e engine) Execute(ctx context.Context, _ policy.Request) (*policy.Result, error) {
	e.started <- ctx
	<-ctx.Done()
	return &policy.Result{Status: policy.Cancelled}, nil
}

func (engine) CheckProgram(context.Context, policy.Request) (*policy.CheckResult, error) {
	return &policy.CheckResult{}, nil
}

// open is a directory that everybody may pass through.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "safe-exec-broker-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// lines hands on what a broker writes to its log.
func lines(t *testing.T) (*os.File, <-chan string) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { w.Close(); r.Close() })
	out := make(chan string, 64)
	go func() {
		for s := bufio.NewScanner(r); s.Scan(); {
			out <- s.Text()
		}
	}()
	return w, out
}

type buffer struct {
	mu sync.Mutex
	strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.Write(p)
}

func (b *buffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.String()
}

// config starts the hostile program, which does what it is told.
func config(t *testing.T, do targets) (Config, *buffer) {
	t.Helper()
	filter, err := wiring.BrokerFilter()
	require.NoError(t, err)
	state, err := Claim(open(t), uid, uid)
	require.NoError(t, err)
	t.Cleanup(state.Close)
	settings, err := json.Marshal(do)
	require.NoError(t, err)
	log := &buffer{}
	return Config{
		UID: uid, GID: uid, Dir: state.Dir, Program: hostile, Args: []string{"hostile"}, Filter: filter, Stderr: os.Stderr, Settings: settings,
		Log: slog.New(slog.NewTextHandler(log, nil)),
		Link: link.ServerConfig{
			Engine: engine{make(chan context.Context, 8)}, Resolve: func(policy.Request) error { return nil },
			Authorize: func(*policy.Request) error { return nil }, Describe: func() any { return nil },
			Logger: slog.New(slog.NewTextHandler(log, nil)),
		},
	}, log
}

// targets are those of the hostile program.
type targets struct {
	Do, Secret, Outside, Own, Socket, Program string
	Port, Victim, Executor                    int
}

// plant makes what the attacks are on.
func plant(t *testing.T) targets {
	t.Helper()
	dir := open(t)
	p := targets{Do: "attacks", Secret: filepath.Join(dir, "secret"), Socket: filepath.Join(dir, "socket"), Program: "/bin/true"}
	require.NoError(t, os.WriteFile(p.Secret, []byte("root's"), 0o600))
	public := filepath.Join(dir, "public")
	require.NoError(t, os.Mkdir(public, 0o777))
	require.NoError(t, os.Chmod(public, 0o777))
	p.Outside = filepath.Join(public, "file")
	own := filepath.Join(dir, "own")
	require.NoError(t, os.Mkdir(own, 0o700))
	require.NoError(t, os.Chown(own, uid, uid))
	p.Own = filepath.Join(own, "file")
	for network, address := range map[string]string{"unix": p.Socket, "unix abstract": "@" + p.Socket, "tcp": "127.0.0.1:0"} {
		network, _, _ = strings.Cut(network, " ")
		l, err := net.Listen(network, address)
		require.NoError(t, err)
		t.Cleanup(func() { l.Close() })
		if tcp, ok := l.Addr().(*net.TCPAddr); ok {
			p.Port = tcp.Port
		}
	}
	require.NoError(t, os.Chmod(p.Socket, 0o600))
	victim := exec.Command("sleep", "600")
	require.NoError(t, victim.Start())
	t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() })
	p.Victim, p.Executor = victim.Process.Pid, os.Getpid()
	return p
}

// outcome reads which attacks have won.
func outcome(t *testing.T, line string) map[string]string {
	t.Helper()
	var won map[string]string
	require.NoError(t, json.Unmarshal([]byte(line), &won), line)
	return won
}

func TestWhatABrokerInAnAttackersHandsReaches(t *testing.T) {
	p := plant(t)
	asked, err := json.Marshal(p)
	require.NoError(t, err)
	bare, err := exec.Command(hostile, "bare", string(asked)).CombinedOutput()
	require.NoError(t, err, "%s", bare)
	control := outcome(t, string(bare))

	c, _ := config(t, p)
	stderr, said := lines(t)
	c.Stderr = stderr
	s, err := New(c)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	ready := make(chan struct{})
	go func() { done <- s.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-done:
		require.FailNow(t, "the broker does not start", "%v", err)
	case <-time.After(patience):
		require.FailNow(t, "the broker is not ready")
	}
	confined := outcome(t, <-said)
	require.Len(t, confined, len(control))
	for _, name := range slices.Sorted(maps.Keys(confined)) {
		t.Run(name, func(t *testing.T) {
			refusal, lost := confined[name], control[name]
			verdict := "held"
			switch {
			case refusal == "":
				verdict = "ESCAPED"
			case strings.HasSuffix(lost, unix.ENOSYS.Error()): // not of this kernel
				verdict = "not asked"
			case lost != "", !strings.HasSuffix(refusal, unix.EPERM.Error()) && !strings.HasSuffix(refusal, unix.EACCES.Error()):
				verdict = "broken" // what failed for another reason was not refused
			}
			t.Logf("VERDICT %-9s  %-32s %s; control: %s", verdict, name, cmp.Or(refusal, "won"), cmp.Or(lost, "won"))
			assert.Contains(t, []string{"held", "not asked"}, verdict)
		})
	}
	status := s.Status()
	assert.Equal(t, uint32(uid), status.UID)
	assert.False(t, status.Proved.IsZero())
	cancel()
	<-done
}
