// Package ledger keeps the audit trail: two lines of JSON for each run, one before
// it starts and one before its answer, in files that are only appended to. A run that
// the end of a daemon cut off is ended by the next Open.
//
// It protects the trail against being changed unnoticed. Each line holds the hash
// of the one before and its own (SHA-256), so that an edit, a gap, another order or
// a repetition breaks the chain; the file head says where the chain ends, so that a
// missing end is found. The chain has no key: whoever can write the directory can
// make all of it anew. So note the head elsewhere, which Verify takes as an anchor.
//
// A line is in the kernel's hands when Append returns, which a killed daemon does
// not lose; it is on the disk a moment later (Config.SyncEvery), which is what a
// power cut can take. A daemon that was killed may leave a line unfinished and a
// head that lags: the next Open says so in the chain, and takes nothing away.
//
// It leaves out texts: of code, input, output and files there are hashes, sizes and
// counts.
package ledger
