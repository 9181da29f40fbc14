package policy

import (
	"regexp"
	"slices"
	"strings"
)

// Level is one import policy. The kernel layers are the same on every level:
// the lists below are a courtesy that says no early.
type Level struct {
	// Unrestricted lets the program import whatever the image holds and
	// leaves the builtins alone; the lists below are then empty.
	Unrestricted bool `json:"unrestricted"`
	// Imports are the whole dotted names that may be imported.
	Imports []string `json:"imports"`
	// BlockedImports are refused with a rule of their own, so that the
	// message can say "blocked" rather than "not on the list".
	BlockedImports []string `json:"blocked_imports"`
	// BlockedNames are builtins or globals that the program may not name.
	BlockedNames []string `json:"blocked_names"`
	// ConstantNames are builtins such as getattr that the program may only
	// call, and only with names that are public and written out.
	ConstantNames []string `json:"constant_names"`
}

// allowed are the imports that a program gets.
func (l Level) allowed() []string {
	return slices.DeleteFunc(slices.Clone(l.Imports), func(name string) bool { return slices.Contains(l.BlockedImports, name) })
}

// Within says whether ceiling allows all that l allows: each import, and each
// name at least as freely.
func (l Level) Within(ceiling Level) bool {
	if ceiling.Unrestricted || l.Unrestricted {
		return ceiling.Unrestricted
	}
	more := ceiling.allowed()
	for _, name := range l.allowed() {
		if !slices.Contains(more, name) {
			return false
		}
	}
	for _, name := range ceiling.BlockedNames {
		if !slices.Contains(l.BlockedNames, name) {
			return false
		}
	}
	for _, name := range ceiling.ConstantNames {
		if !slices.Contains(l.BlockedNames, name) && !slices.Contains(l.ConstantNames, name) {
			return false
		}
	}
	return true
}

// deny gives the level without a module and what is below it. The lists of l
// stay as they are: a profile's levels are shared by all requests.
func (l Level) deny(language Language, module string) Level {
	l.Imports = slices.DeleteFunc(slices.Clone(l.Imports), func(name string) bool { return covers(language, module, name) })
	if !slices.Contains(l.BlockedImports, module) {
		l.BlockedImports = append(slices.Clone(l.BlockedImports), module)
	}
	return l
}

// knows says whether a module, one above it or one below it is on a list.
func (l Level) knows(language Language, module string) bool {
	return slices.ContainsFunc(slices.Concat(l.Imports, l.BlockedImports), func(name string) bool {
		return covers(language, module, name) || covers(language, name, module)
	})
}

// covers says whether name is the module or below it.
func covers(language Language, module, name string) bool {
	separator := "."
	if language == JavaScript {
		separator = "/"
	}
	return name == module || strings.HasPrefix(name, module+separator)
}

// What the lists of a level hold. No name has a line feed: the harness gets
// each list as lines.
var (
	pythonModule     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\z`)
	javaScriptModule = regexp.MustCompile(`^[A-Za-z0-9_@.-]+(/[A-Za-z0-9_@.-]+)*\z`)
	plainName        = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*(\.[A-Za-z_$][A-Za-z0-9_$]*)*\z`)
	levelName        = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}\z`)
)

// ValidModule says whether a level may list the name as a module: a dotted
// name in Python, a path without "node:" in JavaScript.
func ValidModule(language Language, name string) bool {
	if language == JavaScript {
		return javaScriptModule.MatchString(name)
	}
	return pythonModule.MatchString(name)
}

// ValidName says whether a level may list the name as a builtin or global.
func ValidName(name string) bool { return plainName.MatchString(name) }

// ValidLevelName says whether a level may have the name: a small letter, then
// up to 31 small letters, digits, _ and -.
func ValidLevelName(name string) bool { return levelName.MatchString(name) }
