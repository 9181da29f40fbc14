// Package events is the record of one run while it happens: what a reader who
// comes late, or comes back, is told in the same order under the same ids.
//
// It protects the run from its readers: adding never blocks, and a log holds no
// more than the output it may keep, however slow anybody reads. It leaves out how
// events travel (server-sent events are the routes' business) and where verdicts
// are kept.
package events
