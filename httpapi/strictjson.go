package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"safe-exec/policy"
)

// encoding/json alone is too kind for a trust border: it takes the last of two
// fields of the same name, matches names without regard to case, drops unknown
// ones, reads null as "absent", and replaces what is not UTF-8. So the body is
// read token by token, against the few shapes that exist, and nothing nests
// deeper than they do.

// maxEcho bounds how much of a caller's name or value comes back in an error.
const maxEcho = 64

type scanner struct {
	dec  *json.Decoder
	body []byte
}

// newScanner refuses what is not UTF-8 first: json.Decoder would replace it.
func newScanner(body []byte) (*scanner, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, unreadable("", "the body is empty; send a JSON object")
	}
	if !utf8.Valid(body) {
		return nil, unreadable("", "the body is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	return &scanner{dec: dec, body: body}, nil
}

// object reads one object and calls field for each of its names, once each;
// field must read exactly one value.
func (s *scanner) object(path string, fields map[string]func(path string) error) error {
	tok, err := s.next(path)
	if err != nil {
		return err
	}
	if tok != json.Delim('{') {
		return wrongType(path, "an object", tok)
	}
	return s.members(path, fields)
}

// members reads what follows an object's opening brace.
func (s *scanner) members(path string, fields map[string]func(path string) error) error {
	return s.names(path, func(name, at string) error {
		read, known := fields[name]
		if !known {
			return unknownField(path, name, fields)
		}
		return read(at)
	})
}

// names reads what follows an object's opening brace and calls read for each
// name, once each; read must read exactly one value.
func (s *scanner) names(path string, read func(name, at string) error) error {
	seen := map[string]bool{}
	for {
		tok, err := s.next(path)
		if err != nil {
			return err
		}
		if tok == json.Delim('}') {
			return nil
		}
		name, ok := tok.(string)
		if !ok {
			return unreadable(path, "the JSON is malformed")
		}
		at := name
		if path != "" {
			at = path + "." + name
		}
		if seen[name] {
			return unreadable(clip(at), "field %q is given twice", clip(at))
		}
		seen[name] = true
		if err := read(name, at); err != nil {
			return err
		}
	}
}

func (s *scanner) text(into *string) func(string) error {
	return func(path string) error {
		tok, err := s.next(path)
		if err != nil {
			return err
		}
		v, ok := tok.(string)
		if !ok {
			return wrongType(path, "a string", tok)
		}
		*into = v
		return nil
	}
}

// textOr reads a string, or else an object of the given fields.
func (s *scanner) textOr(text func(path, value string), fields map[string]func(path string) error) func(string) error {
	return func(path string) error {
		tok, err := s.next(path)
		if err != nil {
			return err
		}
		if v, ok := tok.(string); ok {
			text(path, v)
			return nil
		}
		if tok != json.Delim('{') {
			return wrongType(path, "a string or an object", tok)
		}
		return s.members(path, fields)
	}
}

// positive reads a whole number of at least 1, written without fraction or
// exponent. Where the ceiling is, the profile says.
func (s *scanner) positive(into **int64) func(string) error {
	return func(path string) error {
		tok, err := s.next(path)
		if err != nil {
			return err
		}
		n, ok := tok.(json.Number)
		if !ok {
			return wrongType(path, "a whole number", tok)
		}
		v, err := strconv.ParseInt(n.String(), 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return policy.Invalid(path, "does not fit 64 bits").With(clip(n.String()))
		case err != nil:
			return malformed(path, "must be a whole number, written without fraction or exponent")
		case v < 1:
			return policy.TooSmall(path, v, 1)
		}
		*into = &v
		return nil
	}
}

// end demands that nothing but white space follows.
func (s *scanner) end() error {
	_, err := s.dec.Token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return unreadable("", "something follows the JSON object; send one document")
}

func (s *scanner) next(path string) (json.Token, error) {
	from := s.dec.InputOffset()
	tok, err := s.dec.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, unreadable(path, "the JSON is cut short at byte %d", len(s.body))
	case errors.As(err, &syntax):
		return nil, unreadable(path, "the JSON is malformed near byte %d: %s", from, clip(syntax.Error()))
	case err != nil:
		return nil, unreadable(path, "the JSON is malformed near byte %d", from)
	}
	if _, ok := tok.(string); ok && hasLoneSurrogate(s.body[from:s.dec.InputOffset()]) {
		return nil, unreadable(path, "a string holds half a surrogate pair, which is no character")
	}
	return tok, nil
}

// hasLoneSurrogate looks for a \ud800-style escape without its other half in
// the source of one valid JSON string. The decoder would replace it silently.
func hasLoneSurrogate(src []byte) bool {
	for i := 0; i < len(src); i++ {
		if src[i] != '\\' {
			continue
		}
		i++
		if i >= len(src) || src[i] != 'u' {
			continue
		}
		switch unit := hex4(src, i+1); {
		case unit >= 0xdc00 && unit <= 0xdfff:
			return true
		case unit >= 0xd800 && unit <= 0xdbff:
			if i+6 >= len(src) || src[i+5] != '\\' || src[i+6] != 'u' {
				return true
			}
			if low := hex4(src, i+7); low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 10
		}
	}
	return false
}

func hex4(src []byte, at int) int64 {
	if at+4 > len(src) {
		return 0
	}
	v, err := strconv.ParseUint(string(src[at:at+4]), 16, 16)
	if err != nil {
		return 0
	}
	return int64(v)
}

func wrongType(path, want string, got json.Token) error {
	kind := "null"
	switch t := got.(type) {
	case bool:
		kind = "a boolean"
	case string:
		kind = "a string"
	case json.Number:
		kind = "a number"
	case json.Delim:
		kind = "an object"
		if t == '[' {
			kind = "an array"
		}
	}
	if path == "" {
		return unreadable("", "the body must be %s, not %s", want, kind)
	}
	return malformed(path, "must be %s, not %s", want, kind)
}

// clip shortens what a caller sent for showing it back.
func clip(s string) string {
	if len(s) <= maxEcho {
		return s
	}
	cut := maxEcho
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
