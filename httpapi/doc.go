// Package httpapi is the door of the daemon: HTTP on a Unix socket in front of
// a policy.Executor.
//
// It protects the daemon from its callers, who are local processes that may
// send anything: who calls is read from the socket (SO_PEERCRED), never from
// the request; a slot is taken before a byte of the body is read; the body is
// bounded and decoded strictly; and every failure leaves as one kind of
// document (RFC 9457) that names the field and hides internal causes. The
// text of a program never reaches a log, only its SHA-256 and its length.
//
// It leaves out everything that happens to a program: limits, policy and jail
// are behind policy.Executor. It needs no privilege and imports no package
// that makes jails, so it can run in a process of its own. Who may open the
// socket is a matter of the socket file's mode and group, which whoever makes
// the listener sets.
package httpapi
