package vmtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// node is one member of the tree; a file's bytes come from the host path, or
// from data.
type node struct {
	mode   uint32
	host   string
	data   []byte
	target string // of a symbolic link
	major  uint32
	minor  uint32
}

// Tree is what the machine's root will hold, by absolute path inside. It keeps
// names only: the bytes are read when the archive is written.
type Tree struct {
	nodes map[string]node
}

// NewTree returns a tree with the console node, which the kernel opens for its
// first process before any file system is mounted.
func NewTree() *Tree {
	t := &Tree{nodes: make(map[string]node)}
	t.parents("/dev/console")
	t.nodes["/dev/console"] = node{mode: modeChar | 0o600, major: 5, minor: 1}
	return t
}

// Bytes adds a file with the given content.
func (t *Tree) Bytes(inside string, mode fs.FileMode, data []byte) {
	t.parents(inside)
	t.nodes[inside] = node{mode: modeRegular | permission(mode), data: data}
}

// Host adds a regular file of the host under another path inside.
func (t *Tree) Host(inside, host string) error {
	info, err := os.Stat(host)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", host)
	}
	t.parents(inside)
	t.nodes[inside] = node{mode: modeRegular | permission(info.Mode()), host: host}
	return nil
}

// Same adds a file or directory of the host under its own path, with every
// symbolic link on the way to it, and returns the path where it really lies.
func (t *Tree) Same(host string) (string, error) {
	at := "/"
	rest := strings.Split(path.Clean(host), "/")[1:]
	for links := 0; len(rest) > 0; {
		at, rest = path.Join(at, rest[0]), rest[1:]
		info, err := os.Lstat(at)
		if err != nil {
			return "", err
		}
		switch info.Mode().Type() {
		case fs.ModeDir:
			t.nodes[at] = node{mode: modeDir | permission(info.Mode())}
		case 0:
			t.nodes[at] = node{mode: modeRegular | permission(info.Mode()), host: at}
		case fs.ModeSymlink:
			if links++; links > 40 {
				return "", fmt.Errorf("%s: too many symbolic links", host)
			}
			target, err := os.Readlink(at)
			if err != nil {
				return "", err
			}
			t.nodes[at] = node{mode: modeSymlink | 0o777, target: target}
			if !path.IsAbs(target) {
				target = path.Join(path.Dir(at), target)
			}
			rest = append(strings.Split(path.Clean(target), "/")[1:], rest...)
			at = "/"
		default:
			return "", fmt.Errorf("%s: neither file, directory nor link", at)
		}
	}
	return at, nil
}

// Walk adds a directory of the host under the path inside, less the names
// (files or directories, at any depth) that skip holds. Links inside it are
// kept as they are.
func (t *Tree) Walk(inside, host string, skip ...string) error {
	t.parents(inside)
	return filepath.WalkDir(host, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p != host && slices.Contains(skip, d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(host, p)
		if err != nil {
			return err
		}
		at := path.Join(inside, rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch d.Type() {
		case fs.ModeDir:
			t.nodes[at] = node{mode: modeDir | permission(info.Mode())}
		case fs.ModeSymlink:
			target, err := os.Readlink(p)
			t.nodes[at] = node{mode: modeSymlink | 0o777, target: target}
			return err
		case 0:
			t.nodes[at] = node{mode: modeRegular | permission(info.Mode()), host: p}
		}
		return nil
	})
}

// parents adds the directories above a path, 0755.
func (t *Tree) parents(inside string) {
	for dir := path.Dir(inside); dir != "/"; dir = path.Dir(dir) {
		if _, ok := t.nodes[dir]; !ok {
			t.nodes[dir] = node{mode: modeDir | 0o755}
		}
	}
}

// WriteTo writes the archive, parents before children.
func (t *Tree) WriteTo(w io.Writer) (int64, error) {
	c := &cpioWriter{w: w}
	names := make([]string, 0, len(t.nodes))
	for name := range t.nodes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := t.nodes[name].write(c, strings.TrimPrefix(name, "/")); err != nil {
			return c.at, fmt.Errorf("archive %s: %w", name, err)
		}
	}
	err := c.close()
	return c.at, err
}

func (n node) write(c *cpioWriter, name string) (err error) {
	switch {
	case n.target != "":
		return c.entry(name, n.mode, 0, 0, int64(len(n.target)), strings.NewReader(n.target))
	case n.host == "":
		return c.entry(name, n.mode, n.major, n.minor, int64(len(n.data)), bytes.NewReader(n.data))
	}
	f, err := os.Open(n.host)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return c.entry(name, n.mode, 0, 0, info.Size(), f)
}
