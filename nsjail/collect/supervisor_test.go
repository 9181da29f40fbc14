package collect

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/shim"
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/profiles"
	"safe-exec/seccomp"
	"safe-exec/seccomp/compile"
)

// launcher makes a payload that ends as told, and becomes the supervisor, as the
// init of a jail does.
const launcher = `
import os, sys
pid = os.fork()
if pid == 0:
    os.kill(os.getpid(), int(sys.argv[1])) if int(sys.argv[1]) else os._exit(7)
fd = os.pidfd_open(pid)
os.dup2(fd, 5)
os.execve(6, ["supervisor"], {})
`

// supervise starts the real supervisor under its real filter in a directory of the
// host, and waits until it has told of its payload's end. A jail lets no program
// make what these tests put there.
func supervise(t *testing.T, dir, before string, signal string) (control int, end wire.Event) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { unix.Close(pair[0]) })
	program := filepath.Join(t.TempDir(), "supervisor")
	require.NoError(t, os.WriteFile(program, shim.Supervisor(), 0o755))
	executable, err := os.Open(program)
	require.NoError(t, err)
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	filter, to, err := os.Pipe()
	require.NoError(t, err)
	text, err := profiles.Syscalls("init")
	require.NoError(t, err)
	list, err := seccomp.ParsePolicy("init", bytes.NewReader(text), seccomp.Steady)
	require.NoError(t, err)
	compiled, err := compile.Compile(list)
	require.NoError(t, err)
	_, err = to.Write(compiled.Marshal())
	require.NoError(t, err)
	to.Close()
	cmd := exec.Command("/bin/sh", "-c", before+` exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs -- /usr/bin/python3 -c "$0" "$1"`, launcher, signal)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.ExtraFiles = []*os.File{os.NewFile(uintptr(pair[1]), "control"), null, null, executable, filter}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
	t.Cleanup(func() {
		require.NoError(t, unix.Shutdown(pair[0], unix.SHUT_RDWR))
		require.NoError(t, cmd.Wait(), "it ends in order, and so was refused no call that it cannot do without")
	})
	for _, kind := range []wire.EventKind{wire.EventStarted, wire.EventExited} {
		packet, fds, err := wire.RecvPacket(pair[0])
		require.NoError(t, err)
		wire.CloseAll(fds)
		end, err = wire.DecodeEvent(packet)
		require.NoError(t, err)
		require.Equal(t, kind, end.Kind, "%s: %v", end.Step, syscall.Errno(end.Errno))
	}
	return pair[0], end
}

// workDir is a directory that another than the supervisor owns.
func workDir(t *testing.T) string {
	require.Zero(t, os.Geteuid(), "devices and mounts need root")
	dir := filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		require.NoError(t, os.Chmod(d, 0o755))
	}
	return dir
}

func TestHowAPayloadEndedIsTold(t *testing.T) {
	for _, row := range []struct {
		name, signal string
		want         syscall.WaitStatus
	}{
		{"an exit status", "0", 7 << 8},
		{"a signal", "9", syscall.WaitStatus(unix.SIGKILL)},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, end := supervise(t, workDir(t), "", row.signal)
			assert.Equal(t, row.want, syscall.WaitStatus(end.Status))
		})
	}
}

