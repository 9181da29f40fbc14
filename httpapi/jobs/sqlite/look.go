package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Look says by *StartError that jobs.db in dir is of another program or version. It
// reads the file's header alone and changes nothing; Open makes files, and its pragmas
// write. What Look lets pass may yet be refused by Open.
func Look(dir string) error { return released.look(dir) }

func (f form) look(dir string) error {
	path := filepath.Join(dir, "jobs.db")
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &StartError{Path: path, Step: "look", Remedy: "the file must be readable by uid " + fmt.Sprint(os.Geteuid()), Err: err}
	}
	defer file.Close()
	// https://www.sqlite.org/fileformat2.html#the_database_header: user version at 60,
	// application id at 68, big-endian.
	header := make([]byte, 100)
	if _, err := io.ReadFull(file, header); err != nil || !bytes.HasPrefix(header, []byte("SQLite format 3\x00")) {
		return nil // empty, or damaged, which Open says
	}
	version, id := int64(int32(binary.BigEndian.Uint32(header[60:]))), int64(int32(binary.BigEndian.Uint32(header[68:])))
	// Until a first checkpoint both are in the file with the log alone.
	if id == 0 && version == 0 || id == applicationID && f.opens(version) {
		return nil
	}
	return strange(path, f.unlike(id, version))
}

func (f form) unlike(id, version int64) error {
	return fmt.Errorf("%w: it has application id %#x, version %d, and this program's %#x, version %d", errVersion, id, version, applicationID, f.newest())
}

func strange(path string, err error) *StartError {
	return &StartError{
		Path: path, Step: "schema", Err: err,
		Remedy: "use the version that made it, or move jobs.db, jobs.db-wal and jobs.db-shm away together: its jobs are lost then",
	}
}
