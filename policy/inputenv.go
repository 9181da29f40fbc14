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
	{"LD_*", "the loader's: code from elsewhere before the first line"},
	{"GCONV_PATH GETCONF_DIR LOCPATH NLSPATH HOSTALIASES LOCALDOMAIN NIS_PATH RES_OPTIONS RESOLV_HOST_CONF TZDIR",
		"files that the C library loads; it ignores these itself where a program has privileges (ld.so(8))"},
	{"GLIBC_* MALLOC_*", "tunables and traces of the C library's allocator"},
	{"LANG LANGUAGE LC_*", "set for the jail: encodings and formats are the same in every run"},
	{"TZ", "takes hold in part once the interpreter runs; a program converts times itself"},
	{"HOME PATH PWD OLDPWD TMPDIR TMP TEMP SHELL", "set for the jail, or where a library looks for files that it trusts"},
	{"PYTHON* _PYTHON* __PYVENV_LAUNCHER__", "Python: paths, start-up code, warnings, debugging"},
	{"NODE_* V8_* UV_* ICU_DATA", "Node, its engine, its event loop and its tables: options, preloaded code, threads"},
	{"OPENSSL_* SSL_* SSLKEYLOGFILE RANDFILE", "OpenSSL: configuration, engines that are loaded, keys that are written"},
	{"BASH_* ENV IFS PS4 SHELLOPTS CDPATH", "a shell's start-up code and parsing, should an image ever hold one"},
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
			return tooLarge("env", int64(len(name)), MaxEnvNameBytes, "env has a name of %d bytes, the maximum is %d", len(name), MaxEnvNameBytes)
		}
		if !envName.MatchString(name) {
			return Invalid(field, "%s: a name has letters, digits and underscores, and does not begin with a digit", field)
		}
		if why := reservedName(name); why != "" {
			return Invalid(field, "%s may not be set: %s", field, why)
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
