package broker

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/link"
	"safe-exec/seccomp"
)

// kept is a supervisor under way.
type kept struct {
	*Supervisor
	stop  context.CancelFunc
	ready chan struct{}
	done  chan error
}

func keep(t *testing.T, c Config, changes ...func(*Supervisor)) *kept {
	t.Helper()
	s, err := New(c)
	require.NoError(t, err)
	for _, change := range changes {
		change(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	k := &kept{Supervisor: s, stop: cancel, ready: make(chan struct{}), done: make(chan error, 1)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		k.done <- s.Run(ctx, func() { close(k.ready) })
	}()
	t.Cleanup(func() { // no broker is started beside the next test
		cancel()
		<-over
	})
	return k
}

func (k *kept) awaitReady(t *testing.T) {
	t.Helper()
	select {
	case <-k.ready:
	case err := <-k.done:
		require.FailNow(t, "the broker does not start", "%v", err)
	case <-time.After(patience):
		require.FailNow(t, "the broker does not get ready")
	}
}

func (k *kept) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-k.done:
		return err
	case <-time.After(patience):
		require.FailNow(t, "the supervisor does not end")
		return nil
	}
}

func TestABrokerThatIsToldToFinishEndsInOrder(t *testing.T) {
	c, _ := config(t, targets{Do: "serve"})
	k := keep(t, c)
	k.awaitReady(t)
	k.stop()
	assert.NoError(t, k.end(t))
}

func TestABrokerThatDoesNotFinishIsKilled(t *testing.T) {
	c, _ := config(t, targets{Do: "ignore the drain"})
	c.DrainTimeout = 100 * time.Millisecond
	k := keep(t, c)
	k.awaitReady(t)
	k.stop()
	assert.ErrorContains(t, k.end(t), "does not end")
}

func TestABrokerThatDiesIsStartedAgain(t *testing.T) {
	for _, row := range []struct{ name, do, why string }{
		{"it exits", "die", "exit status 3"},
		{"it closes the link and lives on", "ignore the end", "signal: killed"},
		{"it sends nonsense", "nonsense", "above the bound"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, log := config(t, targets{Do: row.do})
			k := keep(t, c)
			assert.Eventually(t, func() bool { return k.Status().Starts >= 3 }, patience, 10*time.Millisecond)
			k.stop()
			_ = k.end(t) // it may have died while it was told to finish
			assert.Contains(t, log.text(), row.why)
		})
	}
}

func TestABrokerThatIsKilledTakesItsRunsAlong(t *testing.T) {
	c, _ := config(t, targets{Do: "ask and die"})
	c.DrainTimeout = 100 * time.Millisecond // the next one is asked to end, and does not
	k := keep(t, c)
	k.awaitReady(t)
	run := <-c.Link.Engine.(engine).started
	pid := childOf(t, hostile)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	select {
	case <-run.Done():
	case <-time.After(patience):
		assert.Fail(t, "the run lives on")
	}
}

// childOf finds this process's child that executes a program.
func childOf(t *testing.T, program string) int {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, task := range tasks {
		text, _ := os.ReadFile(task) // a thread that ended has none
		for pid := range strings.FieldsSeq(string(text)) {
			if exe, _ := os.Readlink("/proc/" + pid + "/exe"); exe == program {
				n := 0
				for _, digit := range pid {
					n = 10*n + int(digit-'0')
				}
				return n
			}
		}
	}
	require.FailNow(t, "no such child")
	return 0
}

func TestABrokerThatNeverServedIsGivenUpAtOnce(t *testing.T) {
	c, _ := config(t, targets{Do: "die before ready"})
	assert.ErrorContains(t, keep(t, c).end(t), "the broker does not start: broker: exit status 3")
}

func TestABrokerThatServesNoMoreIsGivenUp(t *testing.T) {
	c, _ := config(t, targets{Do: "die before ready from the second time on"})
	var pauses []time.Duration
	err := keep(t, c, func(s *Supervisor) {
		s.after = func(d time.Duration) <-chan time.Time {
			pauses = append(pauses, d)
			return time.After(0)
		}
	}).end(t)
	assert.ErrorContains(t, err, "could not be started 10 times in a row")
	const ms = time.Millisecond
	assert.Equal(t, []time.Duration{0, 100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 5000 * ms, 5000 * ms, 5000 * ms}, pauses)
}

