package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// tear is one or more lines that are no records: what daemons that were killed left
// unfinished. Its text is those lines with the newlines between them.
type tear struct {
	line int   // the first, from 1
	why  error // what is wrong with that
	size int
	sum  hash.Hash
}

// add takes a further line; a nil tear begins with it.
func (t *tear) add(line int, text []byte, why error) *tear {
	if t == nil {
		t = &tear{line: line, why: why, sum: sha256.New()}
	} else {
		t.sum.Write([]byte("\n"))
		t.size++
	}
	t.sum.Write(text)
	t.size += len(text)
	return t
}

func (t *tear) torn() Torn { return Torn{t.size, hex.EncodeToString(t.sum.Sum(nil))} }
