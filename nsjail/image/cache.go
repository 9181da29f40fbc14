package image

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"safe-exec/nsjail/lease"
)

// cache keeps the compiled files of an image, one uncompressed zip archive a
// key, whose checksums find what a disk got wrong. What is in it runs in every
// jail, so the directory must be root's alone. A nil cache holds nothing.
type cache struct{ root *os.Root }

const (
	cacheSuffix = ".pyc.zip"
	cacheKept   = 4         // archives; more are removed, oldest first
	cacheBytes  = 256 << 20 // bound on the files of one archive
)

// openCache checks the directory, and makes it if its parent is there.
func openCache(dir string) (*cache, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("cache: %w", err)
	}
	real, err := trustedPath(dir)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	info, err := root.Stat(".")
	if err == nil && (info.Mode() != fs.ModeDir|0o700 || info.Sys().(*syscall.Stat_t).Uid != 0) {
		err = fmt.Errorf("%s has mode %04o, it must be root's with 0700: %w", dir, info.Mode().Perm(), syscall.EPERM)
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("cache: %w", err)
	}
	return &cache{root}, nil
}

func (c *cache) close() {
	if c != nil {
		c.root.Close()
	}
}

// cacheKey covers all that the compiled files depend on.
func cacheKey(h *host, sources map[string][]byte) string {
	sum := sha256.New()
	put := func(b []byte) {
		sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(b))))
		sum.Write(b)
	}
	for _, s := range []string{compiler, h.build, h.tag, string(h.magic)} {
		put([]byte(s))
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		put([]byte(name))
		put(sources[name])
	}
	return h.tag + "-" + hex.EncodeToString(sum.Sum(nil)[:16])
}

// load gives an archive's files, or false for one that is missing or damaged:
// it is then made anew.
func (c *cache) load(key string, magic []byte) (map[string][]byte, bool) {
	if c == nil {
		return nil, false
	}
	f, err := c.root.Open(key + cacheSuffix)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || trusted(f.Name(), info) != nil {
		return nil, false
	}
	files, err := readArchive(f, info.Size(), magic)
	if err != nil {
		return nil, false
	}
	now := time.Now()
	_ = c.root.Chtimes(key+cacheSuffix, now, now) // only the order of removal hangs on it
	return files, true
}

func readArchive(r io.ReaderAt, size int64, magic []byte) (map[string][]byte, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(z.File))
	var total uint64
	for _, f := range z.File {
		if total += f.UncompressedSize64; f.UncompressedSize64 > cacheBytes || total > cacheBytes || f.Method != zip.Store {
			return nil, zip.ErrFormat
		}
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		b := make([]byte, f.UncompressedSize64)
		if _, err := io.ReadFull(in, b); err != nil {
			return nil, err
		}
		if n, err := in.Read(make([]byte, 1)); n != 0 || err != io.EOF { // the checksum is compared here
			return nil, errors.Join(zip.ErrChecksum, err)
		}
		if !validPyc(b, magic) {
			return nil, zip.ErrFormat
		}
		files["/"+f.Name] = b
	}
	return files, nil
}

// store keeps files under a key: written aside, flushed, then renamed, so that
// no reader ever sees half of it. What a killed process left unfinished goes.
func (c *cache) store(key string, files map[string][]byte) error {
	if c == nil {
		return nil
	}
	f, err := lease.Aside(c.root.Name(), key)
	if err != nil {
		return err
	}
	defer f.Close()
	err = writeArchive(f, files)
	if err == nil {
		err = f.Sync()
	}
	aside := filepath.Base(f.Name())
	if err == nil {
		err = c.root.Rename(aside, key+cacheSuffix)
	}
	if err != nil {
		return errors.Join(err, c.root.Remove(aside))
	}
	return c.prune()
}

func writeArchive(w io.Writer, files map[string][]byte) error {
	buffered := bufio.NewWriterSize(w, 1<<20)
	z := zip.NewWriter(buffered)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		in, err := z.CreateHeader(&zip.FileHeader{Name: name[1:], Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := in.Write(files[name]); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return buffered.Flush()
}

// prune removes old archives.
func (c *cache) prune() error {
	entries, err := fs.ReadDir(c.root.FS(), ".")
	if err != nil {
		return err
	}
	var archives []fs.FileInfo
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), cacheSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil { // else removed by another daemon just now
			archives = append(archives, info)
		}
	}
	slices.SortFunc(archives, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range archives[min(len(archives), cacheKept):] {
		if err := c.root.Remove(old.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
