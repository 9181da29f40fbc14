package escape

import (
	"encoding/json"
	"strings"
)

// finding is the line that a probe prints.
type finding struct {
	Won     bool   `json:"won"`
	Reached bool   `json:"reached"`
	Proof   string `json:"proof"`
}

const marker = "PROBE "

// findingIn reads a program's finding. Of several, one that won counts: a probe
// tries more than one way. A line that says that the technique has reached its
// object is no answer yet: what came of using it follows.
func findingIn(stdout string) (found finding, reported bool) {
	reached := false
	defer func() { found.Reached = reached }()
	for line := range strings.Lines(stdout) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), marker)
		if !ok {
			continue
		}
		var f finding
		if json.Unmarshal([]byte(text), &f) != nil {
			continue
		}
		switch {
		case f.Reached:
			if reached = true; !reported {
				found.Proof = f.Proof
			}
		case f.Won:
			return f, true
		case !reported:
			found, reported = f, true
		}
	}
	return found, reported
}
