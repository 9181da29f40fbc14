package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Rules that a level's own lists decide.
const (
	RuleImportBlocked    = "import_blocked"
	RuleImportNotAllowed = "import_not_allowed"
	RuleNameBlocked      = "name_blocked"
)

// Explain adds to a violation of a run what the program's side cannot know: that
// the request itself denies the module, or which level that the caller may ask
// for, the narrowest, allows it.
func (p Profile) Explain(s Spec, v Violation) Violation {
	module := v.Rule == RuleImportBlocked || v.Rule == RuleImportNotAllowed
	name := v.Rule == RuleNameBlocked && slices.Contains(s.Level.BlockedNames, v.Name)
	bare := v.Name // as the lists have it; a program of Node may write node:zlib
	if module && p.Language == JavaScript {
		bare = strings.TrimPrefix(bare, "node:")
	}
	if module && slices.ContainsFunc(s.Deny, func(m string) bool { return covers(p.Language, m, bare) }) {
		v.Message = fmt.Sprintf("module %s is denied by the request itself", v.Name)
		return v
	}
	levels := p.LevelsWithin(s.Ceiling)
	i := slices.IndexFunc(levels, func(level string) bool {
		l := p.Levels[level]
		return level != s.LevelName && !l.Unrestricted &&
			(module && slices.Contains(l.allowed(), bare) || name && !slices.Contains(l.BlockedNames, v.Name))
	})
	if i < 0 {
		return v
	}
	v.Message += fmt.Sprintf("; policy %s allows it", levels[i])
	if name && slices.Contains(p.Levels[levels[i]].ConstantNames, v.Name) {
		v.Message += " with names that are written out"
	}
	return v
}
