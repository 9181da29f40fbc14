package profiles

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"safe-exec/policy"
)

// levelText is a level as a profile or an operator writes it: whole, or as
// another one with names added and removed.
type levelText struct {
	// Extends names the level to start from, of this file or of the profile
	// that it is laid over. A level may extend the one of its own name there.
	Extends string    `yaml:"extends"`
	Add     namesText `yaml:"add"`
	Remove  namesText `yaml:"remove"`

	Unrestricted bool `yaml:"unrestricted"`
	namesText    `yaml:",inline"`
}

// namesText are the four lists of a level.
type namesText struct {
	Imports        []string `yaml:"imports"`
	BlockedImports []string `yaml:"blocked_imports"`
	BlockedNames   []string `yaml:"blocked_names"`
	ConstantNames  []string `yaml:"constant_names"`
}

func (n namesText) empty() bool {
	return n.Imports == nil && n.BlockedImports == nil && n.BlockedNames == nil && n.ConstantNames == nil
}

func (n namesText) level() policy.Level {
	return policy.Level{Imports: n.Imports, BlockedImports: n.BlockedImports, BlockedNames: n.BlockedNames, ConstantNames: n.ConstantNames}
}

// levels gives base with the written levels over it. Errors name the level and
// the key.
func levels(language policy.Language, base map[string]policy.Level, text map[string]levelText) (map[string]policy.Level, error) {
	if len(text) > maxLevels {
		return nil, fmt.Errorf("levels: there are %d, the most is %d", len(text), maxLevels)
	}
	r := resolver{language: language, base: base, text: text, done: maps.Clone(base), open: map[string]bool{}}
	if r.done == nil {
		r.done = map[string]policy.Level{}
	}
	for name := range text {
		delete(r.done, name)
	}
	for _, name := range slices.Sorted(maps.Keys(text)) {
		if _, err := r.resolve(name); err != nil {
			return nil, fmt.Errorf("levels.%w", err)
		}
	}
	return r.done, nil
}

// Bounds of the work for a small text: each level is checked with all its names.
const (
	maxLevels = 100
	maxNames  = 5000 // of one list
)

// resolver works levels out in the order in which they extend one another.
type resolver struct {
	language policy.Language
	base     map[string]policy.Level
	text     map[string]levelText
	done     map[string]policy.Level
	open     map[string]bool // being worked out
}

func (r *resolver) resolve(name string) (policy.Level, error) {
	if l, ok := r.done[name]; ok {
		return l, nil
	}
	if r.open[name] {
		return policy.Level{}, fmt.Errorf("%s: extends itself by way of others", name)
	}
	r.open[name] = true
	l, err := r.build(name, r.text[name])
	if err == nil {
		err = checkLevel(r.language, name, l)
	}
	if err != nil {
		return l, fmt.Errorf("%s: %w", name, err)
	}
	r.done[name] = l
	return l, nil
}

func (r *resolver) build(name string, text levelText) (policy.Level, error) {
	whole := text.level()
	whole.Unrestricted = text.Unrestricted
	switch {
	case text.Extends == "" && !(text.Add.empty() && text.Remove.empty()):
		return whole, errors.New("add and remove need extends, the level to start from")
	case text.Extends == "":
		return whole, nil
	case text.Unrestricted || !text.namesText.empty():
		return whole, errors.New("a level that extends another says what to add and remove, and has no lists of its own")
	}
	l, err := r.parent(name, text.Extends)
	if err != nil {
		return l, err
	}
	if l.Unrestricted {
		return l, fmt.Errorf("extends: %s has no lists to add to or remove from", text.Extends)
	}
	for _, list := range []struct {
		key         string
		of          *[]string
		add, remove []string
	}{
		{"imports", &l.Imports, text.Add.Imports, text.Remove.Imports},
		{"blocked_imports", &l.BlockedImports, text.Add.BlockedImports, text.Remove.BlockedImports},
		{"blocked_names", &l.BlockedNames, text.Add.BlockedNames, text.Remove.BlockedNames},
		{"constant_names", &l.ConstantNames, text.Add.ConstantNames, text.Remove.ConstantNames},
	} {
		if *list.of, err = change(*list.of, list.add, list.remove); err != nil {
			return l, fmt.Errorf("%s: %w", list.key, err)
		}
	}
	return l, nil
}

// parent is the level to start from.
func (r *resolver) parent(name, extends string) (policy.Level, error) {
	l, ok := r.base[extends]
	if _, here := r.text[extends]; here && extends != name {
		return r.resolve(extends)
	}
	if !ok {
		return l, fmt.Errorf("extends: there is no level %q", extends)
	}
	return l, nil
}

// change gives a new list. What is removed must be there and what is added must
// not: an operator who thinks otherwise has another list in mind.
func change(list, add, remove []string) ([]string, error) {
	if len(add)+len(remove) > maxNames {
		return nil, fmt.Errorf("there are %d names to add and remove, the most is %d", len(add)+len(remove), maxNames)
	}
	on := map[string]bool{}
	for _, name := range list {
		on[name] = true
	}
	for _, name := range remove {
		if !on[name] {
			return nil, fmt.Errorf("remove: %s is not on the list", name)
		}
		delete(on, name)
	}
	list = slices.DeleteFunc(slices.Clone(list), func(name string) bool { return !on[name] })
	for _, name := range add {
		if on[name] {
			return nil, fmt.Errorf("add: %s is on the list already", name)
		}
		on[name] = true
		list = append(list, name)
	}
	return list, nil
}

// checkLevel refuses a level that says two things of one name, or that a
// harness could misread.
func checkLevel(language policy.Language, name string, l policy.Level) error {
	if !policy.ValidLevelName(name) {
		return fmt.Errorf("a level's name has small letters, digits, _ and -, 32 at most, and begins with a letter")
	}
	if l.Unrestricted && len(l.Imports)+len(l.BlockedImports)+len(l.BlockedNames)+len(l.ConstantNames) > 0 {
		return errors.New("an unrestricted level has no lists")
	}
	isModule := func(name string) bool { return policy.ValidModule(language, name) }
	on := map[string]map[string]bool{} // by list
	for _, list := range []struct {
		key   string
		names []string
		valid func(string) bool
	}{
		{"imports", l.Imports, isModule}, {"blocked_imports", l.BlockedImports, isModule},
		{"blocked_names", l.BlockedNames, policy.ValidName}, {"constant_names", l.ConstantNames, policy.ValidName},
	} {
		if len(list.names) > maxNames {
			return fmt.Errorf("%s: there are %d names, the most is %d", list.key, len(list.names), maxNames)
		}
		seen := map[string]bool{}
		for _, name := range list.names {
			switch {
			case !list.valid(name):
				return fmt.Errorf("%s: %q is not a name of that kind", list.key, name)
			case seen[name]:
				return fmt.Errorf("%s: %s is there twice", list.key, name)
			}
			seen[name] = true
		}
		on[list.key] = seen
	}
	for _, name := range l.Imports {
		if on["blocked_imports"][name] {
			return fmt.Errorf("%s is in imports and in blocked_imports", name)
		}
	}
	for _, name := range l.ConstantNames {
		if on["blocked_names"][name] {
			return fmt.Errorf("%s is in blocked_names and in constant_names", name)
		}
	}
	return nil
}