// TestWhatNoJailLetsAProgramMake: a second layer that nothing reaches is known to
// hold all the same.
func TestWhatNoJailLetsAProgramMake(t *testing.T) {
	dir := workDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, mode os.FileMode) {
		require.NoError(t, os.WriteFile(at(name), []byte("x"), 0o600))
		require.NoError(t, os.Chmod(at(name), mode))
	}
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o644))
	write("file", 0o644)
	write("setuid", 0o755|os.ModeSetuid)
	write("unreadable", 0o600)
	require.NoError(t, unix.Mkfifo(at("fifo"), 0o666))
	require.NoError(t, unix.Mknod(at("null"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))))
	require.NoError(t, unix.Mknod(at("disk"), unix.S_IFBLK|0o666, int(unix.Mkdev(7, 255))))
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(socket)
	require.NoError(t, unix.Bind(socket, &unix.SockaddrUnix{Name: at("socket")}))
	require.NoError(t, unix.Listen(socket, 1))
	require.NoError(t, os.Link(secret, at("hard")))
	require.NoError(t, os.Symlink(secret, at("link")))
	require.NoError(t, os.Symlink("/proc/self/fd/0", at("magic")))
	require.NoError(t, os.Mkdir(at("mount"), 0o755))
	require.NoError(t, os.WriteFile(at("xattr"), []byte("x"), 0o644))
	require.NoError(t, unix.Setxattr(at("xattr"), "trusted.x", []byte("y"), 0))
	control, _ := supervise(t, dir, "mount --make-rprivate / && mount -t tmpfs -o mode=0755 none mount && echo x >mount/inside &&", "0")
	files, skipped, err := From(t.Context(), control, policy.Spec{})
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		assert.Equal(t, "x", f.Text, f.Path)
		names = append(names, f.Path)
	}
	assert.Equal(t, []string{"file", "setuid", "xattr"}, names)
	why := make(map[string]string)
	for _, s := range skipped {
		why[s.Path] = s.Reason
	}
	assert.Equal(t, map[string]string{
		"fifo": whys[wire.WhySpecial], "null": whys[wire.WhySpecial], "disk": whys[wire.WhySpecial], "socket": whys[wire.WhySpecial],
		"hard": whys[wire.WhyHardLink], "link": whys[wire.WhySymlink], "magic": whys[wire.WhySymlink],
		"unreadable": whys[wire.WhyUnreadable], "mount": whys[wire.WhyFailed],
	}, why)
}

// TestANameIsOpenedAsSafelyAsTheList: of what the list did not show, and of what no
// caller may name.
func TestANameIsOpenedAsSafelyAsTheList(t *testing.T) {
	dir := workDir(t)
	secret := filepath.Join(filepath.Dir(dir), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o644))
	far := "far"
	for range wire.MaxCollectDepth { // no list goes so far
		far = filepath.Join(far, "d")
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, far), 0o755))
	at := func(name string) string { return filepath.Join(dir, far, name) }
	require.NoError(t, os.WriteFile(at("file"), []byte("x"), 0o644))
	require.NoError(t, os.WriteFile(at("a\nb"), []byte("x"), 0o644))
	require.NoError(t, os.WriteFile(at("unreadable"), []byte("x"), 0o600))
	require.NoError(t, unix.Mkfifo(at("fifo"), 0o666))
	require.NoError(t, unix.Mknod(at("null"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))))
	require.NoError(t, unix.Mknod(at("disk"), unix.S_IFBLK|0o666, int(unix.Mkdev(7, 255))))
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(socket)
	folder, err := os.Open(filepath.Join(dir, far)) // a socket's path is short
	require.NoError(t, err)
	defer folder.Close()
	require.NoError(t, unix.Bind(socket, &unix.SockaddrUnix{Name: fmt.Sprintf("/proc/self/fd/%d/socket", folder.Fd())}))
	require.NoError(t, os.Link(secret, at("hard")))
	require.NoError(t, os.Symlink(secret, at("link")))
	require.NoError(t, os.Symlink(filepath.Dir(secret), at("out")))
	require.NoError(t, os.Symlink("/proc/self/fd/0", at("magic")))
	require.NoError(t, os.Mkdir(at("directory"), 0o755))
	require.NoError(t, os.WriteFile(at("hole"), nil, 0o644))
	require.NoError(t, os.Truncate(at("hole"), 1<<40))
	require.NoError(t, os.Mkdir(at("mount"), 0o755))
	var mount unix.Statfs_t
	require.NoError(t, unix.Statfs(dir, &mount))
	device := whys[wire.WhySpecial]
	if mount.Flags&unix.ST_NODEV != 0 { // as in a jail, where nobody can make one
		device = whys[wire.WhyUnreadable]
	}
	control, _ := supervise(t, dir, "mount --make-rprivate / && mount -t tmpfs -o mode=0755 none "+far+"/mount && echo x >"+far+"/mount/inside &&", "0")
	for _, row := range []struct{ name, path, skipped string }{
		{"a file", far + "/file", ""},
		{"nothing", far + "/nothing", ""},
		{"a file as a directory", far + "/file/x", ""},
		{"a file that keeps others out", far + "/unreadable", whys[wire.WhyUnreadable]},
		{"a FIFO", far + "/fifo", whys[wire.WhySpecial]},
		{"a device of characters", far + "/null", device},
		{"a device of blocks", far + "/disk", device},
		{"a socket", far + "/socket", whys[wire.WhySpecial]},
		{"a directory", far + "/directory", whys[wire.WhySpecial]},
		{"two names of one file", far + "/hard", whys[wire.WhyHardLink]},
		{"a link", far + "/link", whys[wire.WhySymlink]},
		{"a link in the middle", far + "/out/secret", whys[wire.WhySymlink]},
		{"a link of the kernel's", far + "/magic", whys[wire.WhySymlink]},
		{"a terabyte of nothing", far + "/hole", tooLarge},
		{"a file of another mount", far + "/mount/inside", whys[wire.WhyFailed]},
		{"a name of two lines", far + "/a\nb", "its name is no text of one line in UTF-8"},
		{"a way out", "../secret", whys[wire.WhyFailed]},
		{"a longer way out", "far/../../secret", whys[wire.WhyFailed]},
		{"an absolute path", secret, whys[wire.WhyFailed]},
		{"the directory itself", ".", whys[wire.WhySpecial]},
		{"the one above", "..", whys[wire.WhyFailed]},
		{"no name", "", ""},
		{"a longer name than any", strings.Repeat("n", 300), whys[wire.WhyFailed]},
	} {
		t.Run(row.name, func(t *testing.T) {
			files, skipped, err := From(t.Context(), control, policy.Spec{Collect: []string{row.path}})
			require.NoError(t, err)
			if row.path == far+"/file" {
				require.Len(t, files, 1)
				assert.Equal(t, "x", files[0].Text)
			} else {
				assert.Empty(t, files)
			}
			why := ""
			for _, s := range skipped {
				if s.Path != strings.TrimSuffix(far, "/d") { // where the list ended
					assert.Equal(t, shown(row.path), s.Path)
					why = s.Reason
				}
			}
			assert.Equal(t, row.skipped, why)
		})
	}
}

