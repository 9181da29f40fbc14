// Package broker starts, confines and proves the process of the daemon that
// talks to callers, and starts it again when it dies.
//
// The broker parses what anybody on the socket sends, so it is taken for hostile
// from its first request on. It is this program again, as an unprivileged uid
// with no group, no capability and no way to new ones, under Landlock (one
// directory, nothing to execute, no TCP, no signal out of its domain) from
// before it is executed, and under a system call allowlist that it puts on all
// its threads before it reads anything but the list. It has the descriptors of
// the link, of the listeners and of the log. The executor looks at it from
// outside before it gives it the configuration; what /proc does not show the
// broker has tried by then, at a time when nobody could have told it anything.
//
//	executor                                    broker
//	drop the bounding set, no_new_privs,
//	Landlock, on a thread of its own
//	clone, setgroups, setgid, setuid, exec ---> undumpable, no core files
//	Hello{filter} ----------------------------> try what Landlock must refuse
//	                                            filter on all threads
//	                                            try what the filter must refuse
//	<------------------------------ Hello{report}
//	read /proc/<pid>, compare
//	Config -----------------------------------> serve
//
// When the broker dies, its runs end with the link and another one is started:
// at once, then ever later. When the executor dies, the kernel kills the broker.
package broker
