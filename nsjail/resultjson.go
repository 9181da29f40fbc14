package nsjail

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Bounds of result_json: a value that a caller decodes blindly must not be a
// bomb. Beyond them it is null, and stdout still holds the text.
const (
	maxResultDepth = 64
	maxResultBytes = 1 << 20
)

// resultJSON finds the JSON value in a program's stdout: the whole of it, else
// its last line that is not blank, else null.
func resultJSON(stdout string) json.RawMessage {
	whole := strings.TrimSpace(stdout)
	if v := jsonValue(whole); v != nil {
		return v
	}
	last := whole[strings.LastIndexByte(whole, '\n')+1:]
	if v := jsonValue(strings.TrimSpace(last)); v != nil {
		return v
	}
	return json.RawMessage("null")
}

func jsonValue(text string) json.RawMessage {
	if text == "" || len(text) > maxResultBytes || depth(text) > maxResultDepth {
		return nil
	}
	var out bytes.Buffer
	if !json.Valid([]byte(text)) || json.Compact(&out, []byte(text)) != nil {
		return nil
	}
	return out.Bytes()
}

// depth is the deepest nesting of brackets outside strings.
func depth(text string) int {
	var now, most int
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}
