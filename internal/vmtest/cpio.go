package vmtest

import (
	"fmt"
	"io"
	"io/fs"
	"math"
)

// File kinds and the device number of the console, as the kernel's initramfs
// reader takes them from the mode and rdev fields.
const (
	modeDir     = 0o040000
	modeRegular = 0o100000
	modeSymlink = 0o120000
	modeChar    = 0o020000
)

// cpioWriter writes the "newc" format, the one that the kernel unpacks:
// thirteen eight-digit hexadecimal fields, the name, the data, each padded to
// four bytes. Owner is root and the time is 0, so equal trees give equal bytes.
type cpioWriter struct {
	w     io.Writer
	at    int64
	inode uint32
	err   error
}

// entry begins a member. Exactly size bytes have to come from data.
func (c *cpioWriter) entry(name string, mode uint32, major, minor uint32, size int64, data io.Reader) error {
	if size > math.MaxUint32 {
		return fmt.Errorf("%s: %d bytes do not fit the format", name, size)
	}
	c.inode++
	c.printf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
		c.inode, mode, 0, 0, 1, 0, size, 0, 0, major, minor, len(name)+1, 0)
	c.printf("%s\x00", name)
	c.pad()
	if size > 0 && c.err == nil {
		n, err := io.CopyN(c.w, data, size)
		c.at += n
		if err != nil {
			c.err = fmt.Errorf("%s: %d of %d bytes: %w", name, n, size, err)
		}
		c.pad()
	}
	return c.err
}

// close writes the trailer; without it the kernel finds the archive cut short.
func (c *cpioWriter) close() error {
	c.inode = 0 // the trailer is no inode
	return c.entry("TRAILER!!!", 0, 0, 0, 0, nil)
}

func (c *cpioWriter) pad() {
	if over := c.at % 4; over != 0 {
		c.printf("%s", "\x00\x00\x00"[:4-over])
	}
}

func (c *cpioWriter) printf(format string, args ...any) {
	if c.err != nil {
		return
	}
	n, err := fmt.Fprintf(c.w, format, args...)
	c.at += int64(n)
	c.err = err
}

func permission(m fs.FileMode) uint32 { return uint32(m.Perm()) }
