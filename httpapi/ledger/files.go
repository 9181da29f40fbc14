package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
)

// segment is one file, named after its first record.
type segment struct {
	name  string
	first uint64
}

var segmentName = regexp.MustCompile(`^audit-([0-9]{16})\.jsonl$`)

func segmentFor(first uint64) segment {
	return segment{fmt.Sprintf("audit-%016d.jsonl", first), first}
}

// segments lists the files in the order of their records.
func segments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []segment
	for _, e := range entries {
		if m := segmentName.FindStringSubmatch(e.Name()); m != nil {
			first, err := strconv.ParseUint(m[1], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("ledger: %s: %w", e.Name(), err)
			}
			list = append(list, segment{e.Name(), first})
		}
	}
	slices.SortFunc(list, func(a, b segment) int { return int(min(1, max(-1, int64(a.first)-int64(b.first)))) })
	return list, nil
}

// create makes a file that must not be there yet, and its name durable.
func create(dir string, s segment) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, s.name), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syncDir(dir); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// openRegular opens a file for reading. Root reads what the broker's directory
// holds, and a broker in an attacker's hands can put anything there: a link to what
// is root's alone, a FIFO that nobody writes to.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, &Broken{File: filepath.Base(path), How: Edited, Detail: "it is a symbolic link"}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &Broken{File: filepath.Base(path), How: Edited, Detail: "it is no regular file"}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
