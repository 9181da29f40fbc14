package main

import (
	bits "encoding/binary"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/client"
	"safe-exec/internal/broker"
	"safe-exec/internal/hosttest"
	"safe-exec/policy"
)

func TestTheSocketIsForRootAndTheGroup(t *testing.T) {
	t.Parallel()
	const group, gid = "daemon", 1 // a group that every distribution has
	d := startAlone(t, "group: "+group+"\n")

	info, err := os.Stat(d.socket)
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	assert.Equal(t, os.FileMode(0o660), info.Mode().Perm())
	assert.Equal(t, []uint32{0, gid}, []uint32{owner.Uid, owner.Gid})

	member := invokeAs(t, nobody(gid), "print(6*7)", "run", "--socket", d.socket, "--language", "py")
	assert.Equal(t, outcome{0, "42\n", ""}, member)
	other := invokeAs(t, nobody(0), "print(6*7)", "run", "--socket", d.socket, "--language", "py")
	assert.Equal(t, outcome{125, "", "safe-exec: no daemon answers on " + d.socket +
		": permission denied: join the group " + group + ", which owns the socket\n"}, other)
}

func TestADirectoryThatServeMakesLetsTheGroupThrough(t *testing.T) {
	t.Parallel()
	file := program(t, "c.yaml", noSpares+"group: daemon\n")
	socket := filepath.Join(filepath.Dir(newSocket(t)), "made", "s")
	d := launchBy(t, []string{"sh", "-c", `umask 077; exec "$@"`, "sh"}, socket, "--config", file)
	d.expect(t, "READY=1")
	got := invokeAs(t, nobody(1), "print(1)", "run", "--socket", socket, "--language", "py")
	assert.Equal(t, outcome{0, "1\n", ""}, got)
}

func TestADirectoryThatShutsTheGroupOutIsSaid(t *testing.T) {
	t.Parallel()
	file := program(t, "c.yaml", noSpares+"group: daemon\n")
	socket := newSocket(t)
	require.NoError(t, os.Chmod(filepath.Dir(socket), 0o700))
	d := startAt(t, socket, "--config", file)
	d.logged(t, "members of the group cannot enter the socket's directory")
	got := invokeAs(t, nobody(1), "print(1)", "run", "--socket", socket, "--language", "py")
	assert.Equal(t, 125, got.code)
}

func TestWithoutTheGroupTheSocketIsRootsAlone(t *testing.T) {
	t.Parallel()
	d := startAlone(t, "group: no-such-group\n")
	info, err := os.Stat(d.socket)
	require.NoError(t, err)
	assert.Zero(t, info.Sys().(*syscall.Stat_t).Gid)
	d.logged(t, "only root may run programs")
}

func TestOneDaemonASocket(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	second := invoke(t, "serve", "--socket", d.socket, "--state-dir", stateDir)
	assert.Equal(t, outcome{125, "", "safe-exec: another daemon serves " + d.socket + ": give this one another socket (--socket), or stop that one first\n"}, second)
	require.NoError(t, client.New(d.socket).Ping(t.Context()), "the first one goes on")
}

func TestAStaleSocketIsReplaced(t *testing.T) {
	t.Parallel()
	socket := newSocket(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	require.NoError(t, err)
	l.SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	require.ErrorIs(t, client.New(socket).Ping(t.Context()), syscall.ECONNREFUSED)

	startAt(t, socket, "--config", program(t, "c.yaml", noSpares))
	require.NoError(t, client.New(socket).Ping(t.Context()))
}

func TestNothingButASocketIsReplaced(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(path string) error
	}{
		{"a file", func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) }},
		{"a directory", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"a link to a socket", func(path string) error { return os.Symlink("/run/other.sock", path) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			socket := newSocket(t)
			require.NoError(t, row.make(socket))
			before, err := os.Lstat(socket)
			require.NoError(t, err)
			got := invoke(t, "serve", "--socket", socket, "--state-dir", stateDir)
			assert.Equal(t, outcome{2, "", "safe-exec: " + socket + " exists and is not a socket\n"}, got)
			after, err := os.Lstat(socket)
			require.NoError(t, err)
			assert.True(t, os.SameFile(before, after))
		})
	}
}

func TestServeNeedsRoot(t *testing.T) {
	socket := newSocket(t)
	got := invokeAs(t, nobody(0), "", "serve", "--socket", socket, "--state-dir", stateDir)
	assert.Equal(t, 125, got.code)
	assert.Contains(t, got.stderr, "serve needs root")
	assert.NoFileExists(t, socket+".lock")
}

