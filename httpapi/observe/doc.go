// Package observe is what the API tells of its runs to whoever counts, logs or
// records them: an Observer hears of each run before it starts, and once when it has ended.
//
// It protects what callers send: a Run names a program by hashes and sizes, made
// here, so that no observer has to be trusted with its text. Of the result's texts
// an observer may keep sizes and hashes alone.
//
// It leaves out what is done with it: package metrics counts, package ledger
// records.
package observe
