package nsjail

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Bounds of result_json: a value that a caller decodes blindly must be one that
// every decoder takes. Beyond them it is null, and stdout still holds the text.
const (
	maxResultDepth = 64
	maxResultBytes = 1 << 20
)

var noResult = json.RawMessage("null")

// resultJSON finds the JSON value in a program's stdout: the whole of it, else
// its last line that is not blank, else null.
func resultJSON(stdout string) json.RawMessage {
	if v := jsonValue(strings.TrimSpace(stdout)); v != nil {
		return v
	}
	return lastLineJSON(stdout)
}

func lastLineJSON(stdout string) json.RawMessage {
	text := strings.TrimSpace(stdout)
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if v := jsonValue(strings.TrimSpace(last)); v != nil {
		return v
	}
	return noResult
}

func jsonValue(text string) json.RawMessage {
	if text == "" || len(text) > maxResultBytes || !json.Valid([]byte(text)) || !portable(text) {
		return nil
	}
	var out bytes.Buffer
	if json.Compact(&out, []byte(text)) != nil {
		return nil
	}
	return out.Bytes()
}

// portable says whether every decoder takes a valid JSON text for the same
// value (RFC 8259, sections 6 and 8.2; RFC 7493): nested no deeper than the
// bound, numbers within a double's range, no half of a surrogate pair.
func portable(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			n, ok := portableString(text[i:])
			if !ok {
				return false
			}
			i += n - 1
		case c == '{' || c == '[':
			if depth++; depth > maxResultDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		case c == '-' || c >= '0' && c <= '9':
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], "+-.eE0123456789"))
			if _, err := strconv.ParseFloat(text[i:i+n], 64); err != nil {
				return false
			}
			i += n - 1
		}
	}
	return true
}

// portableString gives the length of the string that text begins with, quotes
// included.
func portableString(text string) (length int, ok bool) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1, true
		case '\\':
			unit, isUnit := surrogate(text[i:])
			if !isUnit {
				i++ // an escape of two bytes; more hexadecimal digits are no quotes
				continue
			}
			next, paired := surrogate(text[min(i+6, len(text)):])
			if unit >= 0xDC00 || !paired || next < 0xDC00 {
				return 0, false
			}
			i += 11
		}
	}
	return 0, false
}

// surrogate reads an escape of four hexadecimal digits that stands for one half
// of a pair.
func surrogate(text string) (uint64, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	return unit, err == nil && unit >= 0xD800 && unit <= 0xDFFF
}