// sleeper is a run through the command line that a test can watch.
func sleeper(t *testing.T, d *served, code string) (*exec.Cmd, chan outcome) {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "stdout")
	require.NoError(t, err)
	cmd := exec.Command(binary, "run", "--socket", d.socket, "--timeout", "30s", program(t, "p.py", code))
	cmd.Stdout = out
	require.NoError(t, cmd.Start())
	done := make(chan outcome, 1)
	go func() {
		_ = cmd.Wait()
		text, _ := os.ReadFile(out.Name())
		done <- outcome{code: cmd.ProcessState.ExitCode(), stdout: string(text)}
	}()
	return cmd, done
}

func TestSIGTERMLetsRunningProgramsFinish(t *testing.T) {
	t.Parallel()
	d := startAlone(t)
	_, answer := sleeper(t, d, gated("print('to the end')"))
	d.awaitGates(t, 1)
	all := d.groups(t)
	d.signal(t, syscall.SIGTERM)
	d.expect(t, "STOPPING=1")

	late := client.New(d.socket)
	eventually(t, func() bool {
		_, err := late.Execute(t.Context(), policy.Request{Language: "py", Code: "print(1)"})
		var e *policy.Error
		return errors.As(err, &e) && e.Code == policy.CodeUnavailable // the drain begins a moment after it is told
	}, "new work is not refused meanwhile: %s", d)

	stop := d.openGates(t)
	assert.Equal(t, outcome{code: 0, stdout: "to the end\n"}, <-answer)
	stop()
	assert.Zero(t, d.wait(t).ExitStatus())
	assert.NoFileExists(t, d.socket)
	assert.Empty(t, all.left(t))
}

func TestASecondSignalEndsItAtOnce(t *testing.T) {
	t.Parallel()
	d := startAlone(t)
	_, answer := sleeper(t, d, "import time\ntime.sleep(25)")
	pids, _ := d.awaitRuns(t, 1)
	watched := watch(t, pids)
	d.signal(t, syscall.SIGTERM)
	d.expect(t, "STOPPING=1")
	hosttest.Eventually(t, promptly, tick, func() bool {
		_ = d.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-d.ended:
			return true
		default:
			return false
		}
	}, "it goes on after a second signal: %s", d)
	assert.Equal(t, syscall.SIGTERM, d.wait(t).Signal())
	watched.allGone(t)
	assert.Equal(t, 125, (<-answer).code)
}

func TestSIGTERMWhileStartingIsNoFailure(t *testing.T) {
	t.Parallel()
	d := launch(t, newSocket(t))
	// Its lock is there before the slow part begins, and after its signal handler.
	eventually(t, func() bool {
		_, err := os.Stat(d.socket + ".lock")
		return err == nil
	}, "it does not take its lock: %s", d)
	d.signal(t, syscall.SIGTERM)
	assert.Zero(t, d.wait(t).ExitStatus(), "%s", d)
	assert.NoFileExists(t, d.socket)
}

func TestInterruptingRunEndsTheProgram(t *testing.T) {
	t.Parallel()
	d := startAlone(t)
	cmd, answer := sleeper(t, d, "import time\ntime.sleep(25)")
	pids, dirs := d.awaitRuns(t, 1)
	watched := watch(t, pids)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.Equal(t, 3, (<-answer).code)
	watched.allGone(t)
	for _, dir := range dirs {
		eventually(t, func() bool {
			_, err := os.Stat(filepath.Join(dir, "cgroup.procs"))
			return os.IsNotExist(err)
		}, "%s is left", dir)
	}
}

// Whoever goes back a version by mistake, or forward, has lost nothing by it.
func TestAStoreOfAnotherVersionIsRefusedAndLeftAsItWas(t *testing.T) {
	t.Parallel()
	needRoot(t)
	state := newState(t)
	claimed, err := broker.Claim(state, defaultBrokerUID, defaultBrokerUID)
	require.NoError(t, err)
	claimed.Close()
	header := make([]byte, 4096)
	copy(header, "SQLite format 3\x00")
	bits.BigEndian.PutUint32(header[60:], 1)
	path := filepath.Join(claimed.Dir, "jobs.db")
	require.NoError(t, os.WriteFile(path, header, 0o600))
	require.NoError(t, os.Chown(path, int(defaultBrokerUID), int(defaultBrokerUID)))
	got := invoke(t, "serve", "--socket", newSocket(t), "--state-dir", state)
	assert.Equal(t, 125, got.code)
	assert.Contains(t, got.stderr, "move jobs.db, jobs.db-wal and jobs.db-shm away together")
	assert.NotContains(t, got.stderr, "stopping: running programs may finish")
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, header, left)
	entries, err := os.ReadDir(claimed.Dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing beside it, and no ledger is begun")
}
