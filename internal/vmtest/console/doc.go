// Package console is the one-way protocol that the virtual machine's init
// speaks on the serial console and the host reads: which command began, how it
// ended, what it left behind, and that the list came to its end.
//
// Every line that a command prints arrives with a prefix, so nothing that a
// command writes can pass for a report of the init. Kernel messages arrive
// bare and mean nothing here.
//
//	VMTEST-START commands=2
//	VMTEST-BEGIN cgroup
//	| === RUN   TestLimits
//	VMTEST cgroup exit=0 ms=812 timeout=false procs=0 cgroups=0 mounts=0
//	VMTEST-END commands=2
//
// What does not belong here: starting the machine, and what a test means by
// its output beyond pass, fail and skip.
package console
