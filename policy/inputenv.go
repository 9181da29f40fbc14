package policy

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// MaxEnvNameBytes bounds the name of a variable.
const MaxEnvNameBytes = 100

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\z`)

// Variables that steer an interpreter, the loader or a library beneath them, which
// no request may set. A name that ends in * is the beginning of names. What a
// program sets itself is its own affair: the layers beneath do not look at
// variables, but a caller who passes on what others gave him must not hand over
// the interpreter with it.
var reservedEnv = []struct{ names, why string }{
	{"LD_*", "the loader obeys it, and could run code from elsewhere before the program's first line"},
	{"GCONV_PATH GETCONF_DIR LOCPATH NLSPATH HOSTALIASES LOCALDOMAIN NIS_PATH RES_OPTIONS RESOLV_HOST_CONF TZDIR",
		"it names files or settings that the C library loads and trusts"},
	{"GLIBC_* MALLOC_*", "it tunes the C library's allocator, or has it write traces"},
	{"LANG LANGUAGE LC_*", "it is set for the jail, so that encodings and formats are the same in every run"},
	{"TZ", "it takes hold only in part once the interpreter runs; let the program convert times itself"},
	{"HOME PATH PWD OLDPWD TMPDIR TMP TEMP SHELL", "it is set for the jail: libraries look there for files that they trust"},
	{"PYTHON* _PYTHON* __PYVENV_LAUNCHER__", "it would steer the Python interpreter itself, such as what it loads before the program; choose another name"},
	{"NODE_* V8_* UV_* ICU_DATA", "it would steer Node, its engine or its event loop, such as what is loaded before the program; choose another name"},
	{"OPENSSL_* SSL_* SSLKEYLOGFILE RANDFILE", "OpenSSL obeys it: it could load code, or write keys to a file"},
	{"BASH_* ENV IFS PS4 SHELLOPTS CDPATH", "a shell would run or obey it"},
}

// reservedName gives the reason why a variable may not be set, "" if it may.
func reservedName(name string) string {
	for _, row := range reservedEnv {
		for _, pattern := range strings.Fields(row.names) {
			if beginning, ok := strings.CutSuffix(pattern, "*"); name == pattern || ok && strings.HasPrefix(name, beginning) {
				return row.why
			}
		}
	}
	return ""
}

func checkEnv(env map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) { // the same error each time
		field := "env." + printableName(name)
		if len(name) > MaxEnvNameBytes {
			return TooLarge("env", len(name), MaxEnvNameBytes, "has a name of %d bytes, the maximum is %d")
		}
		if !envName.MatchString(name) {
			return Invalid(field, ": a name has letters, digits and underscores, and does not begin with a digit")
		}
		if why := reservedName(name); why != "" {
			return Invalid(field, "may not be set: %s", why)
		}
		if err := checkText(field, env[name]); err != nil {
			return err
		}
	}
	return nil
}

// printableName is a variable's name as an error can show it, whatever it is.
func printableName(name string) string {
	if len(name) > MaxEnvNameBytes {
		name = name[:MaxEnvNameBytes]
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)
}
