// Package seccomp holds system call filters as values: the reviewable policy
// (ParsePolicy), the kernel's program (Program), its loading (Install), and the
// answering of what a filter reports (Notifier).
//
// It protects the host's kernel from the interpreter and everything the
// interpreter executes, which is treated as native code of an attacker. Every
// policy is an allow list: a call that no rule names gets the default action,
// which may not be Allow.
//
// It leaves out what a filter cannot see: paths, structures behind pointers and
// what a descriptor refers to. Those are Landlock's and the namespaces' part.
// Turning a Policy into a Program needs libseccomp and is in seccomp/compile,
// so that this package stays free of cgo.
package seccomp
