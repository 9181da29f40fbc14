// Package policy is the vocabulary that all other packages speak: what a
// caller asks for (Request), what an operator allows (Profile), what will be
// enforced (Spec), what came of it (Result), and the one-method interface
// (Executor) behind which a run happens.
//
// It imports the standard library only and touches neither the kernel nor the
// network, so every decision in it is a pure function with a table test.
//
// What does not belong here: how a limit is enforced (nsjail, cgroup,
// seccomp), and how a request travels (httpapi).
package policy
