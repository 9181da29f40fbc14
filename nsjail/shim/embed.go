// Package shim holds the native shim: the little C that runs in the payload's
// process, inside the interpreter, and loads the steady seccomp filter on all
// of its threads just before the user's text is read. It protects the host
// from the program by taking away what only start-up needed; that it worked is
// believed only after the daemon has looked from outside.
//
// Python's also holds what the import policy cannot do in Python: an audit hook
// that a program cannot find, and str.format with a question before it.
//
// In a template it forks jails (fork.h), and it holds the program that every init
// ends as.
//
// What does not belong here: the filter's content (seccomp), and the protocol
// around the lock-down (wire and the harnesses).
//
// The binaries are built by the Makefile beside this file before the Go code.
package shim

import _ "embed"

//go:embed build/_safe_exec.abi3.so
var python []byte

//go:embed build/safe_exec.node
var node []byte

//go:embed build/supervisor
var supervisor []byte

// Supervisor is the program that the inits of forks become, a static executable.
// The caller must not change the bytes.
func Supervisor() []byte { return supervisor }

// Python is the CPython extension module _safe_exec on the stable ABI. The
// caller must not change the bytes.
func Python() []byte { return python }

// Node is the Node-API addon safe_exec. The caller must not change the bytes.
func Node() []byte { return node }
