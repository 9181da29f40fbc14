package main

import (
	"golang.org/x/sys/unix"

	"safe-exec/httpapi"
)

// brokerFiles is what the broker has open beside connections: listeners with a
// reserve each, link, log, ledger and database. Twenty are, and the others are for
// what is read meanwhile.
const brokerFiles = 128

// checkDescriptors refuses what the broker could be without descriptors for, which
// every process of this program may have as many of as the hard RLIMIT_NOFILE
// says, less one: Go raises the soft limit when it starts.
func (c config) checkDescriptors() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	need := httpapi.Config{Slots: c.Runs, Waiting: c.Queue}.MostConnections(c.TCP.Listen != "") + brokerFiles
	if uint64(need) >= limit.Max {
		return keyError("queue", "is %d and runs %d, which takes %d descriptors, but the hard limit is %d (LimitNOFILE= of the unit, ulimit -Hn)",
			c.Queue, c.Runs, need, limit.Max)
	}
	return nil
}
