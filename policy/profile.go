package policy

import (
	"maps"
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
	Levels      map[string]Level `yaml:"levels"`
}

// Level is one import policy. The kernel layers are the same on every level:
// the lists below are a courtesy that says no early.
type Level struct {
	// Unrestricted lets the program import whatever the image holds and
	// leaves the builtins alone; the lists below are then empty.
	Unrestricted bool `yaml:"unrestricted" json:"unrestricted"`
	// Imports are the whole dotted names that may be imported.
	Imports []string `yaml:"imports" json:"imports"`
	// BlockedImports are refused with a rule of their own, so that the
	// message can say "blocked" rather than "not on the list".
	BlockedImports []string `yaml:"blocked_imports" json:"blocked_imports"`
	// BlockedNames are builtins or globals that the program may not name.
	BlockedNames []string `yaml:"blocked_names" json:"blocked_names"`
}

// Spec is a request resolved against a profile: immutable, complete, and
// within every ceiling.
type Spec struct {
	Profile   string
	Language  Language
	Code      string
	LevelName string
	Level     Level
	Limits    Limits
}

// LevelNames lists the profile's levels in alphabetical order.
func (p Profile) LevelNames() []string { return slices.Sorted(maps.Keys(p.Levels)) }

// Runtime describes a profile that is ready to run.
type Runtime struct {
	Profile       Profile
	Version       string // the interpreter's
	ImageBytes    int64  // memory that the image holds
	ImageFiles    int
	StartupFilter string // SHA-256 of the compiled program, hexadecimal
	SteadyFilter  string
}
