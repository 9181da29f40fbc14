package escape

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// Targets are what the battery plants for probes to reach: on the host, owned
// by the battery, harmless. A jail that holds shows none of them.
type Targets struct {
	dir    string
	lock   *os.File // on dir: its owner lives
	Canary string   // random text; who has it has read what holds it
	// Environ is to be found in the environment of controls and of the process
	// that runs the jails.
	Environ  Variable
	listener []net.Listener
	arrived  atomic.Int64 // connections that reached a planted listener
	replace  []string
}

const overflowID = 65534 // nobody

// Plant makes the targets of the whole battery; Remove takes them away.
func Plant() (*Targets, error) {
	t, err := plant()
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
func plant() (_ *Targets, err error) {
	t := &Targets{Canary: "canary-" + rand.Text()}
	t.Environ = Variable{EnvironCanary, t.Canary}
	defer func() {
		if err != nil {
			t.Remove()
		}
	}()
	if t.dir, t.lock, err = plantDir(); err != nil {
		return nil, err
	}
	if err := os.Chmod(t.dir, 0o755); err != nil {
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
	socket := filepath.Join(t.dir, "socket")
	abstract := "safe-exec-" + rand.Text()
	tcp, err := t.listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if _, err := t.listen("unix", socket); err != nil {
		return nil, err
	}
	if err := os.Chmod(socket, 0o666); err != nil {
		return nil, err
	}
	// Older libuv fills an abstract name up with NULs, which makes it another one.
	filled := "@" + abstract + strings.Repeat("\x00", 107-len(abstract))
	for _, name := range []string{"@" + abstract, filled} {
		if _, err := t.listen("unix", name); err != nil {
			return nil, err
		}
	}
	t.replace = []string{
		"@CANARY@", t.Canary, "@DIR@", t.dir, "@READABLE@", readable, "@WRITABLE@", writable,
		"@SOCKET@", socket, "@ABSTRACT@", abstract, "@PORT@", strconv.Itoa(tcp.Addr().(*net.TCPAddr).Port),
	}
	return t, nil
}

// listen answers every connection with the canary.
func (t *Targets) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("plant a %s listener: %w", network, err)
	}
	t.listener = append(t.listener, l)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.arrived.Add(1)
			_, _ = c.Write([]byte(t.Canary))
			c.Close()
		}
	}()
	return l, nil
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
	for _, l := range t.listener {
		l.Close()
	}
	if t.dir != "" {
		os.RemoveAll(t.dir)
	}
	if t.lock != nil {
		t.lock.Close()
	}
}
