// Package regrtest asks whether the interpreter in a jail is intact: it runs
// CPython's own regression tests of the modules that the import policy allows,
// once bare and once in a jail, on the same machine, and compares them test by
// test.
//
// The tests are Debian's libpython3.11-testsuite. In the jail they run in
// profile python-full, whose image holds them, at level relaxed: they import
// everything, so what is compared is the kernel layers and the harness, not the
// import lists. A test that wants what no jail gives (a child process) differs;
// testdata/differs lists those by name.
package regrtest
