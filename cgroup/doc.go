// Package cgroup holds each run to its memory, task and processor limits,
// counts what it used, and ends it as a whole. It protects the host and the
// other runs from a program that allocates, forks or spins without end: one
// leaf cgroup per run, made below a parent that belongs to the daemon, itself
// below the daemon's own cgroup and nowhere else.
//
// cgroup v2 and v1 stand behind one interface. A host must have all of memory,
// pids and cpu (v1: and cpuacct) in one of the two versions; Probe says which
// it is, or what an operator has to do. Nobody's cgroup.subtree_control is
// written but that of the daemon's parent, of a cgroup that systemd delegated
// to the daemon, or where Options.EnableControllers asks for it.
//
// A process is born inside its leaf (Joiner); it is never moved there, since
// that would leave it a moment without limits.
//
// v1 has no operation that kills a group, and v2's misses processes of a
// certain shape on some kernels. So a group is first forbidden to fork
// (pids.max 0) and then killed through process descriptors until it is empty;
// this wins against any fork loop without the freezer controller.
//
// Left out: weights, cpusets, devices, block and network control, limits on
// the parent as a whole, and the cgroup namespace of the program, which the
// jail sets up.
package cgroup
