// Package testproc is for tests that look at processes: it stops or kills one at a system
// call, so that a test sees the instant between two steps and need not hope to hit it,
// and it keeps the tests of a package apart from what else goes on on the host.
package testproc
