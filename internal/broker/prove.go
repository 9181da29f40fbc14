package broker

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"safe-exec/internal/link"
	"safe-exec/nsjail/posture"
)

// looks is how often a posture is read that a thread ended in the midst of.
const looks = 3

// prove compares what the kernel says of the process, and what the process has
// tried, with what was asked for. The error names every difference.
func (s *Supervisor) prove(p *process, r link.Report) error {
	if r.Failed != "" {
		return fmt.Errorf("broker: %s", r.Failed)
	}
	if want := tries(s.abi); !slices.Equal(want, r.Tried) {
		return fmt.Errorf("broker: it has tried %q, and should have tried %q", r.Tried, want)
	}
	want, err := s.expectation(p)
	if err != nil {
		return err
	}
	var got posture.Process
	for range looks {
		if got, err = posture.Read(p.cmd.Process.Pid); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	select {
	case <-p.ended:
		return fmt.Errorf("broker: it ended while it was looked at")
	default: // not reaped, so the number was its own
	}
	var found []string
	for _, d := range posture.Compare(want, got) {
		found = append(found, d.String())
	}
	if found != nil {
		return fmt.Errorf("broker: it is not as it was made: %s", strings.Join(found, "; "))
	}
	return nil
}

// expectation is all of this process but what was given up.
func (s *Supervisor) expectation(p *process) (posture.Expectation, error) {
	own, err := posture.Read(os.Getpid())
	if err != nil {
		return posture.Expectation{}, err
	}
	classes := []string{"anon_inode:[eventpoll]", "anon_inode:[eventfd]", fmt.Sprintf("socket:[%d]", p.inode)}
	for _, l := range s.cfg.Listeners {
		n, err := inode(l)
		if err != nil {
			return posture.Expectation{}, err
		}
		classes = append(classes, fmt.Sprintf("socket:[%d]", n))
	}
	fds := map[string]string{"0": os.DevNull, "1": os.DevNull}
	for number, f := range map[string]*os.File{"2": s.cfg.Stderr} {
		if fds[number], err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err != nil {
			return posture.Expectation{}, err
		}
	}
	program, err := os.Readlink(s.cfg.Program)
	if err != nil {
		program = s.cfg.Program
	}
	return posture.Expectation{
		ID: s.cfg.UID, Group: s.cfg.GID, Filters: 1, Namespaces: own.Namespaces, FDs: fds, FDClasses: classes,
		Mounts: own.Mounts, Limits: map[string]string{"Max core file size": "0 0"}, Session: p.cmd.Process.Pid,
		Dir: "/", Program: program, Undumpable: true,
	}, nil
}
