package cgroup

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMembershipLines(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []membership
		wrong      bool
	}{
		{"unified", "0::/user.slice\n", []membership{{prefix: "0::", unified: true, path: "/user.slice"}}, false},
		{"two controllers in one hierarchy", "3:cpu,cpuacct:/a b\n",
			[]membership{{prefix: "3:cpu,cpuacct:", controllers: []string{"cpu", "cpuacct"}, path: "/a b"}}, false},
		{"named hierarchy, colon in the path", "1:name=systemd:/a:b",
			[]membership{{prefix: "1:name=systemd:", controllers: []string{"name=systemd"}, path: "/a:b"}}, false},
		{"nothing", "", nil, false},
		{"path is missing", "4:memory\n", nil, true},
		{"path is relative", "4:memory:a\n", nil, true},
		{"number is none", "x:memory:/\n", nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseMemberships([]byte(tc.text))
			assert.Equal(t, tc.wrong, err != nil, "%v", err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestMountLines(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []mount
		wrong      bool
	}{
		{"v2", "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
			[]mount{{root: "/", point: "/sys/fs/cgroup", unified: true, options: []string{"rw", "nsdelegate"}}}, false},
		{"v1 with a part of the hierarchy at a path with a blank", `32 31 0:29 /a\040b /x\040y rw - cgroup cgroup rw,cpu,cpuacct`,
			[]mount{{root: "/a b", point: "/x y", options: []string{"rw", "cpu", "cpuacct"}}}, false},
		{"other file systems are passed over", "31 23 0:28 / / rw - tmpfs tmpfs rw\n", nil, false},
		{"separator is missing", "31 23 0:28 / /sys rw cgroup cgroup rw\n", nil, true},
		{"line is cut short", "31 23 - cgroup cgroup rw\n", nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseMounts([]byte(tc.text))
			assert.Equal(t, tc.wrong, err != nil, "%v", err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestOwnDirectoryBelowAMount(t *testing.T) {
	for _, tc := range []struct {
		name, root, path string
		want             string
		reachable        bool
	}{
		{"whole hierarchy", "/", "/a/b", "/mnt/a/b", true},
		{"own group is the mount", "/a", "/a", "/mnt", true},
		{"below a part", "/a", "/a/b", "/mnt/b", true},
		{"beside the part", "/a", "/b", "", false},
		{"above the part", "/a/b", "/a", "", false},
		{"outside of the namespace", "/", "/../a", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, ok := mount{root: tc.root, point: "/mnt"}.dir(tc.path)
			assert.Equal(t, tc.reachable, ok)
			assert.Equal(t, tc.want, dir)
		})
	}
}

func TestKeyedFiles(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       map[string]int64
		wrong      bool
	}{
		{"two lines", "user_usec 5\nsystem_usec 7\n", map[string]int64{"user_usec": 5, "system_usec": 7}, false},
		{"more than an int64 holds stays positive", "oom 18446744073709551615", map[string]int64{"oom": math.MaxInt64}, false},
		{"no number", "max unlimited\n", nil, true},
		{"negative", "max -1\n", nil, true},
		{"no key", "7\n", nil, true},
		{"two numbers", "max 1 2\n", nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseKeyed([]byte(tc.text))
			assert.Equal(t, tc.wrong, err != nil, "%v", err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestSplitOfProcessorTime(t *testing.T) {
	for _, tc := range []struct {
		name                string
		total, user, system int64
		wantUser, wantSys   time.Duration
	}{
		{"in proportion to the ticks", 1000, 30, 10, 750, 250},
		{"all user without any tick", 1000, 0, 0, 1000, 0},
		{"all system", 1000, 0, 5, 0, 1000},
		{"nothing used", 0, 0, 0, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u, s := splitCPU(tc.total, tc.user, tc.system)
			assert.Equal(t, tc.wantUser, u)
			assert.Equal(t, tc.wantSys, s)
		})
	}
}

func TestEveryVersionPrints(t *testing.T) {
	for v, want := range map[Version]string{0: "none", V1: "v1", V2: "v2", 9: "Version(9)"} {
		assert.Equal(t, want, v.String())
	}
}

func FuzzMemberships(f *testing.F) {
	f.Add([]byte("0::/\n4:memory:/a\n3:cpu,cpuacct:/a:b\n"))
	f.Add([]byte("::/"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := parseMemberships(text)
		if err != nil {
			return
		}
		for _, m := range all {
			require.True(t, m.unified || len(m.controllers) > 0, "serves must find a controller")
			require.Equal(t, byte('/'), m.path[0])
		}
	})
}

func FuzzMounts(f *testing.F) {
	f.Add([]byte("31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw\n"), "/a")
	f.Add([]byte(`32 31 0:29 /\1 /x\040 rw - cgroup cgroup rw,cpu`), "/../b")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		all, err := parseMounts(text)
		if err != nil {
			return
		}
		for _, m := range all {
			_, _ = m.dir(path)
		}
	})
}

func FuzzKeyed(f *testing.F) {
	f.Add([]byte("oom_kill 3\nunder_oom 0\n"))
	f.Add([]byte("max 99999999999999999999\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseKeyed(text)
		if err != nil {
			return
		}
		for k, v := range m {
			require.GreaterOrEqual(t, v, int64(0), k)
		}
	})
}
