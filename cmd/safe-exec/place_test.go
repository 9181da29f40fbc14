package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/broker"
	"safe-exec/nsjail/lease"
)

// place is where a row's daemon is to be.
type place struct {
	t                     *testing.T
	dir                   string // root's, and others may pass through
	socket, state, config string
}

func (p *place) configure(format string, args ...any) {
	require.NoError(p.t, os.WriteFile(p.config, fmt.Appendf(nil, format, args...), 0o600))
}

func (p *place) file(name, text string, mode os.FileMode) string {
	path := filepath.Join(p.dir, name)
	require.NoError(p.t, os.WriteFile(path, []byte(text), mode))
	return path
}

func (p *place) directory(path string, mode os.FileMode, owner int) {
	require.NoError(p.t, os.MkdirAll(path, 0o755))
	require.NoError(p.t, os.Chmod(path, mode))
	require.NoError(p.t, os.Chown(path, owner, owner))
}

// use holds the state directory as a daemon does.
func (p *place) use(uid uint32) {
	held, err := broker.Claim(p.state, uid, uid)
	require.NoError(p.t, err)
	p.t.Cleanup(held.Close)
}

// seen is the owner and the mode of the state directory, and what is in it.
func (p *place) seen() (all []string) {
	var st unix.Stat_t
	require.NoError(p.t, unix.Stat(p.state, &st))
	names, err := filepath.Glob(p.state + "/*")
	require.NoError(p.t, err)
	return append(names, fmt.Sprint(st.Uid, st.Gid, st.Mode))
}