// Twenty times, since a select takes either of two that are ready.
func TestABrokerThatEndsRightAfterItWasReadyHasServed(t *testing.T) {
	c, _ := config(t, targets{Do: "die"})
	s, err := New(c)
	require.NoError(t, err)
	defer s.close()
	for range 20 {
		b, err := s.start()
		require.NoError(t, err)
		over := b.serve()
		require.Eventually(t, func() bool { return len(over) == 1 }, patience, time.Millisecond)
		assert.ErrorContains(t, s.attend(t.Context(), b, over, func() {}), "exit status 3")
		assert.True(t, b.wasReady())
	}
}

// allowed is the broker's list with one more call.
func allowed(t *testing.T, c *Config, nr uint32) {
	t.Helper()
	more := seccomp.Program{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: nr, Jt: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	c.Filter = append(more, c.Filter...)
}

func TestNothingIsSaidToABrokerThatIsNotAsItMustBe(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*testing.T, *Supervisor)
		want   string
	}{
		{"all is well", func(*testing.T, *Supervisor) {}, ""},
		{"a filter that lets it open sockets", func(t *testing.T, s *Supervisor) { allowed(t, &s.cfg, unix.SYS_SOCKET) }, "seccomp_socket"},
		{"a filter that lets it start programs", func(t *testing.T, s *Supervisor) { allowed(t, &s.cfg, unix.SYS_EXECVE) }, "seccomp_exec"},
		{"a filter that is none", func(_ *testing.T, s *Supervisor) { s.cfg.Filter = s.cfg.Filter[:0] }, "unmarshal filter"},
		{"a directory that is not its own", func(t *testing.T, s *Supervisor) { require.NoError(t, os.Chmod(s.cfg.Dir, 0o500)) }, "own_directory"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, _ := config(t, targets{Do: "serve"})
			s, err := New(c)
			require.NoError(t, err)
			row.change(t, s)
			err = s.Prove()
			if row.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, row.want)
		})
	}
}

func reportOf(s *Supervisor) link.Report { return link.Report{Tried: s.Status().Tried} }

func TestWhatTheKernelSaysOfABrokerIsCompared(t *testing.T) {
	c, _ := config(t, targets{Do: "serve"})
	s, err := New(c)
	require.NoError(t, err)
	b, err := s.start()
	require.NoError(t, err)
	defer b.kill()
	for _, row := range []struct {
		name   string
		change func(*Supervisor)
		want   string
	}{
		{"nothing is expected otherwise", func(*Supervisor) {}, ""},
		{"another uid", func(s *Supervisor) { s.cfg.UID++ }, "setresuid"},
		{"another gid", func(s *Supervisor) { s.cfg.GID++ }, "setresgid"},
		{"another program", func(s *Supervisor) { s.cfg.Program = "/proc/self/exe" }, "program"},
		{"another log", func(s *Supervisor) { s.cfg.Stderr = os.NewFile(0, "stdin") }, "fd_2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			other := &Supervisor{cfg: s.cfg, abi: s.abi}
			row.change(other)
			err := other.prove(b.process, reportOf(s))
			if row.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, row.want)
		})
	}
	t.Run("a descriptor too many", func(t *testing.T) {
		l, err := net.Listen("unix", filepath.Join(open(t), "s"))
		require.NoError(t, err)
		defer l.Close()
		f, err := l.(*net.UnixListener).File()
		require.NoError(t, err)
		defer f.Close()
		with := c
		with.Listeners = []*os.File{f}
		s, err := New(with)
		require.NoError(t, err)
		p, err := s.spawn()
		require.NoError(t, err)
		defer p.kill()
		s.cfg.Listeners = nil // it has one all the same
		_, err = s.greet(p)
		assert.ErrorContains(t, err, "close_fds: want no descriptor")
	})
	t.Run("a report that is not whole", func(t *testing.T) {
		r := reportOf(s)
		r.Tried = r.Tried[1:]
		assert.ErrorContains(t, s.prove(b.process, r), "should have tried")
	})
}
