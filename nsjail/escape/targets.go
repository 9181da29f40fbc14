package escape

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Targets are what the battery plants for probes to reach: on the host, owned
// by the battery, harmless. A jail that holds shows none of them.
//
// Nobody but a probe can have touched what is counted. The files and a socket lie
// in a directory whose name is random, below one that can be passed and not listed:
// a probe has the path in its text, other users of the host have it from nowhere.
// Who connects to what everybody can find must send the secret, which is in
// nothing but a probe's text either.
type Targets struct {
	outer  string   // everybody may pass it, nobody may list it
	lock   *os.File // on outer: its owner lives
	dir    string   // in outer
	inside *os.File // dir
	Canary string   // random text; who has it has read what holds it
	secret string   // random text that probes send
	// Environ is to be found in the environment of controls and of the process
	// that runs the jails.
	Environ  Variable
	arrivals arrivals
	replace  []string
}

const overflowID = 65534 // nobody

// Plant makes the targets of the whole battery below os.TempDir; Remove takes them
// away.
func Plant() (*Targets, error) {
	t, err := plant(os.TempDir())
	if err != nil {
		return nil, err
	}
	if err := t.plantSetuid(); err != nil {
		t.Remove()
		return nil, err
	}
	return t, nil
}

// plantSetuid plants what looks like a find to who searches for set-uid
// programs; it is text, of nobody.
func (t *Targets) plantSetuid() error {
	setuid := filepath.Join(t.dir, "setuid")
	if err := os.WriteFile(setuid, []byte(t.Canary), 0o644); err != nil {
		return err
	}
	if err := os.Chown(setuid, overflowID, overflowID); err != nil {
		return err
	}
	return os.Chmod(setuid, os.ModeSetuid|0o755)
}

// plant makes what the short form needs: files and listeners.
func plant(parent string) (_ *Targets, err error) {
	t := &Targets{Canary: "canary-" + rand.Text(), secret: "secret-" + rand.Text()}
	t.arrivals.greeting, t.arrivals.secret = t.Canary, t.secret
	t.Environ = Variable{EnvironCanary, t.Canary}
	defer func() {
		if err != nil {
			t.Remove()
		}
	}()
	if t.outer, t.lock, err = plantDir(parent); err != nil {
		return nil, err
	}
	if err := t.lock.Chmod(0o711); err != nil {
		return nil, err
	}
	t.dir = filepath.Join(t.outer, rand.Text())
	if err := os.Mkdir(t.dir, 0o700); err != nil {
		return nil, err
	}
	if t.inside, err = os.Open(t.dir); err != nil {
		return nil, err
	}
	if err := t.inside.Chmod(0o755); err != nil { // whatever the umask
		return nil, err
	}
	readable, writable := filepath.Join(t.dir, "readable"), filepath.Join(t.dir, "writable")
	for path, mode := range map[string]os.FileMode{readable: 0o644, writable: 0o666} {
		if err := os.WriteFile(path, []byte(t.Canary), mode); err != nil {
			return nil, err
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask
			return nil, err
		}
	}
	abstract := "safe-exec-" + rand.Text()
	if err := t.listen(abstract); err != nil {
		return nil, err
	}
	port, err := t.arrivals.listenTCP()
	if err != nil {
		return nil, err
	}
	t.replace = []string{
		"@CANARY@", t.Canary, "@DIR@", t.dir, "@READABLE@", readable, "@WRITABLE@", writable, "@SECRET@", t.secret,
		"@SOCKET@", filepath.Join(t.dir, socketName), "@ABSTRACT@", abstract, "@PORT@", strconv.Itoa(port),
	}
	return t, nil
}

const socketName = "socket"

// listen plants the sockets of the host: one at a path, the rest abstract.
func (t *Targets) listen(abstract string) error {
	// /proc/net/unix shows everybody the path that a socket was bound by: so it is
	// one that leads nobody else here.
	bound := fmt.Sprintf("/proc/self/fd/%d/%s", t.inside.Fd(), socketName)
	if err := t.arrivals.listen("unix", bound, foundByProbes); err != nil {
		return err
	}
	if err := os.Chmod(filepath.Join(t.dir, socketName), 0o666); err != nil {
		return err
	}
	// Older libuv fills an abstract name up with NULs, which makes it another one.
	filled := "@" + abstract + strings.Repeat("\x00", 107-len(abstract))
	for _, name := range []string{"@" + abstract, filled} {
		if err := t.arrivals.listen("unix", name, foundByAll); err != nil {
			return err
		}
	}
	return nil
}

// fill puts the targets' names into a probe's source.
func (t *Targets) fill(source string) string {
	return strings.NewReplacer(append(t.replace, "@ENVIRON_NAME@", t.Environ.Name, "@ENVIRON_VALUE@", t.Environ.Value)...).Replace(source)
}

// lacking says why a probe cannot be asked with these targets, "" if it can.
func (t *Targets) lacking(p Probe) string {
	if t.Environ == (Variable{}) && strings.Contains(p.source, "@ENVIRON_") {
		return "the daemon's environment holds nothing to know it by"
	}
	return ""
}

// touched says what became of the writable file, "" if it is what was planted,
// and plants it again.
func (t *Targets) touched() string {
	path := filepath.Join(t.dir, "writable")
	b, err := os.ReadFile(path)
	what := "the planted file was changed"
	switch {
	case err == nil && string(b) == t.Canary:
		return ""
	case err != nil:
		what = "the planted file is gone: " + err.Error()
	}
	_ = os.WriteFile(path, []byte(t.Canary), 0o666)
	return what
}

// Remove ends the listeners and removes the files.
func (t *Targets) Remove() {
	t.arrivals.close()
	if t.outer != "" {
		os.RemoveAll(t.outer)
	}
	for _, f := range []*os.File{t.inside, t.lock} {
		if f != nil {
			f.Close()
		}
	}
}
