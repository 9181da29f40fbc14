// Package vmtest runs compiled test packages of the module inside a throw-away
// virtual machine on a stock Debian kernel with real cgroup v2, which the
// development host may not have. It protects the host from the tests: they run
// as root on a kernel of their own, with no network, no disk and no shared
// directory.
//
// # What happens
//
// Run compiles the Suites (suites.go) to test binaries, packs them with the
// host's own Python, Node and a few tools and a static init into an initramfs, boots it
// under qemu, and reads the serial console. Nothing depends on a module: a
// stock cloud kernel has virtio, 9p and overlay as modules, so all files ride in
// the initramfs, and its memory is the machine's disk. Emulation is the
// default; SAFEEXEC_KVM=1 uses the host's KVM device.
//
// Inside, commands run one after another as root, in the root cgroup, whose
// children have every controller, with SAFEEXEC_VM=1 and little else in the
// environment. The root is a mount that can be pivoted, mounts are shared as
// under systemd, /tmp and /run are tmpfs.
//
// # What counts as success
//
// Each suite ended with status 0 within its time-out (wall time: the emulated
// machine is as slow as the host is busy, so it is generous), passed at least one
// test, skipped none, and left no process, cgroup or mount behind; and the
// machine came to the end of its list. Any other end is a failure that says
// what is wrong. Three time-outs lie inside one another: the test binary's own,
// which prints where it hangs, the init's for the command, and the one for the
// machine's whole life, which kills the emulator.
//
// # Adding a suite
//
// Add a line to Suites, with a Part where the package has one already. Packages
// without C are built without cgo; with C code, Static links it statically
// (libseccomp-dev has the archive). Files that a test reads from the module
// beside its own testdata are named in Files; they lie at the same relative paths
// as in the module. Python and Node are about ten times as slow as on the host.
//
// # Needs
//
// The first run fetches the kernel's package with apt-get into cache/, and
// installs qemu-system-x86 where it is missing; afterwards no network is
// needed. SAFEEXEC_VM_KERNEL names another kernel image. The machine takes 2
// GiB of memory. Only amd64 is supported.
//
// What it leaves out: hardware isolation that the tests could rely on, other
// kernels than the one given, and speed measurements, which mean nothing here.
package vmtest
