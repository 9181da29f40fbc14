package ledger

import "fmt"

// How the chain is broken.
type How string

const (
	Edited    How = "edited"    // a line is not what was written
	Gap       How = "gap"       // records, or a file, are missing in the midst
	Truncated How = "truncated" // the end is missing
	Reordered How = "reordered" // the line, or file, stands elsewhere
	Duplicate How = "duplicate" // the record stands there a second time
	TornEnd   How = "torn end"  // an unfinished line that the head says was finished
	Forged    How = "forged"    // records behind the end of a ledger that was closed
)

// Broken says where the chain breaks first.
type Broken struct {
	File   string
	Line   int // from 1; 0 for the file as a whole
	How    How
	Detail string
}

func (b *Broken) Error() string {
	if b.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", b.File, b.How, b.Detail)
	}
	return fmt.Sprintf("%s:%d: %s: %s", b.File, b.Line, b.How, b.Detail)
}
