package escape

import (
	"regexp"
	"slices"
	"strings"
)

// EnvironCanary is the variable that a battery in this process plants in its
// own environment.
const EnvironCanary = "SAFE_EXEC_CANARY"

// Variable is one that probes look for in their surroundings' environment:
// controls have it, and so has the process that runs the jails. The zero value
// means that there is none to look for.
type Variable struct{ Name, Value string }

// telling are variables by which a process's environment is known again and
// which hold no secret, since a report shows them; the most particular first.
var telling = []string{
	EnvironCanary, "INVOCATION_ID", "JOURNAL_STREAM", "NOTIFY_SOCKET", "SYSTEMD_EXEC_PID", "STATE_DIRECTORY", "RUNTIME_DIRECTORY",
	"OLDPWD", "PWD", "LOGNAME", "USER", "SHELL", "TERM", "PATH",
}

// plain values can stand in a string of either language.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:,@=+-]{3,200}$`)

// Telling picks a variable from another process's environment, as
// /proc/PID/environ gives it. That environment cannot be changed, so what it
// holds anyway is what probes must not get hold of.
func Telling(environ string) Variable {
	all := strings.Split(environ, "\x00")
	for _, name := range telling {
		i := slices.IndexFunc(all, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		if i < 0 {
			continue
		}
		value := strings.TrimPrefix(all[i], name+"=")
		// A jail's own PATH would be taken for the other's.
		if plain.MatchString(value) && !(name == "PATH" && value == "/usr/bin") {
			return Variable{name, value}
		}
	}
	return Variable{}
}
