package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"safe-exec/policy"
)

// list reads an array of at most so many items; item must read exactly one
// value. Whoever sends more has only so many of them read.
func (s *scanner) list(path string, most int, item func(at string) error) error {
	tok, err := s.next(path)
	if err != nil {
		return err
	}
	if tok != json.Delim('[') {
		return wrongType(path, "an array", tok)
	}
	at := path + "[0]"
	for n := 0; s.dec.More(); n++ {
		at = fmt.Sprintf("%s[%d]", path, n)
		if n == most {
			return tooMany(path, int64(most))
		}
		if err := item(at); err != nil {
			return err
		}
	}
	_, err = s.next(at) // its end, or what is malformed
	return err
}

// texts reads an array of at most so many strings, each of at most so many
// bytes.
func (s *scanner) texts(into *[]string, most, size int) func(string) error {
	return func(path string) error {
		return s.list(path, most, func(at string) error {
			var v string
			if err := s.text(&v)(at); err != nil {
				return err
			}
			if len(v) > size {
				return tooLong(at, len(v), size)
			}
			*into = append(*into, v)
			return nil
		})
	}
}

// pairs reads an object of at most so many names of the caller's choice, each
// with a string.
func (s *scanner) pairs(into *map[string]string, most int) func(string) error {
	return func(path string) error {
		tok, err := s.next(path)
		if err != nil {
			return err
		}
		if tok != json.Delim('{') {
			return wrongType(path, "an object", tok)
		}
		return s.names(path, func(name, at string) error {
			if len(*into) == most {
				return tooMany(path, int64(most))
			}
			var v string
			if err := s.text(&v)(clip(at)); err != nil {
				return err
			}
			if *into == nil {
				*into = map[string]string{}
			}
			(*into)[name] = v
			return nil
		})
	}
}

// files reads the files that a program finds. What their paths may be is the
// business of package policy.
func (s *scanner) files(into *[]policy.InputFile) func(string) error {
	return func(path string) error {
		return s.list(path, policy.MaxInputFiles, func(at string) error {
			f, err := s.file(at)
			*into = append(*into, f)
			return err
		})
	}
}

func (s *scanner) file(at string) (policy.InputFile, error) {
	var path, text, packed string
	given := map[string]bool{}
	read := func(name string, into *string) func(string) error {
		return func(at string) error {
			given[name] = true
			return s.text(into)(at)
		}
	}
	err := s.object(at, map[string]func(string) error{
		"path": read("path", &path), "content": read("content", &text), "content_base64": read("content_base64", &packed),
	})
	f := policy.InputFile{Path: path, Content: []byte(text)}
	switch {
	case err != nil:
		return f, err
	case !given["path"]:
		return f, policy.Invalid(at+".path", "is missing")
	case len(path) > policy.MaxPathBytes:
		return f, tooLong(at+".path", len(path), policy.MaxPathBytes)
	case given["content"] && given["content_base64"]:
		return f, policy.Invalid(at, "has content and content_base64; send one of them")
	case given["content"]:
		return f, nil
	case !given["content_base64"]:
		return f, policy.Invalid(at+".content", "is not there, and neither is content_base64")
	}
	// RFC 4648, section 4, with its padding. The decoder would skip line ends.
	f.Content, err = base64.StdEncoding.Strict().DecodeString(packed)
	if err != nil || strings.ContainsAny(packed, "\r\n") {
		return f, malformed(at+".content_base64", "is not base64 (RFC 4648: A-Z a-z 0-9 + /, padded with =)")
	}
	return f, nil
}

func tooMany(path string, most int64) error {
	e := policy.Blame(policy.CodeTooLarge, path, "has more than %d entries", most)
	e.Maximum = &most
	return e
}

func tooLong(at string, size, most int) error {
	return policy.TooLarge(at, size, most, "has %d bytes, the maximum is %d")
}
