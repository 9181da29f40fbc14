package link

import (
	"maps"
	"slices"

	"safe-exec/policy"
)

// request appends all of a request but what the executor decides itself
// (Privileged, Weight and the ceilings) and who hears of it (Watch).
func (e *encoder) request(r policy.Request) {
	e.caller(r.Caller)
	for _, s := range texts(&r) {
		e.text(*s)
	}
	e.texts(r.Deny)
	for _, v := range limits(&r.Limits) {
		e.optional(*v)
	}
	e.texts(r.Input.Args)
	e.number(uint32(len(r.Input.Env)))
	for _, name := range slices.Sorted(maps.Keys(r.Input.Env)) {
		e.text(name)
		e.text(r.Input.Env[name])
	}
	e.number(uint32(len(r.Input.Files)))
	for _, f := range r.Input.Files {
		e.text(f.Path)
		e.bytes(f.Content)
	}
	e.bit(r.Collect != nil)
	e.texts(r.Collect)
}

// request takes one. Sizes are those of the frame and of lists; what a request
// may hold is policy's to say.
func (d *decoder) request() (r policy.Request) {
	r.Caller = d.caller()
	for _, s := range texts(&r) {
		*s = d.text()
	}
	r.Deny = d.texts()
	for _, v := range limits(&r.Limits) {
		*v = d.optional()
	}
	r.Input.Args = d.texts()
	if n := d.count(); n > 0 {
		r.Input.Env = make(map[string]string, n)
		before := ""
		for i := range n {
			name := d.text()
			if i > 0 && name <= before {
				d.fail("names of the environment out of order")
			}
			r.Input.Env[name], before = d.text(), name
		}
	}
	if n := d.count(); n > 0 {
		r.Input.Files = make([]policy.InputFile, n)
		for i := range r.Input.Files {
			r.Input.Files[i] = policy.InputFile{Path: d.text(), Content: d.bytes()}
		}
	}
	given := d.bit()
	r.Collect = d.texts()
	switch {
	case given && r.Collect == nil:
		r.Collect = []string{}
	case !given && r.Collect != nil:
		d.fail("globs that were not given")
	}
	return r
}

func texts(r *policy.Request) []*string {
	return []*string{&r.Language, &r.Code, &r.Level, &r.Profile, &r.StartMode, &r.Input.Stdin}
}

func limits(l *policy.LimitsRequest) []**int64 {
	return []**int64{&l.TimeoutMS, &l.MaxMemoryMB, &l.MaxStdoutBytes, &l.MaxStderrBytes}
}

func (e *encoder) caller(c policy.Caller) {
	e.bit(c.Local)
	if c.Local {
		e.number(c.UID)
		e.number(c.GID)
		return
	}
	e.text(c.Token)
}

// caller has either ids or a token: one that had both would be two. It is kept beyond
// the run, among those for whom jails wait, so its name is no longer than a token's.
func (d *decoder) caller() (c policy.Caller) {
	if c.Local = d.bit(); c.Local {
		c.UID, c.GID = d.number(), d.number()
	} else {
		c.Token = d.text()
	}
	if c.Token != "" && !policy.ValidTokenName(c.Token) {
		d.fail("a token of a name that none may have")
		c.Token = ""
	}
	return c
}

// size is a little more than a request takes in a frame.
func size(r policy.Request) int {
	n := 256
	for _, s := range texts(&r) {
		n += len(*s)
	}
	for _, list := range [][]string{r.Deny, r.Input.Args, r.Collect} {
		for _, s := range list {
			n += len(s) + 4
		}
	}
	for name, value := range r.Input.Env {
		n += len(name) + len(value) + 8
	}
	for _, f := range r.Input.Files {
		n += len(f.Path) + len(f.Content) + 8
	}
	return n
}

// longest is how many items the longest of its lists has.
func longest(r policy.Request) int {
	return max(len(r.Deny), len(r.Input.Args), len(r.Collect), len(r.Input.Env), len(r.Input.Files))
}
