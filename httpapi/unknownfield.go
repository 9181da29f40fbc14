package httpapi

import (
	"encoding/json"
	"fmt"
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
func unknownField(path, name string, fields map[string]func(string) error) string {
	at := name
	if path != "" {
		at = path + "." + name
	}
	if path == "limits" && slices.Contains(allLimits, name) {
		return fmt.Sprintf("%s is fixed by the operator; a request may set %s", at, strings.Join(requestableLimits, ", "))
	}
	if path == "" && slices.Contains(allLimits, name) {
		return fmt.Sprintf("unknown field %q; limits are members of limits, which may have %s", at, strings.Join(requestableLimits, ", "))
	}
	known := strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
	if path == "" {
		return fmt.Sprintf("unknown field %q; there are %s; limits may have %s", clip(at), known, strings.Join(requestableLimits, ", "))
	}
	return fmt.Sprintf("unknown field %q; %s may have %s", clip(at), path, known)
}
