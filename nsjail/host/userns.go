package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// restrictions are sysctls of distributions by which only root, or a program with a
// profile of its own, makes user namespaces. Runs that start an interpreter have
// root make them. A template is not root.
var restrictions = []struct{ name, forbids, allows string }{
	{"kernel/unprivileged_userns_clone", "0", "1"},             // Debian
	{"kernel/apparmor_restrict_unprivileged_userns", "1", "0"}, // Ubuntu, AppArmor 4
}

// forks says whether templates may fork. Without it every run starts an
// interpreter: slower, and no less confined, so it is never missing.
func forks(sysctls string) Finding {
	f := Finding{Layer: "forked starts", UsedFor: "a template makes a run's namespaces in about a millisecond", OK: true, Detail: "nothing keeps templates from making user namespaces"}
	for _, r := range restrictions {
		dotted := strings.ReplaceAll(r.name, "/", ".")
		text, err := os.ReadFile(filepath.Join(sysctls, r.name))
		switch {
		case errors.Is(err, fs.ErrNotExist): // a kernel without it restricts nothing
		case err != nil:
			f.Detail = fmt.Sprintf("%s cannot be read: %v", dotted, err)
		case strings.TrimSpace(string(text)) == r.forbids:
			f.Detail = fmt.Sprintf("%s is %s: only root makes user namespaces, so each run starts its own interpreter or takes one that waits", dotted, r.forbids)
			f.Remedy = fmt.Sprintf("for faster starts, sysctl %s=%s; it holds for every program of this host, so weigh it", dotted, r.allows)
			return f
		}
	}
	return f
}
