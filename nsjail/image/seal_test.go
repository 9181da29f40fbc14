package image

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

// walkImage visits everything in an image through its descriptor, up to the first fault:
// one cause makes thousands. content reads a regular file or a link's target.
func walkImage(t *testing.T, img *Image, visit func(path string, info os.FileInfo, content func() []byte)) {
	t.Helper()
	walkMount(t, img.Mount, visit)
}

func walkMount(t *testing.T, mount *os.File, visit func(path string, info os.FileInfo, content func() []byte)) {
	t.Helper()
	root := "/proc/self/fd/" + strconv.Itoa(int(mount.Fd()))
	entries := 0
	require.NoError(t, filepath.Walk(root+"/", func(path string, info os.FileInfo, err error) error {
		require.NoError(t, err)
		entries++
		visit("/"+strings.TrimPrefix(strings.TrimPrefix(path, root), "/"), info, func() []byte {
			if info.Mode()&os.ModeSymlink != 0 {
				target, err := os.Readlink(path)
				require.NoError(t, err)
				return []byte(target)
			}
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			return b
		})
		if t.Failed() {
			return filepath.SkipAll
		}
		return nil
	}))
	require.True(t, entries > 4 || t.Failed(), "the walk saw the image")
}

func TestModesOwnersAndLinks(t *testing.T) {
	for name, umask := range map[string]int{"with the usual umask": 0o022, "with umask 077": 0o077, "with umask 0": 0} {
		t.Run(name, func(t *testing.T) {
			defer unix.Umask(unix.Umask(umask))
			img, err := Build(t.Context(), Config{
				Language: policy.JavaScript,
				Files:    map[string][]byte{ownDir + "/harness.js": []byte("1")},
			})
			require.NoError(t, err)
			defer img.Close()
			checkModes(t, img)
		})
	}
	t.Run("of Python", func(t *testing.T) { checkModes(t, sharedImage(t, policy.Python, "")) })
}

func checkModes(t *testing.T, img *Image) {
	executables := map[string]bool{img.Interpreter: true}
	files, links := 0, 0
	walkImage(t, img, func(path string, info os.FileInfo, content func() []byte) {
		var st unix.Stat_t
		full := "/proc/self/fd/" + strconv.Itoa(int(img.Mount.Fd())) + path
		require.NoError(t, unix.Lstat(full, &st))
		assert.Zero(t, st.Uid, path)
		assert.Zero(t, st.Gid, path)
		switch {
		case info.IsDir():
			assert.Equal(t, os.ModeDir|0o755, info.Mode(), path)
		case info.Mode()&os.ModeSymlink != 0:
			links++
			target := string(content())
			assert.False(t, filepath.IsAbs(target), "%s -> %s", path, target)
			_, err := os.Stat("/proc/self/fd/" + strconv.Itoa(int(img.Mount.Fd())) + filepath.Join(filepath.Dir(path), target))
			assert.NoError(t, err, "%s leads nowhere", path)
		default:
			files++
			want := os.FileMode(0o644)
			if executables[path] || strings.HasPrefix(filepath.Base(path), "ld-") {
				want = 0o755
			}
			assert.Equal(t, want, info.Mode(), path)
			assert.EqualValues(t, 1, st.Nlink, path)
		}
		n, err := unix.Llistxattr(full, nil)
		if err != unix.ENOTSUP {
			require.NoError(t, err)
			assert.Zero(t, n, "extended attributes of %s", path)
		}
	})
	assert.Equal(t, img.Files, files)
	assert.Equal(t, img.Links, links)
}

func TestLayout(t *testing.T) {
	for _, l := range policy.Languages() {
		img := sharedImage(t, l, "")
		names, err := os.ReadDir("/proc/self/fd/" + strconv.Itoa(int(img.Mount.Fd())) + "/")
		require.NoError(t, err)
		var top []string
		for _, n := range names {
			top = append(top, n.Name())
		}
		assert.Equal(t, []string{"dev", "etc", "lib", "lib64", "tmp", "usr"}, top)
		assert.Equal(t, []string{"/usr", "/etc"}, img.Roots)
		assert.Empty(t, img.Warnings)
		walkImage(t, img, func(path string, info os.FileInfo, _ func() []byte) {
			dir := filepath.Dir(path)
			assert.False(t, dir == "/tmp" || dir == "/dev", "%s is in a mount point", path)
			if dir == "/usr/bin" {
				assert.Contains(t, []string{img.Interpreter, "/usr/bin/python3"}, path)
			}
		})
	}
}

