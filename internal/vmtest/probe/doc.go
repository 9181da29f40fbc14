// Package probe holds nothing but tests: they prove what the test machine's
// kernel can do and that cgroup v2 enforces limits there, with raw files and
// system calls only, so that a failure of a suite of the product is not taken
// for one of the machine.
//
// Outside the machine they fail: they belong to `make vmtest` alone, hence the
// build tag.
package probe
