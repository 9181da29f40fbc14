// Package image builds the root file system that the jails of one profile
// share: the interpreter, the shared libraries it needs, its standard library
// and our own few files, and nothing else of the host.
//
// It protects the host's files from programs in a jail. They execute a copy on
// a sealed tmpfs, so a fault in the kernel's page cache or in a mount flag
// reaches the copy, and what is not in the copy (a shell, ctypes, host paths)
// cannot be used. It protects the daemon, which runs as root, from everybody
// but root on the host: what anyone else could have written is neither run nor
// copied, and libraries are found by reading ELF files, never by running ldd.
//
// An image is a mount that is attached nowhere: it lives as long as a
// descriptor of it, so a killed daemon leaves nothing behind. Mount and
// superblock are both read-only when Build returns, since a jail could lift the
// one that is not.
//
// What it leaves out: attaching the image, mounts inside it and who may read it
// (nsjail/child, nsjail/landlock), and whether the interpreter works under the
// filters (the self-test of each runtime). The interpreter itself is the
// operator's and trusted: it is run on the host, with an empty environment, to
// ask for its version and to compile its own library.
//
// Needs CAP_SYS_ADMIN and Linux 5.12 (fsopen, fsmount, mount_setattr).
package image
