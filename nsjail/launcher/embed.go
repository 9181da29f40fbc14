// Package launcher holds the program that a jail runs in place of an
// interpreter when root looks at the lock-down from inside (safe-exec jail). It
// loads the steady filter with the shim's code, answers the daemon as a harness
// does, and executes the program that the image holds.
//
// It protects nothing by itself: the daemon proves the jail from outside, as for
// every run. What the filter lets a program do beside what it lets an
// interpreter do is in profiles/native.syscalls.
//
// The binary is built by the Makefile beside this file before the Go code.
package launcher

import _ "embed"

//go:embed build/safe-exec-launcher
var launcher []byte

// Launcher is the static executable. The caller must not change the bytes.
func Launcher() []byte { return launcher }

// Paths in the image: the launcher's own, and that of the program it becomes,
// which is written in its source.
const (
	Path    = "/usr/bin/launcher"
	Program = "/usr/bin/program"
)
