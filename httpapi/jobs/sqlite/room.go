package sqlite

import (
	"path/filepath"
	"syscall"

	"safe-exec/policy"
)

// maxReserve is kept free of the disk, in bytes, or an eighth of it where that is
// less: what was accepted needs room for its verdict, and the ledger may well be on
// the same disk. Without it whoever fills the queue with large jobs stops all runs.
const maxReserve = 64 << 20

// room refuses a new job where the disk has no more than the reserve.
func (q *Queue) room() error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(q.path), &fs); err != nil {
		return nil //nolint:nilerr // the write will tell
	}
	size := uint64(fs.Bsize)
	if fs.Bavail*size > min(maxReserve, fs.Blocks*size/8) {
		return nil
	}
	return &policy.Error{
		Code: policy.CodeUnavailable, Step: "jobs.enqueue",
		Message: "the disk of the store of jobs is nearly full: no more jobs are taken until there is room",
	}
}
