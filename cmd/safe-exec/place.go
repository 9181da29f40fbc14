package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"safe-exec/internal/broker"
)

// mistakeError is the operator's to mend: starting again will not.
type mistakeError struct{ error }

func (e *mistakeError) Unwrap() error { return e.error }

// busyError is about something that another process has at this moment.
type busyError struct{ error }

func (e *busyError) Unwrap() error { return e.error }

// whatToServe adds the flags of a daemon, and gives what reads the configuration
// that they name, under them.
func whatToServe(fs *flags) (load func() (config, error)) {
	path := fs.String("config", "", "configuration `FILE` (YAML)")
	socket := fs.String("socket", "", "listen on this `PATH` (default "+defaultSocket+")")
	stateDir := fs.String("state-dir", "", "keep cache, jobs and ledger in this `DIR` (default "+defaultStateDir+")")
	return func() (config, error) {
		conf, err := loadConfig(*path)
		if err != nil {
			return conf, err
		}
		conf.Socket, conf.StateDir = cmp.Or(*socket, conf.Socket), cmp.Or(*stateDir, conf.StateDir)
		if err := cmp.Or(conf.check(), conf.checkDescriptors()); err != nil {
			return conf, err
		}
		// The broker works in another directory.
		conf.StateDir, err = filepath.Abs(conf.StateDir)
		return conf, err
	}
}

// look is one thing that the configuration names on this host.
type look struct {
	name, usedFor, remedy string
	found                 string
	err                   error // *mistakeError or *busyError
	warning               bool  // without err: nothing keeps serve from starting, and it may not be what is meant
}

// looks finds out which mistakes serve would stumble over, and what is in use as far
// as that can be told without taking it. It changes nothing.
func (c config) looks() []look {
	uid, gid, err := c.brokerUser()
	user := look{
		name: "broker_user", usedFor: "who the process is that talks to callers", remedy: "give broker_user another user or number",
		found: fmt.Sprintf("uid %d, gid %d", uid, gid), err: mistake(err),
	}
	state := look{
		name: "state_dir", usedFor: "cache of the executor; jobs and ledger of the broker", remedy: "mend it as it says, or choose another: state_dir in the configuration, or --state-dir",
		found: c.StateDir + " is free",
	}
	if err != nil {
		state.err = mistake(errors.New("whether the broker can use it depends on broker_user"))
	} else {
		state.err = inUse(broker.Look(c.StateDir, uid, gid))
	}
	_, err = c.TCP.read(c.Callers)
	tcp := look{
		name: "tcp", usedFor: "callers with tokens", remedy: "mend the key or file that it names", found: "not asked for", err: mistake(err),
	}
	if c.TCP.Listen != "" {
		tcp.found = c.TCP.Listen + " is free, its files are good"
	}
	socket := look{
		name: "socket", usedFor: "callers of this host", remedy: "choose another path: socket in the configuration, or --socket",
		found: c.Socket + " is free", err: cmp.Or(mistake(c.lookApart()), lookSocket(c.Socket)),
	}
	return []look{user, state, socket, c.lookGroup(), tcp}
}

// lookGroup says who may connect to the socket. Without a group it is root's alone,
// which keeps nothing from starting.
func (c config) lookGroup() look {
	l := look{
		name: "group", usedFor: "callers of this host who are not root", warning: true,
		remedy: "make it (groupadd --system NAME) and join it, or name another: group in the configuration",
	}
	dir := filepath.Dir(c.Socket)
	gid, err := groupID(c.Group)
	_, missing := os.Stat(dir)
	switch {
	case err != nil:
		l.found = fmt.Sprintf("there is no group %q: only root may run programs by the socket", c.Group)
	case missing == nil && !passable(dir, gid):
		l.found, l.remedy = fmt.Sprintf("members of %s cannot enter %s", c.Group, dir), "let them pass (chmod o+x), or choose another path: socket in the configuration"
	default:
		l.found, l.remedy, l.warning = fmt.Sprintf("members of %s, gid %d", c.Group, gid), "", false
	}
	return l
}

// tries is looks for who will not serve: whether somebody listens where the daemon
// is to is found out by connecting there, and by listening for a moment.
func (c config) tries() []look {
	all := c.looks()
	for i, one := range all {
		switch {
		case one.err != nil:
		case one.name == "socket":
			all[i].err = listenedOn(c.Socket)
		case one.name == "tcp":
			e, err := c.TCP.open(c.Callers)
			if all[i].err = err; err == nil {
				e.close()
			}
		}
	}
	return all
}

func mistake(err error) error {
	if err == nil {
		return nil
	}
	return &mistakeError{err}
}

// inUse tells the two kinds apart for the state directory. One that another daemon
// uses and that could not be used after it either is busy now, and a mistake then.
func inUse(err error) error {
	var used *broker.InUseError
	if errors.As(err, &used) {
		return &busyError{err}
	}
	return mistake(err)
}

// firstMistake is nil where nothing but time is needed.
func firstMistake(all []look) error {
	for _, one := range all {
		var m *mistakeError
		if errors.As(one.err, &m) {
			return one.err
		}
	}
	return nil
}
