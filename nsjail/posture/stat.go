package posture

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// stat gives session and controlling terminal.
func (p *proc) stat() (session, terminal int, err error) {
	text, err := p.file("stat")
	if err != nil {
		return 0, 0, err
	}
	return parseStat(text)
}

// parseStat reads proc_pid_stat(5). The second field is the program's own name
// for itself and may hold anything, brackets too; what follows it may not.
func parseStat(stat string) (session, terminal int, err error) {
	_, rest, _ := strings.Cut(stat[strings.LastIndexByte(stat, ')')+1:], " ")
	var state string
	var parent, group int
	if _, err := fmt.Sscan(rest, &state, &parent, &group, &session, &terminal); err != nil {
		return 0, 0, fmt.Errorf("stat: %w", err)
	}
	return session, terminal, nil
}

// owner is who the kernel lets look into the process's private files.
func (p *proc) owner() (uint32, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(p.fd, "environ", &st, 0); err != nil {
		return 0, fmt.Errorf("environ: %w", err)
	}
	return st.Uid, nil
}
