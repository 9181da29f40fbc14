package vmtest

import (
	"fmt"
	"path"
	"strings"
)

// Paths of the interpreters, the same on the host and in the machine.
const (
	pythonPath = "/usr/bin/python3.11"
	pythonLib  = "/usr/lib/python3.11"
	nodePath   = "/usr/bin/node"
)

// tools are the small programs that tests start as stand-ins for a payload, or to
// become what they test.
var tools = []string{"/bin/sh", "/bin/cat", "/bin/sleep", "/bin/true", "/bin/false", "/bin/mount", "/usr/bin/setpriv"}

// hostDirs are data that interpreters and the search for libraries use where
// a host has them.
var hostDirs = []string{"/etc/ld.so.conf.d", "/usr/share/zoneinfo", "/usr/lib/locale"}

// passwd is longer than the two lines of a jail's own, so that a probe can tell
// them apart.
const passwd = `root:x:0:0:root:/root:/bin/sh
daemon:x:1:1:daemon:/usr/sbin:/bin/false
bin:x:2:2:bin:/bin:/bin/false
sys:x:3:3:sys:/dev:/bin/false
mail:x:8:8:mail:/var/mail:/bin/false
nobody:x:65534:65534:nobody:/:/bin/false
`

// Userland adds what a test finds on any host: the interpreters, a shell and a
// few tools, and a minimum of configuration.
func (t *Tree) Userland() error {
	for _, p := range tools {
		if err := t.program(p); err != nil {
			return err
		}
	}
	for _, p := range hostDirs {
		if !isDir(p) {
			continue
		}
		real, err := t.Same(p)
		if err != nil {
			return err
		}
		if err := t.Walk(real, real); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"/etc/ld.so.conf": "include /etc/ld.so.conf.d/*.conf\n",
		"/etc/passwd":     passwd,
		"/etc/group":      "root:x:0:\nnogroup:x:65534:\n",
		"/etc/hosts":      "127.0.0.1 localhost\n",
	} {
		t.Bytes(name, 0o644, []byte(text))
	}
	return t.interpreters()
}

// interpreters adds Python and Node with all they need at run time. Compiled Python files stay out,
// since a run writes them again and the product does not trust them; so do
// Python's own tests, its windows, and what it is linked into other programs from.
func (t *Tree) interpreters() error {
	for _, p := range []string{pythonPath, nodePath} {
		if err := t.program(p); err != nil {
			return err
		}
	}
	if _, err := t.Same("/usr/bin/python3"); err != nil {
		return fmt.Errorf("python: %w", err)
	}
	if err := t.Walk(pythonLib, pythonLib, "__pycache__", "config-3.11-x86_64-linux-gnu", "test", "tests", "idlelib", "tkinter", "turtledemo"); err != nil {
		return fmt.Errorf("python: %w", err)
	}
	// Extension modules bring libraries that the interpreter does not name.
	for name, n := range t.nodes {
		if strings.HasPrefix(name, pythonLib) && path.Ext(name) == ".so" && n.host != "" {
			if err := t.Libraries(n.host); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Tree) program(host string) error {
	real, err := t.Same(host)
	if err != nil {
		return err
	}
	return t.Libraries(real)
}
