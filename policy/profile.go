package policy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Profile is what an operator allows for one language: where its interpreter
// is, which limits hold, and which import policy levels exist.
type Profile struct {
	Name        string   `yaml:"name"`
	Language    Language `yaml:"language"`
	Interpreter string   `yaml:"interpreter"` // absolute host path; empty means probe the usual places
	// FullLibrary keeps the parts of the standard library that no allowed program
	// needs, ctypes among them: for looking at the kernel layers from inside.
	FullLibrary bool             `yaml:"full_library"`
	Requestable LimitRanges      `yaml:"requestable"` // limits a request may set
	Fixed       Limits           `yaml:"fixed"`       // limits it may not; the requestable fields here are ignored
	Level       string           `yaml:"level"`       // default level
	Ceiling     string           `yaml:"ceiling"`     // widest level that a caller may ask for who has no ceiling of his own
	Levels      map[string]Level `yaml:"-"`           // by name; package profiles reads them
}

// Spec is a request resolved against a profile: immutable, complete, and
// within every ceiling.
type Spec struct {
	Profile   string
	Language  Language
	Code      string
	LevelName string
	Level     Level    // without what the request denies
	Deny      []string // modules that the request denies beyond the named level
	Limits    Limits
	Ranges    LimitRanges // what the caller may ask for
	CheckOnly bool        // parse and check, run nothing
	Ceiling   string      // as the request has it, for Explain
	Input     Input
	Collect   []string // globs of files to bring back
}

// LevelNames lists the profile's levels, the narrower ones first.
func (p Profile) LevelNames() []string {
	return slices.SortedFunc(maps.Keys(p.Levels), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.width(a), p.width(b)), cmp.Compare(a, b))
	})
}

func (p Profile) width(level string) int {
	if p.Levels[level].Unrestricted {
		return math.MaxInt
	}
	return len(p.Levels[level].Imports)
}

// LevelsWithin lists the levels that a caller with this ceiling may ask for; an
// empty one is the profile's own.
func (p Profile) LevelsWithin(ceiling string) []string {
	_, widest, err := p.ceiling(ceiling)
	if err != nil {
		return []string{}
	}
	return slices.DeleteFunc(p.LevelNames(), func(name string) bool { return !p.Levels[name].Within(widest) })
}

// DefaultWithin is the level that such a caller gets who asks for none: the
// profile's default, or the ceiling where the default is not within it.
func (p Profile) DefaultWithin(ceiling string) (string, error) {
	name, widest, err := p.ceiling(ceiling)
	if err == nil && p.Levels[p.Level].Within(widest) {
		name = p.Level
	}
	return name, err
}

// Offer is what a caller may ask of a profile.
type Offer struct {
	Levels  []string // the narrower ones first; none where the profile has not his ceiling
	Default string   // of them, what he gets who names none
	Limits  LimitRanges
}

// OfferTo gives what a caller with these ceilings may ask for; an empty level and nil
// limits are the profile's own.
func (p Profile) OfferTo(ceiling string, limits LimitsRequest) Offer {
	usual, _ := p.DefaultWithin(ceiling)
	return Offer{Levels: p.LevelsWithin(ceiling), Default: usual, Limits: p.Requestable.Below(limits)}
}

func (p Profile) ceiling(asked string) (string, Level, error) {
	name := cmp.Or(asked, p.Ceiling)
	level, ok := p.Levels[name]
	if !ok {
		return "", level, &Error{
			Code: CodeForbidden, Field: "policy",
			Message: fmt.Sprintf("this caller may ask for policy %q at most, and profile %s has none of that name", name, p.Name),
		}
	}
	return name, level, nil
}

// Runtime describes a profile that is ready to run.
type Runtime struct {
	Profile       Profile
	Version       string // the interpreter's
	ImageBytes    int64  // memory that the image holds
	ImageFiles    int
	StartupFilter string // SHA-256 of the compiled program, hexadecimal
	SteadyFilter  string
}
