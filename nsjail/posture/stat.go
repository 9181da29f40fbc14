package posture

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// readStat gives session and controlling terminal.
func readStat(dir string) (session, terminal int, err error) {
	b, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0, 0, err
	}
	return parseStat(string(b))
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

func readOwner(dir string) (uint32, error) {
	info, err := os.Stat(dir + "/environ")
	if err != nil {
		return 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	return st.Uid, nil
}
