package vmtest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type member struct {
	name  string
	mode  uint32
	dev   [2]uint32
	data  string
	inode uint32
}

// readCPIO is a strict reader of the format as the kernel's documentation
// gives it (buffer-format: fields of 8 digits, padding to 4 bytes).
func readCPIO(b []byte) ([]member, error) {
	var list []member
	at := 0
	take := func(n int) ([]byte, error) {
		if n < 0 || at+n > len(b) {
			return nil, fmt.Errorf("cut short at %d: %w", at, io.ErrUnexpectedEOF)
		}
		at += n
		return b[at-n : at], nil
	}
	pad := func() error {
		zeros, err := take((4 - at%4) % 4)
		if err == nil && strings.Trim(string(zeros), "\x00") != "" {
			err = fmt.Errorf("padding before %d is not zero", at)
		}
		return err
	}
	for {
		header, err := take(110)
		if err != nil {
			return nil, err
		}
		if string(header[:6]) != "070701" {
			return nil, fmt.Errorf("magic %q", header[:6])
		}
		var f [13]uint32
		for i := range f {
			n, err := strconv.ParseUint(string(header[6+8*i:14+8*i]), 16, 32)
			if err != nil {
				return nil, err
			}
			f[i] = uint32(n)
		}
		name, err := take(int(f[11]))
		if err != nil {
			return nil, err
		}
		if err := pad(); err != nil {
			return nil, err
		}
		data, err := take(int(f[6]))
		if err != nil {
			return nil, err
		}
		if err := pad(); err != nil {
			return nil, err
		}
		m := member{strings.TrimSuffix(string(name), "\x00"), f[1], [2]uint32{f[9], f[10]}, string(data), f[0]}
		if len(m.name)+1 != len(name) {
			return nil, fmt.Errorf("name %q does not end in one NUL", name)
		}
		if m.name == "TRAILER!!!" {
			if at != len(b) {
				return nil, fmt.Errorf("%d bytes after the trailer", len(b)-at)
			}
			return list, nil
		}
		list = append(list, m)
	}
}

func TestArchiveReadsBack(t *testing.T) {
	host := filepath.Join(t.TempDir(), "hosted")
	require.NoError(t, os.WriteFile(host, []byte("from the host"), 0o640))
	for _, row := range []struct {
		name string
		add  func(*Tree) error
		want []member // beside the console's
	}{
		{"an empty tree holds the console", func(*Tree) error { return nil }, nil},
		{"an empty file", func(t *Tree) error { t.Bytes("/e", 0o600, nil); return nil },
			[]member{{name: "e", mode: 0o100600}}},
		{"names and data of every remainder of four", func(t *Tree) error {
			for i := range 5 {
				t.Bytes("/"+strings.Repeat("n", i+1), 0o644, []byte(strings.Repeat("d", i)))
			}
			return nil
		}, []member{{name: "n", mode: 0o100644}, {name: "nn", mode: 0o100644, data: "d"},
			{name: "nnn", mode: 0o100644, data: "dd"}, {name: "nnnn", mode: 0o100644, data: "ddd"},
			{name: "nnnnn", mode: 0o100644, data: "dddd"}}},
		{"parents come before their children", func(t *Tree) error { t.Bytes("/a/b/c", 0o755, []byte("x")); return nil },
			[]member{{name: "a", mode: 0o040755}, {name: "a/b", mode: 0o040755}, {name: "a/b/c", mode: 0o100755, data: "x"}}},
		{"a file of the host keeps its permission", func(t *Tree) error { return t.Host("/h", host) },
			[]member{{name: "h", mode: 0o100640, data: "from the host"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			tree := NewTree()
			require.NoError(t, row.add(tree))
			var b bytes.Buffer
			n, err := tree.WriteTo(&b)
			require.NoError(t, err)
			assert.EqualValues(t, b.Len(), n)
			got, err := readCPIO(b.Bytes())
			require.NoError(t, err)
			inodes := make(map[uint32]bool)
			var rest []member
			for _, m := range got {
				assert.False(t, inodes[m.inode], "inode %d twice: the kernel would take it for a hard link", m.inode)
				inodes[m.inode] = true
				m.inode = 0
				switch m.name {
				case "dev":
					assert.Equal(t, member{name: "dev", mode: 0o040755}, m)
				case "dev/console":
					assert.Equal(t, member{name: "dev/console", mode: 0o020600, dev: [2]uint32{5, 1}}, m)
				default:
					rest = append(rest, m)
				}
			}
			assert.Equal(t, row.want, rest)
		})
	}
}

func TestArchiveOfAFileThatShrankIsAnError(t *testing.T) {
	c := &cpioWriter{w: io.Discard}
	err := c.entry("f", 0o100644, 0, 0, 5, strings.NewReader("abc"))
	assert.ErrorIs(t, err, io.EOF)
	assert.ErrorContains(t, c.close(), "3 of 5 bytes")
}

func FuzzArchiveReadsBack(f *testing.F) {
	f.Add("a", []byte("data"))
	f.Add("dir/file", []byte{})
	f.Add("TRAILER", []byte("070701"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if name == "" || strings.Contains(name, "\x00") || name == "TRAILER!!!" {
			return
		}
		var b bytes.Buffer
		c := &cpioWriter{w: &b}
		require.NoError(t, c.entry(name, 0o100644, 0, 0, int64(len(data)), bytes.NewReader(data)))
		require.NoError(t, c.close())
		got, err := readCPIO(b.Bytes())
		require.NoError(t, err)
		assert.Equal(t, []member{{name: name, mode: 0o100644, data: string(data), inode: 1}}, got)
	})
}
