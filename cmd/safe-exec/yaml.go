package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"safe-exec/policy"
)

// configError blames one key of the configuration: callers[2].rate.
type configError struct {
	line      int // 0 where it is not known
	key, text string
}

func (e *configError) Error() string {
	if e.line > 0 {
		return fmt.Sprintf("line %d: %s %s", e.line, e.key, e.text)
	}
	return e.key + " " + e.text
}

func keyError(key, format string, args ...any) error {
	return &configError{key: key, text: fmt.Sprintf(format, args...)}
}

func joined(names []string) string { return strings.Join(names, ", ") }

// maxNodes bounds the tree that is looked at; an alias counts each time.
const maxNodes = 100000

// profileText is what yaml may hold of a profile. Package profiles reads the
// levels, and says itself what is wrong with them.
type profileText struct {
	policy.Profile `yaml:",inline"`
	Levels         any `yaml:"levels"`
}

// checkTree compares a tree with the type that it is to be decoded into. The
// library alone would cut fractions off, and name no key in its errors.
func checkTree(root *yaml.Node, into reflect.Type) error {
	c := treeChecker{left: maxNodes}
	return c.check(root, "", into)
}

type treeChecker struct{ left int }

func (c *treeChecker) check(n *yaml.Node, key string, t reflect.Type) error {
	if c.left--; c.left < 0 {
		return &configError{n.Line, key, "is part of a document that is too large"}
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case n.Kind == yaml.DocumentNode:
		return c.check(n.Content[0], key, t)
	case n.Kind == yaml.AliasNode:
		return c.check(n.Alias, key, t)
	case n.ShortTag() == "!!null" || t.Kind() == reflect.Interface:
		return nil
	case t == reflect.TypeFor[yaml.Node]():
		return c.check(n, key, reflect.TypeFor[profileText]())
	}
	switch t.Kind() {
	case reflect.Struct:
		return c.mapping(n, key, func(name *yaml.Node, inner string) (reflect.Type, error) {
			f, ok := field(t, name.Value)
			if !ok {
				return nil, &configError{name.Line, inner, "is not a key that there is"}
			}
			return f, nil
		})
	case reflect.Map:
		return c.mapping(n, key, func(*yaml.Node, string) (reflect.Type, error) { return t.Elem(), nil })
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			return &configError{n.Line, key, "must be a list"}
		}
		for i, one := range n.Content {
			if err := c.check(one, fmt.Sprintf("%s[%d]", key, i), t.Elem()); err != nil {
				return err
			}
		}
		return nil
	}
	return scalar(n, key, t)
}

func (c *treeChecker) mapping(n *yaml.Node, key string, of func(name *yaml.Node, key string) (reflect.Type, error)) error {
	if n.Kind != yaml.MappingNode {
		where := key
		if where == "" {
			where = "the document"
		}
		return &configError{n.Line, where, "must be keys with values"}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		inner := strings.TrimPrefix(key+"."+name.Value, ".")
		t, err := of(name, inner)
		if err != nil {
			return err
		}
		if err := c.check(n.Content[i+1], inner, t); err != nil {
			return err
		}
	}
	return nil
}

// field finds a struct's field by its key.
func field(t reflect.Type, key string) (reflect.Type, bool) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if options == "inline" {
			if found, ok := field(f.Type, key); ok {
				return found, true
			}
		} else if name == key && key != "-" && key != "" {
			return f.Type, true
		}
	}
	return nil, false
}

func scalar(n *yaml.Node, key string, t reflect.Type) error {
	fail := func(want string) error {
		got := strconv.Quote(clip(n.Value))
		if n.Kind != yaml.ScalarNode {
			got = "a list or keys with values"
		}
		return &configError{n.Line, key, fmt.Sprintf("is %s, it must be %s", got, want)}
	}
	if n.Kind != yaml.ScalarNode {
		return fail("one value")
	}
	tag := n.ShortTag()
	switch {
	case t == reflect.TypeFor[time.Duration]():
		if _, err := time.ParseDuration(n.Value); err != nil || tag != "!!str" {
			return fail("a duration with its unit, such as 10m")
		}
	case t.Kind() == reflect.Bool && tag != "!!bool":
		return fail("true or false")
	case slices.Contains([]reflect.Kind{reflect.Int, reflect.Int64, reflect.Uint32}, t.Kind()):
		if tag != "!!int" {
			return fail("a whole number")
		}
		if t.Kind() == reflect.Uint32 && strings.HasPrefix(n.Value, "-") {
			return fail("0 or more")
		}
		if n.Decode(reflect.New(t).Interface()) != nil {
			return fail("smaller")
		}
	}
	return nil
}

// clip bounds what an error quotes.
func clip(text string) string {
	if len(text) > 60 {
		return text[:60] + "..."
	}
	return text
}

// located adds the line to an error that names a key of the tree, or the line of
// the nearest key above one that is not there.
func located(root *yaml.Node, err error) error {
	e, ok := err.(*configError)
	if !ok || e.line > 0 {
		return err
	}
	n := root
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	e.line = lineOf(n, e.key)
	return e
}

func lineOf(n *yaml.Node, key string) int {
	line := 0
	for part := range strings.FieldsFuncSeq(key, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		next := (*yaml.Node)(nil)
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == part {
					line, next = n.Content[i].Line, n.Content[i+1]
				}
			}
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(part); err == nil && i < len(n.Content) {
				next = n.Content[i]
				line = next.Line
			}
		}
		if next == nil {
			return line
		}
		n = next
	}
	return line
}
