package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

// Descriptors of a program run inside an image by the re-executed test binary.
const (
	insideEnv  = "IMAGE_TEST_INSIDE" // host directory to attach the image to
	insideUID  = "IMAGE_TEST_UID"
	imageFD    = 3
	devicesFD  = 4
	notRoot    = "300001"
	insideTime = 60 * time.Second
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(insideEnv); dir != "" {
		err := inside(dir, os.Getenv(insideUID), os.Args[1:])
		fmt.Fprintln(os.Stderr, "inside:", err)
		os.Exit(120)
	}
	os.Exit(m.Run())
}

// inside makes the image the root of this process, which has a mount namespace
// of its own, and turns into a program in it with an empty environment.
func inside(dir, uid string, argv []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private: %w", err)
	}
	if err := unix.MoveMount(imageFD, "", unix.AT_FDCWD, dir, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("attach image: %w", err)
	}
	if err := unix.MoveMount(devicesFD, "", unix.AT_FDCWD, dir+"/dev", unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("attach devices: %w", err)
	}
	if err := unix.Mount("tmpfs", dir+"/tmp", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777,size=16m"); err != nil {
		return fmt.Errorf("mount /tmp: %w", err)
	}
	if err := unix.Chroot(dir); err != nil {
		return fmt.Errorf("chroot: %w", err)
	}
	if err := unix.Chdir("/tmp"); err != nil {
		return fmt.Errorf("chdir: %w", err)
	}
	if uid == notRoot {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(300001), syscall.Setuid(300001)); err != nil {
			return fmt.Errorf("ids: %w", err)
		}
	}
	return syscall.Exec(argv[0], argv, nil)
}

// outcome is what a program inside an image did.
type outcome struct {
	stdout, stderr string
	code           int
}

// runInside runs a program in a throw-away mount namespace whose root is the
// image.
func runInside(t *testing.T, img *Image, uid string, argv ...string) outcome {
	t.Helper()
	mount, err := img.Clone()
	require.NoError(t, err)
	defer mount.Close()
	devices, err := Devices()
	require.NoError(t, err)
	defer devices.Close()

	ctx, cancel := context.WithTimeout(t.Context(), insideTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", argv...)
	cmd.Env = []string{insideEnv + "=" + t.TempDir(), insideUID + "=" + uid}
	cmd.ExtraFiles = []*os.File{mount, devices}
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func python(t *testing.T, img *Image, code string) outcome {
	t.Helper()
	return runInside(t, img, notRoot, img.Interpreter, "-I", "-S", "-B", "-X", "utf8", "-c", code)
}

func node(t *testing.T, img *Image, code string) outcome {
	t.Helper()
	return runInside(t, img, notRoot, img.Interpreter, "-e", code)
}

// One image a language and one cache serve most tests; building is what takes
// the time.
var shared struct {
	sync.Mutex
	images map[string]*Image
}

func sharedImage(t *testing.T, l policy.Language, interpreter string) *Image {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	key := string(l) + interpreter
	if shared.images[key] == nil {
		if shared.images == nil {
			shared.images = map[string]*Image{}
		}
		img, err := Build(t.Context(), Config{
			Language: l, Interpreter: interpreter,
			Files: map[string][]byte{ownDir + "/harness.py": []byte(testHarness)},
		})
		require.NoError(t, err)
		shared.images[key] = img
	}
	return shared.images[key]
}

const testHarness = "import sys, json\nprint(json.dumps([__file__, (lambda: 0).__code__.co_filename]))\n"

// mountinfo is the host's table of mounts.
func mountinfo(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	return strings.Split(string(b), "\n")
}
