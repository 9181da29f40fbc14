package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"safe-exec/httpapi"
	"safe-exec/internal/broker"
	"safe-exec/internal/link"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail"
	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
)

// What the broker is where the configuration does not say: this user, or else this
// number, just below those of jails.
const defaultBrokerUser = "safe-exec-broker"

var defaultBrokerUID = lease.DefaultRange.First - 1

// brokerUser is who the broker is to be.
func (c config) brokerUser() (uid, gid uint32, err error) {
	if n, err := strconv.ParseUint(c.BrokerUser, 10, 32); err == nil {
		uid, gid = uint32(n), uint32(n)
	} else if uid, gid, err = lookup(c.BrokerUser); err != nil {
		return 0, 0, fmt.Errorf("broker_user: %w", err)
	}
	switch {
	case uid == 0 || gid == 0:
		return 0, 0, fmt.Errorf("broker_user is %d:%d, it must not be root or of root's group", uid, gid)
	case uid+1 == 0 || gid+1 == 0:
		return 0, 0, fmt.Errorf("broker_user is %d:%d, which is nobody's number", uid, gid)
	case c.ofJails(uid) || c.ofJails(gid):
		return 0, 0, fmt.Errorf("broker_user is %d:%d, which lies within uids: those are the jails'", uid, gid)
	}
	return uid, gid, nil
}

func (c config) ofJails(id uint32) bool { return id >= c.UIDs.First && id-c.UIDs.First < c.UIDs.Count }

func lookup(name string) (uid, gid uint32, err error) {
	usual := name == ""
	if usual {
		name = defaultBrokerUser
	}
	u, err := user.Lookup(name)
	if err != nil {
		if usual {
			return defaultBrokerUID, defaultBrokerUID, nil
		}
		return 0, 0, err
	}
	id, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return 0, 0, err
	}
	group, err := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(id), uint32(group), err
}

// claim takes the state directory for this daemon. Nothing of it may be changed
// before.
func (c config) claim() (*broker.State, error) {
	uid, gid, err := c.brokerUser()
	if err != nil {
		return nil, err
	}
	return broker.Claim(c.StateDir, uid, gid)
}

// listen makes the socket that callers connect to.
func (c config) listen(log *slog.Logger) (*net.UnixListener, error) {
	gid, err := groupID(c.Group)
	if err != nil {
		log.Warn("no group for the socket: only root may run programs", "group", c.Group, "error", err)
	}
	if err == nil && !passable(filepath.Dir(c.Socket), gid) {
		log.Warn("members of the group cannot enter the socket's directory", "group", c.Group, "directory", filepath.Dir(c.Socket))
	}
	l, err := listen(c.Socket, gid)
	if err != nil {
		return nil, err
	}
	return l.(*net.UnixListener), nil
}

// linkConfig is what the link serves: the guard in front of the runner.
func (c config) linkConfig(r *nsjail.Runner, g *escape.Guard, tokens httpapi.Tokens, status func() broker.Status, log *slog.Logger) link.ServerConfig {
	return link.ServerConfig{
		Engine: g, Resolve: r.Check, Authorize: func(r *policy.Request) error { return c.authorize(r, tokens) }, Logger: log,
		Describe: func() any { return describe(r, g, status()) },
		InFlight: 2*c.Runs + c.Jobs.runs(c.Runs), // for callers who wait, for jobs, and what is still being killed
	}
}

// authorize writes into a request what its caller may, by the operator's word. A token
// is a caller if the operator gave it.
func (c config) authorize(r *policy.Request, tokens httpapi.Tokens) (err error) {
	if who := r.Caller; !who.Local && who.Token != "" && !tokens.Has(who.Token) {
		return &policy.Error{Code: policy.CodeForbidden, Message: "there is no such token"}
	}
	r.Privileged = r.Caller.Root()
	r.Weight = orZero(c.grantOf(r.Caller).Weight)
	r.Ceiling, r.CeilingLimits, err = c.ceilings(r.Caller)
	return err
}

// brokerSettings is what the broker is told: nothing that it could find out by a
// path.
func (c config) brokerSettings(tcp *tcpEndpoint) brokerSettings {
	return brokerSettings{
		Runs: c.Runs, Queue: c.Queue, Callers: c.Callers, Others: c.Others, Audit: c.Audit, Jobs: c.Jobs,
		Tokens: tcp.Tokens, Hosts: c.TCP.Hosts, CertPEM: tcp.CertPEM, KeyPEM: tcp.KeyPEM,
	}
}

// supervisor makes what keeps a broker running on the listeners, with dir for its own.
func (c config) supervisor(dir string, l *net.UnixListener, tcp *tcpEndpoint, r *nsjail.Runner, g *escape.Guard, log *slog.Logger) (s *broker.Supervisor, err error) {
	var files []*os.File
	for _, one := range tcp.beside(l) {
		file, err := one.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	settings, err := json.Marshal(c.brokerSettings(tcp))
	if err != nil {
		return nil, err
	}
	conf, err := c.brokerConfig(dir, log)
	if err != nil {
		return nil, err
	}
	conf.Listeners, conf.Settings = files, settings
	conf.Link = c.linkConfig(r, g, tcp.Tokens, func() broker.Status { return s.Status() }, log)
	s, err = broker.New(conf)
	return s, err
}

// brokerConfig is all of a broker's confinement to dir.
func (c config) brokerConfig(dir string, log *slog.Logger) (broker.Config, error) {
	uid, gid, err := c.brokerUser()
	if err != nil {
		return broker.Config{}, err
	}
	filter, err := wiring.BrokerFilter()
	return broker.Config{
		UID: uid, GID: gid, Dir: dir, Args: []string{"safe-exec", brokerName}, Filter: filter, Stderr: os.Stderr, Log: log,
	}, err
}

// describe turns what the executor knows into what the API tells.
func describe(r *nsjail.Runner, g *escape.Guard, s broker.Status) httpapi.Description {
	uids, parent := r.Owned()
	spares, templates := r.Waiting()
	return httpapi.Description{Version: version, Runtimes: r.Runtimes(), Posture: httpapi.Posture{
		Kernel: r.Kernel(), Cgroup: r.CgroupVersion(), Layers: r.Layers(),
		Check: httpapi.PostureCheck(g.Status()), Quarantined: r.Quarantined(), Spares: spares, Templates: templates,
		CgroupParent: parent, UIDs: httpapi.UIDRange(uids), Processes: processes(s),
	}}
}

// processes are the two of a daemon.
func processes(s broker.Status) []httpapi.Process {
	return []httpapi.Process{
		{
			Name: "executor", Purpose: "makes and ends jails; reads of the other process bounded frames only",
			UID: uint32(os.Geteuid()), GID: uint32(os.Getegid()), Capabilities: effectiveCapabilities(), Tried: []string{}, Starts: 1,
		},
		{
			Name: brokerName, Purpose: "talks to callers and keeps what is theirs; makes no jail",
			UID: s.UID, GID: s.GID, Capabilities: "0000000000000000", NoNewPrivs: true, Filter: s.Filter, LandlockABI: s.LandlockABI,
			Proved: &s.Proved, Tried: s.Tried, Starts: s.Starts,
		},
	}
}

// effectiveCapabilities of this process, as /proc shows the set.
func effectiveCapabilities() string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if set, ok := strings.CutPrefix(line, "CapEff:"); ok {
			return strings.TrimSpace(set)
		}
	}
	return ""
}
