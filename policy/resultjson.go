package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Bounds of result_json: a value that a caller decodes blindly must be one that
// every decoder takes. Beyond them it is null, and stdout still holds the text.
const (
	maxResultDepth = 64
	maxResultBytes = 1 << 20
)

// NoResult is the result_json of an output that holds no JSON value.
var NoResult = json.RawMessage("null")

// ResultJSON finds the JSON value in a program's stdout as a Result has it: the
// whole of it, else its last line that is not blank, else null. Of an output
// that was cut neither the whole nor the line behind the cut is the program's,
// so neither is taken. The text is the program's: this belongs to a process that
// has no privilege.
func ResultJSON(stdout string, truncated bool) json.RawMessage {
	text := strings.TrimSpace(stdout)
	if !truncated {
		if v := jsonValue(text); v != nil {
			return v
		}
	}
	rest, last := "", text
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		rest, last = text[:end], text[end+1:]
	}
	if truncated && isOmission(rest[strings.LastIndexByte(rest, '\n')+1:]) {
		return NoResult
	}
	if v := jsonValue(strings.TrimSpace(last)); v != nil {
		return v
	}
	return NoResult
}

// Omission is the line that stands in a truncated output for so many bytes.
func Omission(bytes int64) string { return fmt.Sprintf("%s%d%s", omissionHead, bytes, omissionTail) }

const omissionHead, omissionTail = "[... ", " bytes omitted ...]"

// isOmission takes a line of the program that looks alike for one, too: then the
// line behind it counts as cut, which harms nobody else.
func isOmission(line string) bool {
	rest, ok := strings.CutPrefix(line, omissionHead)
	number, ended := strings.CutSuffix(rest, omissionTail)
	return ok && ended && number != "" && strings.Trim(number, "0123456789") == ""
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
