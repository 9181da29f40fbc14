package httpapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"safe-exec/policy"
)

// Limits that a request may set, and all that a run is held to, as the API names them.
var (
	requestableLimits = membersOf(policy.LimitRanges{})
	allLimits         = membersOf(policy.Limits{})
)

// membersOf gives the names of a struct of ours in JSON, in order.
func membersOf(v any) []string {
	text, err := json.Marshal(v)
	members := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil {
		panic(err) // a type of this program is no JSON object
	}
	return slices.Sorted(maps.Keys(members))
}

// unknownField says of a name that is none of the fields which ones there are. A
// limit that results show and no request may set deserves a word of its own.
func unknownField(path, name string, fields map[string]func(string) error) error {
	at := name
	if path != "" {
		at = path + "." + name
	}
	limits := strings.Join(requestableLimits, ", ")
	known := strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
	switch fixed := slices.Contains(allLimits, name); {
	case fixed && path == "limits":
		return malformed(at, "is fixed by the operator; a request may set %s", limits)
	case fixed && path == "":
		return unreadable(at, "unknown field %q; limits are members of limits, which may have %s", at, limits)
	case path == "":
		return unreadable(clip(at), "unknown field %q; there are %s; limits may have %s", clip(at), known, limits)
	}
	return unreadable(clip(at), "unknown field %q; %s may have %s", clip(at), path, known)
}