func TestDoctorsWordIsServes(t *testing.T) {
	t.Parallel()
	const good = "ci tttttttttttttttttttttttttttttttt\n"
	const (
		mistake = 2   // of serve: starting again mends nothing
		later   = 125 // it may
	)
	for _, row := range []struct {
		name   string
		make   func(p *place)
		serve  int
		doctor int
		layer  string // that doctor blames
		want   string // of both
	}{
		{"a broker who is not there", func(p *place) { p.configure("broker_user: nosuch") }, mistake, 2, "broker_user", "unknown user nosuch"},
		{"a broker who is root", func(p *place) { p.configure("broker_user: root") }, mistake, 2, "broker_user", "must not be root"},
		{"a broker among the jails", func(p *place) { p.configure("broker_user: 1900000001") }, mistake, 2, "broker_user", "those are the jails'"},
		{"jails as root", func(p *place) { p.configure("uids: {first: 0}") }, mistake, 2, "", "uids.first is 0"},
		{"jails beyond all uids", func(p *place) { p.configure("uids: {first: 4294967000}") }, mistake, 2, "", "uids.count is 262144"},
		{"a key that there is not", func(p *place) { p.configure("run: 1") }, mistake, 2, "", `unknown key "run"`},
		{"tokens that are not there", func(p *place) { p.configure("tcp: {listen: 127.0.0.1:0, tokens_file: %s/none}", p.dir) },
			mistake, 2, "tcp", "tcp.tokens_file: open"},
		{"tokens that others may read", func(p *place) {
			p.configure("tcp: {listen: 127.0.0.1:0, tokens_file: %s}", p.file("tokens", good, 0o644))
		}, mistake, 2, "tcp", "has mode 0644"},
		{"tokens that are none", func(p *place) {
			p.configure("tcp: {listen: 127.0.0.1:0, tokens_file: %s}", p.file("tokens", "ci short\n", 0o600))
		}, mistake, 2, "tcp", "line 1: a token must be"},
		{"no token", func(p *place) {
			p.configure("tcp: {listen: 127.0.0.1:0, tokens_file: %s}", p.file("tokens", "", 0o600))
		},
			mistake, 2, "tcp", "holds no token"},
		{"a caller whose token is not there", func(p *place) {
			p.configure("tcp: {listen: 127.0.0.1:0, tokens_file: %s}\ncallers: [{token: cj}]", p.file("tokens", good, 0o600))
		}, mistake, 2, "tcp", `callers[0].token is "cj"`},
		{"a key of TLS that is not there", func(p *place) {
			p.configure("tcp: {listen: 127.0.0.1:0, tokens_file: %s, tls: {cert: %[1]s, key: /none}}", p.file("tokens", good, 0o600))
		}, mistake, 2, "tcp", "tcp.tls.key: open /none"},
		{"an address of another host", func(p *place) {
			cert, key := pair(t)
			p.configure("tcp: {listen: '192.0.2.1:1', tokens_file: %s, tls: {cert: %s, key: %s}}", p.file("tokens", good, 0o600), cert, key)
		}, later, 1, "tcp", "tcp.listen: "},
		{"a socket that is a file", func(p *place) { p.socket = p.file("x", "", 0o600) }, mistake, 2, "socket", "is not a socket"},
		{"a socket below a file", func(p *place) { p.socket = p.file("x", "", 0o600) + "/s" }, mistake, 2, "socket", "not a directory"},
		{"a socket where the state directory is to be", func(p *place) { p.socket = p.state },
			mistake, 2, "socket", "cannot be where state_dir is"},
		{"one where it is to be by another name", func(p *place) {
			require.NoError(p.t, os.Symlink(".", p.dir+"/b"))
			p.socket = p.dir + "/b/a/./state"
		}, mistake, 2, "socket", "cannot be where state_dir is"},
		{"a socket above it", func(p *place) { p.socket = filepath.Dir(p.state) }, mistake, 2, "socket", "cannot be where state_dir is"},
		{"a socket whose lock is to be where it is", func(p *place) { p.state = p.socket + ".lock" },
			mistake, 2, "socket", "its lock PLACE/s.lock cannot be where state_dir is"},
		{"a socket where its lock is", func(p *place) { p.socket = p.state + "/daemon.lock" },
			mistake, 2, "socket", "is in the way of what the daemon keeps below state_dir"},
		{"a socket whose lock is its lock", func(p *place) { p.socket = p.state + "/daemon" },
			mistake, 2, "socket", "is in the way of what the daemon keeps below state_dir"},
		{"a socket in what is the broker's", func(p *place) { p.socket = p.state + "/broker/s" },
			mistake, 2, "socket", "is in the way of what the daemon keeps below state_dir"},
		{"a socket where the cache is", func(p *place) { p.socket = p.state + "/cache" },
			mistake, 2, "socket", "is in the way of what the daemon keeps below state_dir"},
		{"a socket in the way of leases", func(p *place) { p.socket = lease.Dir }, mistake, 2, "socket", "the directory of leases"},
		{"memory in which no interpreter starts", func(p *place) {
			p.configure("profiles: {python: {requestable: {max_memory_mb: {min: 1, default: 2, max: 4}}}}")
		}, later, 1, "self-test", "self-test of profile python: "},
		{"too few descriptors for one", func(p *place) {
			p.configure("profiles: {javascript: {fixed: {max_open_files: 3}}}")
		}, later, 1, "self-test", "self-test of profile javascript: "},
		{"too little time for one", func(p *place) {
			p.configure("profiles: {python: {requestable: {timeout_ms: {min: 1, default: 1, max: 1}}}}")
		}, later, 1, "self-test", "self-test of profile python: "},
		{"a state_dir where the broker cannot come", func(p *place) { p.directory(filepath.Dir(p.state), 0o700, 0) },
			mistake, 2, "state_dir", "cannot pass through"},
		{"a state_dir that is a file", func(p *place) { p.state = p.file("x", "", 0o600) }, mistake, 2, "state_dir", "must be a directory"},
		{"a state_dir below a file", func(p *place) { p.state = p.file("x", "", 0o600) + "/s" }, mistake, 2, "state_dir", "not a directory"},
		{"a state_dir that others may write", func(p *place) { p.directory(p.state, 0o777, 0) }, mistake, 2, "state_dir", "others than root may write"},
		{"a state_dir of somebody else", func(p *place) { p.directory(p.state, 0o755, 1000) }, mistake, 2, "state_dir", "belongs to uid 1000"},
		{"broker/ of somebody else", func(p *place) { p.directory(p.state+"/broker", 0o700, 1000) },
			mistake, 2, "state_dir", "belongs to 1000:1000, and the broker is"},
		{"broker/ that others may read", func(p *place) { p.directory(p.state+"/broker", 0o755, int(defaultBrokerUID)) },
			mistake, 2, "state_dir", "has mode 0755"},
		{"a state_dir that another daemon uses", func(p *place) { p.use(defaultBrokerUID) }, later, 0, "state_dir", "another daemon, pid"},
		{"one that a daemon of another broker uses", func(p *place) { p.use(4711) }, later, 1, "state_dir", "leave that as it is"},
		{"a socket that another daemon serves", func(p *place) {
			unlock, err := lockSocket(p.socket)
			require.NoError(p.t, err)
			p.t.Cleanup(unlock)
			l, err := net.Listen("unix", p.socket)
			require.NoError(p.t, err)
			p.t.Cleanup(func() { l.Close() })
		}, later, 0, "socket", "another daemon serves"},
		{"a port that another program has", func(p *place) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(p.t, err)
			p.t.Cleanup(func() { l.Close() })
			p.configure("tcp: {listen: '%s', tokens_file: %s}", l.Addr(), p.file("tokens", good, 0o600))
		}, later, 0, "tcp", "address already in use"},
		{"a mistake beside what is in use", func(p *place) {
			p.use(defaultBrokerUID)
			p.configure("tcp: {listen: 127.0.0.1:0, tokens_file: %s/none}", p.dir)
		}, mistake, 2, "tcp", "tcp.tokens_file: open"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Dir(newSocket(t))
			p := &place{t: t, dir: dir, socket: dir + "/s", state: dir + "/a/state", config: dir + "/c.yaml"}
			p.configure("")
			row.make(p)
			want := strings.ReplaceAll(row.want, "PLACE", dir)
			_, err := os.Stat(p.state)
			there := err == nil
			var before []string
			if there {
				before = p.seen()
			}
			flags := []string{"--config", p.config, "--socket", p.socket, "--state-dir", p.state}

			said := invoke(t, append([]string{"doctor"}, flags...)...)
			asJSON := invoke(t, append([]string{"doctor", "--json"}, flags...)...)
			served := invoke(t, append([]string{"serve"}, flags...)...)
			assert.Equal(t, []int{row.doctor, row.doctor, row.serve}, []int{said.code, asJSON.code, served.code}, "%s%s", said.stdout, served.stderr)
			assert.Contains(t, served.stderr, want)
			assert.Contains(t, said.stdout+said.stderr, want)
			if there {
				assert.Equal(t, before, p.seen(), "what is refused is left as it is")
			} else if row.serve == mistake {
				assert.NoDirExists(t, p.state, "what is refused is not begun")
			}
			if row.layer == "self-test" {
				assert.Contains(t, served.stderr, "hint: "+selfTestRemedy)
				assert.Contains(t, said.stdout, "do:  "+selfTestRemedy)
			}
			if row.layer == "" {
				return // the configuration cannot be read
			}
			good, rows := diagnose(t, asJSON.stdout)
			assert.Equal(t, row.doctor == 0, good)
			blamed := rows[row.layer]
			assert.Equal(t, []bool{row.doctor == 0, row.doctor != 2 && want != "tcp.listen: " && row.layer != "self-test"}, []bool{blamed.OK, blamed.InUse})
			assert.Contains(t, blamed.Detail, want)
			if row.doctor == 0 {
				assert.Contains(t, said.stdout, "safe-exec serve would start once what is in use is free: "+row.layer+"\n")
				assert.Regexp(t, `(?m)^in use   `+row.layer+` `, said.stdout)
			} else {
				assert.Contains(t, said.stdout, "safe-exec serve would refuse to start\n")
				assert.Equal(t, 1, strings.Count(said.stdout, "MISSING  "+row.layer+" "), said.stdout)
			}
		})
	}
}

