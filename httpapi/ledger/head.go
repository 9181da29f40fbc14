package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

const headName = "head"

// head says where the chain ends. It never leads what is on the disk; it may lag
// unless it is closed. Before the first record it has sequence number 0.
type head struct {
	Point
	Closed bool `json:"closed"` // the daemon ended in good order: nothing follows
}

// write replaces the file: whoever reads it finds the old or the new one whole.
func (h head) write(dir string) error {
	text, err := h.text()
	if err != nil {
		return err
	}
	temporary := filepath.Join(dir, headName+".new")
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(dir, headName))
}

func (h head) text() ([]byte, error) {
	text, err := json.Marshal(h)
	return append(text, '\n'), err
}

// maxHead is more than a head has.
const maxHead = 1024

// readHead gives an error that wraps fs.ErrNotExist where there is none: it is
// there before the first record.
func readHead(dir string) (h head, err error) {
	f, err := openRegular(filepath.Join(dir, headName))
	if err != nil {
		return h, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxHead))
	if err != nil {
		return h, err
	}
	broken := &Broken{File: headName, How: Edited, Detail: "it is no head"}
	if json.Unmarshal(text, &h) != nil || len(h.Hash) != len(origin) || (h.Seq == 0) != (h.Hash == origin) {
		return h, broken
	}
	if exact, err := h.text(); err != nil || !bytes.Equal(exact, text) {
		return h, broken
	}
	return h, nil
}
