package main

import (
	"fmt"
	"strings"

	"safe-exec/policy"
)

// caller gives processes of one uid, or of one gid, a ceiling of their own: the
// widest import policy level that they may ask for.
type caller struct {
	UID   *uint32 `yaml:"uid"`
	GID   *uint32 `yaml:"gid"`
	Level string  `yaml:"level"`
}

// ceiling is the level of the first entry that fits, else empty, which is each
// profile's own. The gid is the process's effective one when it connected; the
// kernel does not tell a socket's supplementary groups.
func (c config) ceiling(uid, gid uint32) string {
	for _, one := range c.Callers {
		if one.UID != nil && *one.UID == uid || one.GID != nil && *one.GID == gid {
			return one.Level
		}
	}
	return ""
}

// checkCallers refuses an entry that can never decide, and a level that a
// profile does not have: its callers could run nothing there.
func (c config) checkCallers(all map[string]policy.Profile) error {
	seen := map[string]bool{}
	for i, one := range c.Callers {
		at := fmt.Sprintf("callers[%d]", i)
		var who string
		switch {
		case (one.UID == nil) == (one.GID == nil):
			return fmt.Errorf("%s: give uid or gid, one of the two", at)
		case one.UID != nil:
			who = fmt.Sprintf("uid %d", *one.UID)
		default:
			who = fmt.Sprintf("gid %d", *one.GID)
		}
		if seen[who] {
			return fmt.Errorf("%s: %s is there already, and the first entry decides", at, who)
		}
		seen[who] = true
		for _, language := range policy.Languages() {
			p := all[string(language)]
			if _, ok := p.Levels[one.Level]; !ok {
				return fmt.Errorf("%s: profile %s has no level %q; it has %s", at, p.Name, one.Level, strings.Join(p.LevelNames(), ", "))
			}
		}
	}
	return nil
}
