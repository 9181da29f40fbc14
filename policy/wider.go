package policy

import (
	"fmt"
	"slices"
)

// NamedLevel is a level with its name in the profile.
type NamedLevel struct {
	Name string
	Level
}

// wider lists the other restricted levels that the caller may ask for, the
// narrower ones first: a refusal tells of the first that would not refuse.
func (p Profile) wider(ceiling, than string) (list []NamedLevel) {
	for _, name := range p.LevelsWithin(ceiling) {
		if level := p.Levels[name]; name != than && !level.Unrestricted {
			list = append(list, NamedLevel{name, level})
		}
	}
	return list
}

// Explain adds to a violation what the program's side cannot know: that the
// request itself denies the module, or which level allows it.
func (s Spec) Explain(v Violation) Violation {
	module := v.Rule == RuleImportBlocked || v.Rule == RuleImportNotAllowed
	name := v.Rule == RuleNameBlocked && slices.Contains(s.Level.BlockedNames, v.Name)
	switch {
	case module && slices.ContainsFunc(s.Deny, func(m string) bool { return covers(s.Language, m, v.Name) }):
		v.Message = fmt.Sprintf("module %s is denied by the request itself", v.Name)
	case module || name:
		for _, l := range s.Wider {
			switch {
			case module && !slices.Contains(l.allowed(), v.Name), name && slices.Contains(l.BlockedNames, v.Name):
				continue
			case name && slices.Contains(l.ConstantNames, v.Name):
				v.Message += fmt.Sprintf("; policy %s allows it with names that are written out", l.Name)
			default:
				v.Message += fmt.Sprintf("; policy %s allows it", l.Name)
			}
			break
		}
	}
	return v
}

// Rules that a level's own lists decide.
const (
	RuleImportBlocked    = "import_blocked"
	RuleImportNotAllowed = "import_not_allowed"
	RuleNameBlocked      = "name_blocked"
)