// A second daemon is refused before anything slow begins, and the first notices
// nothing: its broker, another user, still passes through the state directory.
func TestARefusedDaemonLeavesTheRunningOneAlone(t *testing.T) {
	t.Parallel()
	state := newState(t)
	d := start(t, "--state-dir", state, "--config", program(t, "c.yaml", noSpares+"broker_user: 1499000001\n"))
	p := &place{t: t, state: state}
	before := p.seen()
	for _, text := range []string{"broker_user: 1499000001\n", ""} {
		other := newSocket(t)
		got := invoke(t, "serve", "--socket", other, "--state-dir", state, "--config", program(t, "c.yaml", text))
		assert.Equal(t, 125, got.code)
		assert.Contains(t, got.stderr, "another daemon, pid "+d.pid()+", uses state_dir "+state)
		assert.Contains(t, got.stderr, "--state-dir")
		assert.NotContains(t, got.stderr, "chown")
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
		assert.Equal(t, before, p.seen())
	}
	for range 8 { // the ledger opens new files in between
		assert.Equal(t, outcome{0, "1\n", ""}, invoke(t, "run", "--socket", d.socket, program(t, "p.py", "print(1)")))
	}
}

// Who starts the daemon, from where, is nothing to the broker, which is elsewhere.
func TestAStateDirectoryMayBeNamedFromWhereServeIsStarted(t *testing.T) {
	t.Parallel()
	state := newState(t)
	d := launchBy(t, []string{"sh", "-c", `cd "$0" && exec "$@"`, filepath.Dir(state)}, newSocket(t), "--state-dir", filepath.Base(state), "--config", program(t, "c.yaml", noSpares))
	d.expect(t, "READY=1")
	assert.Equal(t, outcome{0, "1\n", ""}, invoke(t, "run", "--socket", d.socket, program(t, "p.py", "print(1)")))
	assert.FileExists(t, filepath.Join(state, "broker", "jobs.db"))
}
