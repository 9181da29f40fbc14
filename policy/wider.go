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
// the request itself denies the module, or which levels that the caller may ask
// for allow it, the narrowest first.
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
	var allow []string
	written := func(level string) bool { return name && slices.Contains(p.Levels[level].ConstantNames, v.Name) }
	for _, level := range p.LevelsWithin(s.Ceiling) {
		l := p.Levels[level]
		if level == s.LevelName || l.Unrestricted ||
			!(module && slices.Contains(l.allowed(), bare) || name && !slices.Contains(l.BlockedNames, v.Name)) {
			continue
		}
		if len(allow) < mostWider && (allow == nil || written(level) == written(allow[0])) {
			allow = append(allow, level)
		}
	}
	if allow == nil {
		return v
	}
	v.Message += fmt.Sprintf("; policy %s allows it", strings.Join(allow, " or "))
	if written(allow[0]) {
		v.Message += " with names that are written out"
	}
	return v
}

// mostWider is how many levels a message names: an operator's own may stand before
// the one that everybody knows.
const mostWider = 3
