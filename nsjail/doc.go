// Package nsjail runs one program in one jail and says what became of it.
//
// Runner implements policy.Executor. For each run it makes a cgroup leaf and a
// pair of host uids, has the spawner clone an init into fresh namespaces inside
// that leaf (package child), waits until the harness in the payload's process
// has loaded the steady filter, compares the jail's posture from outside with
// what was asked for (package posture), and only then hands over the user's
// code. The verdict is a pure function (judge) of what the kernel, the cgroup,
// the filter's listener and the daemon's clock say.
//
// A jail is used once. Whatever happens, its undo list ends it: the cgroup is
// killed and awaited, the pipes are closed, the leaf removed, the uids given
// back.
//
// It knows nothing of HTTP and never opens, parses or trusts what a payload
// made.
package nsjail
