package escape

import (
	"bytes"
	"strings"

	"safe-exec/policy"
)

// naiveCollector brings files back as a careless supervisor would: it walks the
// directory of the program that has ended, through links, and opens what it finds
// by its path. It wins if the canary, its argument, is in what it read.
const naiveCollector = `
import os, sys
for directory, _, names in os.walk(".", followlinks=True):
    for name in names:
        path = os.path.join(directory, name)
        try:
            with open(path, "rb") as f:
                found = sys.argv[1].encode() in f.read(1 << 20)
        except OSError:
            continue
        if found:
            print('\nPROBE {"won": true, "proof": "a collector read the canary in %s"}' % path, flush=True)
            sys.exit()
`

// broughtBack says which file of an answer holds the canary, "" if none: nothing in
// a jail does.
func broughtBack(r *policy.Result, canary string) string {
	for _, f := range r.Files {
		if strings.Contains(f.Text, canary) || bytes.Contains(f.Content, []byte(canary)) {
			return "the canary came back in the file " + f.Path
		}
	}
	return ""
}