func TestRootInsideCannotChangeTheImage(t *testing.T) {
	img := sharedImage(t, policy.Python, "")
	for name, code := range map[string]string{
		"create a file":          "os.open('/usr/x', os.O_CREAT | os.O_WRONLY)",
		"create one in the root": "os.open('/x', os.O_CREAT | os.O_WRONLY)",
		"open one for writing":   "os.open('/usr/bin/python3', os.O_WRONLY)",
		"truncate a file":        "os.truncate('/etc/passwd', 0)",
		"remove a file":          "os.unlink('/etc/passwd')",
		"rename a file":          "os.rename('/etc/passwd', '/etc/p')",
		"make a directory":       "os.mkdir('/usr/x')",
		"make a link":            "os.symlink('a', '/usr/x')",
		"make a device node":     "os.mknod('/usr/x', 0o20666, os.makedev(1, 3))",
		"change a mode":          "os.chmod('/etc/passwd', 0o666)",
		"change an owner":        "os.chown('/etc/passwd', 1, 1)",
		"set a time":             "os.utime('/etc/passwd')",
		"set an attribute":       "os.setxattr('/etc/passwd', 'trusted.x', b'')",
		"add a device node":      "os.mknod('/dev/x', 0o20666, os.makedev(1, 3))",
		"change a device's mode": "os.chmod('/dev/null', 0)",
		"remove a device node":   "os.unlink('/dev/null')",
	} {
		t.Run(name, func(t *testing.T) {
			got := runInside(t, img, "0", img.Interpreter, "-I", "-S", "-B", "-c",
				"import os, errno\nassert os.getuid() == 0\ntry:\n    "+code+"\n    print('done')\nexcept OSError as e: print(errno.errorcode[e.errno])")
			assert.Equal(t, outcome{stdout: "EROFS\n"}, got)
		})
	}
}

// Each of the two seals holds alone.
func TestMountAndSuperblockAreBothReadOnly(t *testing.T) {
	create := func(img *Image) error {
		fd, err := unix.Openat(int(img.Mount.Fd()), "x", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
	thawMount := func(t *testing.T, img *Image) {
		require.NoError(t, unix.MountSetattr(int(img.Mount.Fd()), "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}))
	}
	thawSuperblock := func(t *testing.T, img *Image) {
		fd, err := unix.Fspick(int(img.Mount.Fd()), "", unix.FSPICK_CLOEXEC|unix.FSPICK_EMPTY_PATH)
		require.NoError(t, err)
		defer unix.Close(fd)
		require.NoError(t, unix.FsconfigSetFlag(fd, "rw"))
		require.NoError(t, unix.FsconfigReconfigure(fd))
	}
	for name, c := range map[string]struct {
		thaw []func(*testing.T, *Image)
		want error
	}{
		"sealed":                   {nil, unix.EROFS},
		"the mount is lifted":      {[]func(*testing.T, *Image){thawMount}, unix.EROFS},
		"the superblock is lifted": {[]func(*testing.T, *Image){thawSuperblock}, unix.EROFS},
		"both are lifted":          {[]func(*testing.T, *Image){thawMount, thawSuperblock}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			img, err := Build(t.Context(), Config{Language: policy.JavaScript})
			require.NoError(t, err)
			defer img.Close()
			for _, thaw := range c.thaw {
				thaw(t, img)
			}
			assert.ErrorIs(t, create(img), c.want)
		})
	}
}

func TestMountFlags(t *testing.T) {
	devices, err := Devices()
	require.NoError(t, err)
	defer devices.Close()
	const sealed = unix.ST_RDONLY | unix.ST_NOSUID | unix.ST_NOATIME
	const compared = sealed | unix.ST_NODEV | unix.ST_NOEXEC
	for name, c := range map[string]struct {
		mount *os.File
		want  int64
	}{
		"an image runs programs and has no devices": {sharedImage(t, policy.JavaScript, "").Mount, sealed | unix.ST_NODEV},
		"the devices have nodes and no programs":    {devices, sealed | unix.ST_NOEXEC},
	} {
		t.Run(name, func(t *testing.T) {
			var s unix.Statfs_t
			require.NoError(t, unix.Fstatfs(int(c.mount.Fd()), &s))
			assert.Equal(t, c.want, s.Flags&compared)
			assert.EqualValues(t, unix.TMPFS_MAGIC, s.Type)
			assert.Less(t, s.Blocks*4096, uint64(maxImageBytes))
			assert.Positive(t, s.Files, "inodes are bounded")
			assert.Less(t, s.Files, uint64(10000))
		})
	}
}

func TestDeviceNodes(t *testing.T) {
	defer unix.Umask(unix.Umask(0o077))
	devices, err := Devices()
	require.NoError(t, err)
	defer devices.Close()
	got := map[string]uint64{}
	walkMount(t, devices, func(path string, info os.FileInfo, _ func() []byte) {
		if path == "/" {
			return
		}
		assert.Equal(t, os.ModeDevice|os.ModeCharDevice|0o666, info.Mode(), path)
		var st unix.Stat_t
		require.NoError(t, unix.Fstatat(int(devices.Fd()), path[1:], &st, 0))
		got[path] = st.Rdev
	})
	assert.Equal(t, map[string]uint64{
		"/null": unix.Mkdev(1, 3), "/zero": unix.Mkdev(1, 5), "/random": unix.Mkdev(1, 8), "/urandom": unix.Mkdev(1, 9),
	}, got)
}
