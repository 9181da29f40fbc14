// Package sqlite keeps jobs in one SQLite database that one process owns.
//
// SQLite itself is its own C code, translated to WebAssembly and from that to Go:
// a memory error in it stays within a byte array of its own and at worst is a
// panic, which is caught here, ends the use of that connection, and is told to who
// can end the process (Broken). Nothing is compiled at run time, so the process needs no memory that is both writable and
// executable.
//
// It protects what Enqueue and Complete have returned for: both return after the
// commit is on the disk (WAL, synchronous=FULL). It believes nothing that it reads
// back: a database that is not of this schema, or is damaged, is refused with its
// path, and never deleted or repaired.
//
// It leaves out sharing a database between processes, which a lock forbids, and
// what a job is.
package sqlite
