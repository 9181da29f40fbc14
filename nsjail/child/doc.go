// Package child is everything that runs between the daemon and the user's
// program: the spawner, and the init of each jail. It is linked into a static
// program of its own without cgo, HTTP or YAML, because every run that is started
// cold pays for its start.
//
// # Theory of operation
//
// daemon: host root, in the host's namespaces. Parses requests, holds the
// cgroup leaves, decides verdicts. Executes none of the below by path: it
// starts the spawner from a sealed memory file.
//
// spawner: host root, in a mount namespace of its own whose root holds nothing
// but the profiles' images, device nodes and /proc; the host's tree is
// detached. Small, so that cloning it is cheap (with CLONE_NEWUSER the Go
// runtime forks without vfork, so a start would cost more the larger the
// daemon is). Clones the inits straight into their cgroup leaves.
//
// init: pid 1 of the jail, a host uid of its own. Puts the root together,
// forks the payload, then drops every privilege and becomes the supervisor: a
// small program without a library (nsjail/shim/src/supervisor.c) that waits for
// the payload and hands over the files which it left. When its control socket
// closes it exits, and the kernel kills all that is left in its pid namespace. The
// payload has another uid: it can neither signal nor inspect it.
//
// payload: the interpreter with the harness, another host uid, no
// capabilities, Landlock, the start-up filter; later the steady filter. Its
// descriptors are /dev/null, two pipes, and the job socket, which the harness
// closes before the first byte of the user's program runs.
//
// # Forks
//
// template: an interpreter that is ready and never sees a user's text, in a
// jail of its own: the payload of an init like any other, but with the two
// capabilities that map ids, and without Landlock and filter. It serves the
// daemon's orders (nsjail/shim/src/fork.c). An order is a list of system calls
// that is written here (ForkOrder), so that one reader sees both ways to start,
// and the payload's list is one and the same.
//
// forked init: cloned by the template into new namespaces and the run's leaf. It
// begins in the template's memory, of which the payload gets a copy, then drops
// everything and becomes the supervisor as well. Its ids are of the range that the template's user
// namespace maps, so the template can give them.
//
// The forks live in the pid namespace of the template's init and end with it.
package child
