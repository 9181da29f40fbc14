package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/internal/vmtest/console"
)

// scene is what a command may change outside itself.
type scene struct {
	cgroups map[string]bool
	mounts  int
}

func survey() (scene, error) {
	s := scene{cgroups: make(map[string]bool)}
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed while we walked
		}
		if err == nil && d.IsDir() {
			s.cgroups[path] = true
		}
		return err
	})
	if err != nil {
		return s, fmt.Errorf("list cgroups: %w", err)
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return s, fmt.Errorf("list mounts: %w", err)
	}
	s.mounts = bytes.Count(table, []byte("\n"))
	return s, nil
}

// leftBehind counts what is there now and was not before, names it on the
// console, kills every process and removes the cgroups, so that the next
// command starts clean. Mounts stay: they are counted once.
func leftBehind(before scene) (console.Left, error) {
	var left console.Left
	if !reapAll(grace) {
		names := processes()
		left.Procs = len(names)
		fmt.Println(console.NoteLine("left processes: " + strings.Join(names, ", ")))
		if err := unix.Kill(-1, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
			return left, fmt.Errorf("kill all: %w", err)
		}
		if !reapAll(5 * grace) {
			return left, fmt.Errorf("%w: %s", errUnkillable, strings.Join(processes(), ", "))
		}
	}
	after, err := survey()
	if err != nil {
		return left, err
	}
	for path := range after.cgroups {
		if !before.cgroups[path] {
			left.Cgroups++
			fmt.Println(console.NoteLine("left cgroup " + path))
		}
	}
	left.Mounts = max(after.mounts-before.mounts, 0)
	return left, removeCgroups(before, after)
}

// removeCgroups removes the new directories, children before parents.
func removeCgroups(before, after scene) error {
	var errs []error
	for range 64 { // deeper trees are not made here
		errs = errs[:0]
		for path := range after.cgroups {
			if before.cgroups[path] {
				continue
			}
			err := unix.Rmdir(path)
			if err == nil || errors.Is(err, unix.ENOENT) {
				delete(after.cgroups, path)
				continue
			}
			errs = append(errs, fmt.Errorf("rmdir %s: %w", path, err))
		}
		if len(errs) == 0 {
			return nil
		}
	}
	return errors.Join(errs...)
}

// reapAll reaps until no child is left, and says whether that came about
// within the time. Every process whose parent is gone is a child of process 1.
func reapAll(within time.Duration) bool {
	deadline := time.Now().Add(within)
	for {
		got, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return true
		case err != nil && !errors.Is(err, unix.EINTR):
			return false
		case got > 0:
			continue
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// processes names all but process 1 and the kernel's threads.
func processes() []string {
	entries, _ := os.ReadDir("/proc")
	var names []string
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid <= 2 {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // gone meanwhile
		}
		// The name may hold spaces and parentheses: cut at the last one.
		end := bytes.LastIndexByte(stat, ')')
		fields := bytes.Fields(stat[end+1:])
		if len(fields) < 2 || string(fields[1]) == "2" {
			continue
		}
		names = append(names, string(stat[:end+1])+" "+string(fields[0]))
	}
	return names
}
