package escape

import (
	"bytes"
	"strings"

	"safe-exec/policy"
)

// naiveCollector brings files back as a careless supervisor would: it walks the
// directory of the program that has ended, through links, and opens what it finds
// by its path. It wins if one of its arguments, the canary and what its own
// environment holds, is in what it read.
const naiveCollector = `
import os, sys
for directory, _, names in os.walk(".", followlinks=True):
    for name in names:
        path = os.path.join(directory, name)
        try:
            with open(path, "rb") as f:
                text = f.read(1 << 20)
                found = any(word.encode() in text for word in sys.argv[1:])
        except OSError:
            continue
        if found:
            print('\nPROBE {"won": true, "proof": "a collector read the canary in %s"}' % path, flush=True)
            sys.exit()
`

// planted are the words that nothing in a jail holds.
func (t *Targets) planted() []string {
	words := []string{t.Canary}
	if t.Environ != (Variable{}) {
		words = append(words, t.Environ.Name+"="+t.Environ.Value)
	}
	return words
}

// broughtBack says which file of an answer holds what was planted, "" if none.
func broughtBack(r *policy.Result, planted []string) string {
	for _, f := range r.Files {
		for _, word := range planted {
			if strings.Contains(f.Text, word) || bytes.Contains(f.Content, []byte(word)) {
				return "the canary came back in the file " + f.Path
			}
		}
	}
	return ""
}
