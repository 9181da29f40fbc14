package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	procsFile = "cgroup.procs"
	tasksFile = "tasks" // v1 only

	// killBatch bounds the descriptors that one round holds open.
	killBatch = 64
)

// whom says what to do about a process of which only a thread is in a v1 group.
type whom int

const (
	// spareStarters leaves out a process whose first thread lives outside:
	// it is a starter that has joined to give birth and will go home.
	spareStarters whom = iota
	killStarters
)

// killV1 sends SIGKILL once to every process in the directories, after taking
// away their right to fork. What was being born meanwhile is left for a next
// round.
func killV1(dirs []string, w whom) error {
	for _, dir := range dirs {
		err := writeFile(filepath.Join(dir, "pids.max"), "0")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forbid forks: %w", err)
		}
	}
	for _, dir := range dirs {
		if err := killMembers(dir, w); err != nil {
			return err
		}
	}
	return nil
}

// killV2 kills the group and all below it in one step where the kernel can
// (5.14), else like v1.
func killV2(dir string) error {
	err := writeFile(filepath.Join(dir, "cgroup.kill"), "1")
	if !errors.Is(err, fs.ErrNotExist) {
		if errors.Is(err, unix.ENODEV) {
			return nil
		}
		return err
	}
	dirs, err := tree(dir)
	if err != nil {
		return err
	}
	return killV1(dirs, killStarters)
}

// killMembers never signals a stranger: a number is first turned into a
// process descriptor, then found in the group once more, so that it cannot
// have passed to another process in between.
func killMembers(dir string, w whom) error {
	batch, err := readPids(dir, killBatch)
	if err != nil {
		return ignoreGone(err)
	}
	fds := make(map[int]int, len(batch))
	defer func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
	}()
	for _, pid := range batch {
		// 0 stands for a process outside our pid namespace.
		if pid == 0 || pid == os.Getpid() {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EINVAL) {
			continue // ended, or no longer the leader of a process
		}
		if err != nil {
			return fmt.Errorf("pidfd_open: %w", err)
		}
		fds[pid] = fd
	}
	members, err := confirmed(dir, w)
	if err != nil {
		return ignoreGone(err)
	}
	for pid, fd := range fds {
		if !members(pid) {
			continue
		}
		if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("pidfd_send_signal: %w", err)
		}
	}
	return nil
}

// confirmed reads the group again and gives the test for who is to be killed.
func confirmed(dir string, w whom) (func(pid int) bool, error) {
	procs, err := readPids(dir, math.MaxInt)
	if err != nil {
		return nil, err
	}
	if w == killStarters {
		return func(pid int) bool { return slices.Contains(procs, pid) }, nil
	}
	tasks, err := readNumbers(filepath.Join(dir, tasksFile), math.MaxInt)
	if err != nil {
		return nil, err
	}
	return func(pid int) bool {
		// A program may let its first thread end and go on in another: that
		// is no starter, although the first thread is not in the group.
		return slices.Contains(tasks, pid) || slices.Contains(procs, pid) && firstThreadEnded(pid)
	}, nil
}

func firstThreadEnded(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The state follows the name, which is in parentheses and may hold any.
	rest := string(stat[strings.LastIndexByte(string(stat), ')')+1:])
	return strings.HasPrefix(rest, " Z") || strings.HasPrefix(rest, " X")
}

// readPids lists processes of a group, at most limit of them.
func readPids(dir string, limit int) ([]int, error) {
	return readNumbers(filepath.Join(dir, procsFile), limit)
}

func readNumbers(file string, limit int) ([]int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []int
	for word := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(all) == limit {
			break
		}
		all = append(all, n)
	}
	return all, nil
}

// ignoreGone forgives a group that vanished while it was looked at.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
		return nil
	}
	return err
}