// TestAWriterThatLivesGainsNothing: none does when files are brought back, but what
// opens them does not rest on that.
func TestAWriterThatLivesGainsNothing(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o644))
	dir := workDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Mkdir(at("plain"), 0o755))
	require.NoError(t, os.WriteFile(at("plain/secret"), []byte("plain"), 0o644))
	require.NoError(t, os.Symlink(filepath.Dir(secret), at("out")))
	require.NoError(t, os.Rename(at("plain"), at("results")))
	require.NoError(t, os.WriteFile(at("grows"), []byte(strings.Repeat("x", 1<<20)), 0o644))
	control, _ := supervise(t, dir, "", "0")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		grows, err := os.OpenFile(at("grows"), os.O_APPEND|os.O_WRONLY, 0)
		if !assert.NoError(t, err) {
			return
		}
		defer grows.Close()
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = unix.Renameat2(unix.AT_FDCWD, at("results"), unix.AT_FDCWD, at("out"), unix.RENAME_EXCHANGE)
			if info, err := grows.Stat(); err == nil && info.Size() < 64<<20 {
				_, _ = grows.WriteString(strings.Repeat("x", 64<<10))
			}
		}
	}()
	plain := 0
	for begin := time.Now(); plain == 0 || time.Since(begin) < time.Second; {
		files, _, err := From(t.Context(), control, policy.Spec{})
		require.NoError(t, err)
		for _, f := range files {
			assert.NotEqual(t, "secret", f.Text)
			assert.LessOrEqual(t, f.Size, int64(policy.MaxOutputFileBytes))
			if f.Text == "plain" {
				plain++
			}
		}
	}
	close(stop)
	<-stopped
	assert.Positive(t, plain, "what lies there by right is seen now and then")
}
