package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
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

	// killBatch bounds the descriptors that a kill holds open at once.
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

// killOnce sends SIGKILL once to every process in the directories, after taking
// away their right to fork. What was being born meanwhile is left for a next
// round.
func killOnce(dirs []string, w whom) error {
	for _, dir := range dirs {
		if err := ignoreGone(writeFile(filepath.Join(dir, "pids.max"), "0")); err != nil {
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

// killTree kills whatever is in or below dir: by cgroup.kill where there is one
// (v2, Linux 5.14), and then one by one all the same. On Linux 6.1 cgroup.kill
// leaves alive a process that goes on after its first thread has ended.
func killTree(dir string) error {
	err := writeFile(filepath.Join(dir, "cgroup.kill"), "1")
	if err := ignoreGone(err); err != nil {
		return err
	}
	dirs, err := tree(dir)
	if err != nil {
		return err
	}
	return killOnce(dirs, killStarters)
}

func killMembers(dir string, w whom) error {
	all, err := readPids(dir)
	if err != nil {
		return ignoreGone(err)
	}
	for batch := range slices.Chunk(all, killBatch) {
		if err := killBatchOf(dir, batch, w); err != nil {
			return ignoreGone(err)
		}
	}
	return nil
}

// killBatchOf never signals a stranger: a number is first turned into a
// process descriptor, then found in the group once more, so that it cannot
// have passed to another process in between.
func killBatchOf(dir string, batch []int, w whom) error {
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
		return err
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
	procs, err := readPids(dir)
	if err != nil {
		return nil, err
	}
	if w == killStarters {
		return func(pid int) bool { return slices.Contains(procs, pid) }, nil
	}
	tasks, err := readNumbers(filepath.Join(dir, tasksFile))
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

// readPids lists the processes of a group.
func readPids(dir string) ([]int, error) {
	return readNumbers(filepath.Join(dir, procsFile))
}

func readNumbers(file string) ([]int, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	var all []int
	for word := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
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
