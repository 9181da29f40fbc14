package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Joiner is what a process starter needs to give birth inside a leaf.
//
// v2: clone3 with CLONE_INTO_CGROUP and Dir (Linux 5.7).
//
// v1: one thread writes the literal "0" to every file of Leaf, clones, and
// writes "0" to every file of Home, all in one go.
//
// Preconditions (v1): the thread is locked (runtime.LockOSThread), is not the
// first of its process, and goes home whatever happens in between: from the
// first thread the kernel would charge all of the process's memory to the
// leaf, and a thread left behind keeps the leaf from being removed.
type Joiner struct {
	Version Version
	Dir     *os.File   // v2: the leaf's directory
	Leaf    []*os.File // v1: the leaf's tasks files, one per hierarchy, write-only
	Home    []*os.File // v1: the own group's, in the same order; they belong to the Hierarchy
}

// Close closes Dir and Leaf. It is due right after the start: who holds them
// can join the leaf.
func (j *Joiner) Close() error {
	var errs []error
	if j.Dir != nil {
		errs = append(errs, j.Dir.Close())
	}
	return errors.Join(append(errs, closeAll(j.Leaf))...)
}

// Joiner opens what it takes to be born in the leaf. The caller closes it.
func (l *Leaf) Joiner() (*Joiner, error) {
	j := &Joiner{Version: l.h.version, Home: l.h.home}
	var err error
	if j.Version == V2 {
		j.Dir, err = openDir(l.dirs[0])
	} else {
		j.Leaf, err = openTasks(l.dirs)
	}
	if err != nil {
		return nil, fmt.Errorf("cgroup: open leaf %s: %w", l.name, err)
	}
	return j, nil
}

func openDir(dir string) (*os.File, error) {
	return os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

func openTasks(dirs []string) (files []*os.File, err error) {
	for _, dir := range dirs {
		f, err := os.OpenFile(filepath.Join(dir, tasksFile), os.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, errors.Join(err, closeAll(files))
		}
		files = append(files, f)
	}
	return files, nil
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
