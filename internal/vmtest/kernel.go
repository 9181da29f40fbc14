package vmtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// kernelPackage pulls in the newest kernel for virtual machines of this
// distribution release.
const kernelPackage = "linux-image-cloud-amd64"

// KernelEnv names a kernel image to boot in place of Debian's.
const KernelEnv = "SAFEEXEC_VM_KERNEL"

// Kernel returns the path of a kernel image: the one that KernelEnv names, or
// the newest in the cache directory, or else Debian's, which it downloads with
// apt into the cache. A filled cache needs no network.
func Kernel(ctx context.Context, cache string) (string, error) {
	if k := os.Getenv(KernelEnv); k != "" {
		if _, err := os.Stat(k); err != nil {
			return "", fmt.Errorf("%s: %w", KernelEnv, err)
		}
		return k, nil
	}
	if k, ok, err := cachedKernel(cache); ok || err != nil {
		return k, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("kernel cache: %w", err)
	}
	if err := downloadKernel(ctx, cache); err != nil {
		return "", fmt.Errorf("kernel from package %s (or set %s): %w", kernelPackage, KernelEnv, err)
	}
	k, ok, err := cachedKernel(cache)
	if err == nil && !ok {
		err = fmt.Errorf("package %s holds no boot/vmlinuz", kernelPackage)
	}
	return k, err
}

func cachedKernel(cache string) (string, bool, error) {
	found, err := filepath.Glob(filepath.Join(cache, "vmlinuz-*"))
	if err != nil || len(found) == 0 {
		return "", false, err
	}
	return slices.MaxFunc(found, func(a, b string) int {
		return int(modified(a) - modified(b))
	}), true, nil
}

// modified is a file's time in seconds; 0 where it is gone.
func modified(p string) int64 {
	info, err := os.Stat(p)
	if err != nil {
		return 0
	}
	return info.ModTime().Unix()
}

func downloadKernel(ctx context.Context, cache string) (err error) {
	pkg, err := concretePackage(ctx)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(cache, "download-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	// The sandbox user of apt may not write below a private directory.
	if _, err := tool(ctx, tmp, "apt-get", "-o", "APT::Sandbox::User=root", "download", pkg); err != nil {
		return err
	}
	debs, err := filepath.Glob(filepath.Join(tmp, "*.deb"))
	if err != nil || len(debs) != 1 {
		return fmt.Errorf("%d packages downloaded, one wanted: %w", len(debs), errors.Join(err, os.ErrNotExist))
	}
	if _, err := tool(ctx, tmp, "dpkg-deb", "-x", debs[0], "root"); err != nil {
		return err
	}
	images, err := filepath.Glob(filepath.Join(tmp, "root/boot/vmlinuz-*"))
	if err != nil {
		return err
	}
	for _, image := range images {
		if err := os.Rename(image, filepath.Join(cache, filepath.Base(image))); err != nil {
			return err
		}
	}
	return nil
}

// concretePackage asks what the meta package depends on, and once more with
// fresh package lists where there are none.
func concretePackage(ctx context.Context) (string, error) {
	ask := func() (string, error) {
		out, err := tool(ctx, "", "apt-cache", "depends", "--important", kernelPackage)
		return kernelDependency(out), err
	}
	if pkg, err := ask(); err == nil && pkg != "" {
		return pkg, nil
	}
	if _, err := tool(ctx, "", "apt-get", "update"); err != nil {
		return "", err
	}
	pkg, err := ask()
	if err == nil && pkg == "" {
		err = fmt.Errorf("apt knows no kernel: %w", os.ErrNotExist)
	}
	return pkg, err
}

func kernelDependency(depends string) string {
	for line := range strings.Lines(depends) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "Depends: "); ok && strings.HasPrefix(p, "linux-image-") {
			return p
		}
	}
	return ""
}

// tool runs a program and returns what it printed; its messages are part of
// the error.
func tool(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
