package broker

import (
	"os"

	"golang.org/x/sys/unix"
)

// onlyOurs marks every descriptor that this process was born with to be closed
// in what it executes: a shell's would else reach the broker.
func onlyOurs() error {
	const first = 3
	if err := unix.CloseRange(first, ^uint(0)>>32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return os.NewSyscallError("close_range", err)
	}
	return nil
}
