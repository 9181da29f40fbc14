// Package strictyaml decodes YAML into Go values and guesses nothing: a key that
// the type does not have, a key given twice and a value of another type are errors,
// which name the key by its path and line. The YAML library truncates fractions, and its
// errors name no path.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Error blames one key.
type Error struct {
	Line int    // 0 where it is not known
	Key  string // its path, such as callers[2].rate
	Text string // a sentence that names the key
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Text)
	}
	return e.Text
}

// Errorf makes an Error whose sentence begins with the key.
func Errorf(key, format string, args ...any) error {
	return &Error{Key: key, Text: key + " " + fmt.Sprintf(format, args...)}
}

// Lines has the line of each key of a document, by the key's path.
type Lines map[string]int

// Locate adds the line to an Error that has none. A key that the document does not
// have takes the line of the nearest key above it.
func (l Lines) Locate(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		for key := e.Key; key != "" && e.Line == 0; key = key[:max(0, strings.LastIndexAny(key, ".["))] {
			e.Line = l[key]
		}
	}
	return err
}

// document is the path of the whole document.
const document = "the document"

// Unmarshal decodes a text of one document. A text without one changes nothing.
func Unmarshal(text []byte, into any) (Lines, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var root yaml.Node
	switch err := d.Decode(&root); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntax(err)
	}
	var second yaml.Node
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, &Error{Line: second.Line, Text: "the text must hold exactly one YAML document"}
	}
	return Decode(root.Content[0], document, into)
}

// lineOf is how the library begins the words of its parser. Some of its lines are one too low.
var lineOf = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax words an error about a text that is not YAML.
func syntax(err error) error {
	found := lineOf.FindStringSubmatch(err.Error())
	switch {
	case found == nil:
		return err
	case found[1] == "":
		return fmt.Errorf("not YAML: %s", err.Error()[len(found[0]):])
	}
	return fmt.Errorf("not YAML, at line %s or after it: %s", found[1], err.Error()[len(found[0]):])
}

// Decode decodes the part of a document that is at path. What is not in it keeps
// its value. A field of type yaml.Node takes everything.
func Decode(n *yaml.Node, path string, into any) (Lines, error) {
	l := Lines{path: n.Line}
	if err := l.check(n, path, reflect.TypeOf(into)); err != nil {
		return nil, l.Locate(err)
	}
	return l, n.Decode(into)
}

// Bounds of the work for a small text of many aliases, of which each counts as what
// it stands for.
const (
	maxKeys = 100000
	maxPath = 500 // bytes
)

// check compares a tree with the type that it is to be decoded into, and notes the
// lines of its keys.
func (l Lines) check(n *yaml.Node, key string, t reflect.Type) error {
	if len(l) > maxKeys {
		return Errorf(document, "has more than %d keys", maxKeys)
	}
	if len(key) > maxPath {
		return Errorf(document, "has a key whose path is longer than %d bytes", maxPath)
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if err := tagged(n, key); err != nil {
		return err
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case n.ShortTag() == "!!null" || t == reflect.TypeFor[yaml.Node]():
		return nil
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Map:
		return l.mapping(n, key, t)
	case t.Kind() == reflect.Slice:
		return l.list(n, key, t.Elem())
	}
	return scalar(n, key, t)
}

// tagged refuses a tag: it makes the library take a value for another one than it looks like.
func tagged(n *yaml.Node, key string) error {
	if n.Style&yaml.TaggedStyle == 0 {
		return nil
	}
	return &Error{Line: n.Line, Key: key, Text: fmt.Sprintf("%s has the tag %.60q; write the value without a tag", key, n.Tag)}
}

func (l Lines) mapping(n *yaml.Node, key string, t reflect.Type) error {
	if n.Kind != yaml.MappingNode {
		return Errorf(key, "must be a mapping")
	}
	seen := map[string]int{}
	for pair := range slices.Chunk(n.Content, 2) {
		name, value, line := pair[0], pair[1], pair[0].Line
		if name.Kind == yaml.AliasNode {
			name = name.Alias
		}
		at := strings.TrimPrefix(key+"."+name.Value, document+".")
		if err := tagged(name, at); err != nil {
			return err
		}
		l.note(at, line)
		if first, ok := seen[name.Value]; ok {
			return &Error{Line: line, Key: at, Text: fmt.Sprintf("%s is a duplicate of the key on line %d", at, first)}
		}
		seen[name.Value] = line
		of := element(t, name, value)
		switch {
		case of == nil:
			return &Error{Line: line, Key: at, Text: fmt.Sprintf("unknown key %q", at)}
		case name.ShortTag() == "!!merge" && value.ShortTag() == "!!null":
			return &Error{Line: line, Key: at, Text: at + " must be a mapping or a list of mappings"}
		}
		if err := l.check(value, at, of); err != nil {
			return err
		}
	}
	return nil
}

// merged is the part of a path that is no key of its own.
var merged = regexp.MustCompile(`(^|\.)<<(\[\d+\])?(\.|$)`)

// note keeps the line of a key, and for one that is merged into a mapping also as a key of
// that, unless it is there itself.
func (l Lines) note(key string, line int) {
	l[key] = line
	if plain := strings.TrimPrefix(merged.ReplaceAllString(key, "."), "."); plain != key && l[plain] == 0 {
		l[plain] = line
	}
}

// element gives the type of the value that a map or a struct has by a name, or nil.
// The fields of an embedded struct are the outer one's.
func element(t reflect.Type, name, value *yaml.Node) reflect.Type {
	switch {
	case name.ShortTag() == "!!merge" && value.Kind == yaml.SequenceNode:
		return reflect.SliceOf(t)
	case name.ShortTag() == "!!merge":
		return t
	case t.Kind() == reflect.Map:
		return t.Elem()
	}
	for _, f := range reflect.VisibleFields(t) {
		if tag := f.Tag.Get("yaml"); tag == name.Value && tag != "" && tag != "-" && !f.Anonymous {
			return f.Type
		}
	}
	return nil
}

func (l Lines) list(n *yaml.Node, key string, of reflect.Type) error {
	if n.Kind != yaml.SequenceNode {
		return Errorf(key, "must be a list")
	}
	for i, one := range n.Content {
		at := fmt.Sprintf("%s[%d]", key, i)
		l.note(at, one.Line)
		if err := l.check(one, at, of); err != nil {
			return err
		}
	}
	return nil
}

func scalar(n *yaml.Node, key string, t reflect.Type) error {
	tag, want := "!!int", "a whole number that fits 64 bits"
	switch {
	case t == reflect.TypeFor[time.Duration]():
		tag, want = "!!str", "a duration with its unit, such as 10m"
	case t.Kind() == reflect.String:
		tag, want = n.ShortTag(), "a single value"
	case t.Kind() == reflect.Bool:
		tag, want = "!!bool", "true or false"
	case t.Kind() == reflect.Uint32:
		want = "a whole number from 0 to 4294967295"
	}
	if n.Kind != yaml.ScalarNode {
		return Errorf(key, "must be %s, not a list or a mapping", want)
	}
	if n.ShortTag() != tag || n.Decode(reflect.New(t).Interface()) != nil {
		return Errorf(key, "is %.60q, it must be %s", n.Value, want)
	}
	return nil
}
