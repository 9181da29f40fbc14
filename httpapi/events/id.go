package events

import (
	"strconv"
	"strings"

	"safe-exec/policy"
)

// ID names an event of one log, and orders them: first by attempt, then by
// number, both from 1. The zero ID is before all.
type ID struct{ Attempt, N int }

// String gives "<attempt>.<n>".
func (id ID) String() string {
	return strconv.Itoa(id.Attempt) + "." + strconv.Itoa(id.N)
}

// Before says whether id comes before other.
func (id ID) Before(other ID) bool {
	if id.Attempt != other.Attempt {
		return id.Attempt < other.Attempt
	}
	return id.N < other.N
}

// ParseID reads what String gave, and nothing else: no signs, no leading zeros.
// The empty text is the zero ID, a reader who has seen nothing. Errors are
// CodeInvalid and name Last-Event-ID.
func ParseID(text string) (ID, error) {
	if text == "" {
		return ID{}, nil
	}
	attempt, n, _ := strings.Cut(text, ".")
	a, aOK := parsePart(attempt)
	b, bOK := parsePart(n)
	if !aOK || !bOK {
		return ID{}, policy.Invalid("Last-Event-ID", "must be the id of an event, such as 1.7")
	}
	return ID{a, b}, nil
}

func parsePart(text string) (int, bool) {
	if text == "" || len(text) > 9 || text[0] == '0' {
		return 0, false
	}
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
