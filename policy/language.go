package policy

import "slices"

// Language is a programming language that a profile can run.
type Language string

const (
	Python     Language = "python"
	JavaScript Language = "javascript"
)

var languageAliases = map[string]Language{
	"python": Python, "python3": Python, "py": Python,
	"javascript": JavaScript, "js": JavaScript, "node": JavaScript,
}

// ParseLanguage maps a name or one of its aliases (py, python3, js, node) to
// the language. It is case-sensitive, like every name in the API.
func ParseLanguage(name string) (Language, bool) {
	l, ok := languageAliases[name]
	return l, ok
}

// Languages lists what ParseLanguage can return, in the order to show them.
func Languages() []Language { return []Language{Python, JavaScript} }

// Aliases lists every name by which ParseLanguage knows a language, in
// alphabetical order.
func Aliases(l Language) []string {
	var names []string
	for name, of := range languageAliases {
		if of == l {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
