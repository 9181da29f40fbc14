package cgroup

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// membership is one line of /proc/<pid>/cgroup.
type membership struct {
	prefix      string   // "4:memory:", all that stands before the path
	controllers []string // empty for the unified hierarchy
	unified     bool
	path        string // absolute within the hierarchy
}

func parseMemberships(text []byte) ([]membership, error) {
	var all []membership
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		id, rest, ok := strings.Cut(s.Text(), ":")
		list, path, ok2 := strings.Cut(rest, ":")
		if _, err := strconv.ParseUint(id, 10, 32); err != nil || !ok || !ok2 || !strings.HasPrefix(path, "/") {
			return nil, fmt.Errorf("malformed line %q", s.Text())
		}
		m := membership{prefix: id + ":" + list + ":", path: path, unified: id == "0" && list == ""}
		if !m.unified {
			m.controllers = strings.Split(list, ",")
		}
		all = append(all, m)
	}
	return all, nil
}

// mount is a cgroup or cgroup2 line of /proc/<pid>/mountinfo.
type mount struct {
	root    string   // the directory of the hierarchy that is seen at point
	point   string   // mount point
	unified bool     // cgroup2
	options []string // of the superblock; v1 lists its controllers here
}

func parseMounts(text []byte) ([]mount, error) {
	var all []mount
	for line := range strings.Lines(string(text)) {
		left, right, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		f, g := strings.Fields(left), strings.Fields(right)
		if !ok || len(f) < 6 || len(g) < 2 {
			return nil, fmt.Errorf("malformed line %q", line)
		}
		if g[0] != "cgroup" && g[0] != "cgroup2" {
			continue
		}
		m := mount{root: unescape(f[3]), point: unescape(f[4]), unified: g[0] == "cgroup2"}
		if len(g) > 2 {
			m.options = strings.Split(g[2], ",")
		}
		all = append(all, m)
	}
	return all, nil
}

// unescape undoes the kernel's octal escapes for blanks and backslashes.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(v))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// dir is where path of the mounted hierarchy can be reached, if it can. A path
// with "..", which the kernel shows to who is outside of its cgroup namespace,
// must not be cleaned into another group's.
func (m mount) dir(path string) (string, bool) {
	if filepath.Clean(path) != path {
		return "", false
	}
	rel, err := filepath.Rel(m.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.Join(m.point, rel), true
}

func (m mount) serves(s membership) bool {
	if m.unified || s.unified {
		return m.unified && s.unified
	}
	return slices.Contains(m.options, s.controllers[0])
}

// group is a cgroup by both of its names.
type group struct {
	controllers []string // of the required ones, those bound to this hierarchy
	prefix      string   // see membership
	path        string
	dir         string
	point       string // mount point of the hierarchy
}

func (g group) child(name string) group {
	g.path, g.dir = filepath.Join(g.path, name), filepath.Join(g.dir, name)
	return g
}

func (g group) parent() group {
	g.path, g.dir = filepath.Dir(g.path), filepath.Dir(g.dir)
	return g
}

// ownGroups lists the caller's cgroups in all hierarchies that are mounted
// where it can reach them, the unified one included.
func ownGroups() ([]group, error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, fmt.Errorf("cgroup: read own membership: %w", err)
	}
	members, err := parseMemberships(text)
	if err != nil {
		return nil, fmt.Errorf("cgroup: read own membership: %w", err)
	}
	if text, err = os.ReadFile("/proc/self/mountinfo"); err != nil {
		return nil, fmt.Errorf("cgroup: read mounts: %w", err)
	}
	mounts, err := parseMounts(text)
	if err != nil {
		return nil, fmt.Errorf("cgroup: read mounts: %w", err)
	}
	var all []group
	for _, s := range members {
		for _, m := range mounts {
			dir, ok := m.dir(s.path)
			if !ok || !m.serves(s) || !onCgroupFS(dir, s.unified) {
				continue
			}
			all = append(all, group{controllers: s.controllers, prefix: s.prefix, path: s.path, dir: dir, point: m.point})
			break
		}
	}
	return all, nil
}
