package profiles_test

import (
	"regexp"
	"slices"
	"strings"

	"safe-exec/policy"
)

var (
	identifier = regexp.MustCompile(`[A-Za-z_]\w*`)
	pieceOfStr = regexp.MustCompile(`"[^"\n]*" \+ "[^"\n]*"`)
)

// mutate changes a known attack in a few places: another name in the place of
// one, a name written out that was joined or the other way round, a line gone,
// doubled or elsewhere, all of it inside a function, another attack behind it.
// What comes of it need not be valid.
func mutate(c *choices, language policy.Language, code string, others []attack) string {
	names := append(append([]string{}, pyPublic...), pyHidden...)
	if language == policy.JavaScript {
		names = jsNames
	}
	for range 1 + c.n(5) {
		lines := strings.SplitAfter(code, "\n")
		at := c.n(len(lines))
		switch c.n(8) {
		case 0, 1:
			code = replaceOne(c, identifier, code, func(string) string { return c.of(names) })
		case 2: // one of its own names for another of its own
			own := identifier.FindAllString(code, -1)
			if len(own) > 0 {
				code = replaceOne(c, identifier, code, func(string) string { return c.of(own) })
			}
		case 3:
			code = replaceOne(c, pieceOfStr, code, func(s string) string { return strings.Replace(s, `" + "`, "", 1) })
		case 4:
			code = strings.Join(slices.Delete(lines, at, at+1), "")
		case 5:
			code = strings.Join(slices.Insert(lines, at, lines[c.n(len(lines))]), "")
		case 6:
			code += "\n" + others[c.n(len(others))].code
		case 7:
			if language == policy.Python {
				code = "def all():\n    pass\n    " + strings.ReplaceAll(code, "\n", "\n    ") + "\nread_host(all)\n"
			} else {
				code = "readHost(() => {\n" + code + "\n});\n"
			}
		}
	}
	return code
}

func replaceOne(c *choices, what *regexp.Regexp, code string, by func(string) string) string {
	places := what.FindAllStringIndex(code, -1)
	if len(places) == 0 {
		return code
	}
	p := places[(c.n(256)*256+c.n(256))%len(places)]
	return code[:p[0]] + by(code[p[0]:p[1]]) + code[p[1]:]
}
