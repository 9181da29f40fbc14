package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAShareIsInTheKernelsFile(t *testing.T) {
	h := open(t)
	l := leaf(t, h, roomy)
	file := func() string {
		if b, ok := h.backend.(*v1); ok {
			return filepath.Join(b.dir(cpu, l.name), "cpu.shares")
		}
		return filepath.Join(l.dirs[0], "cpu.weight")
	}()
	read := func() string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.TrimSpace(string(text))
	}
	want := func(v1, v2 int) string {
		if h.Version() == V1 {
			return fmt.Sprint(v1)
		}
		return fmt.Sprint(v2)
	}
	assert.Equal(t, want(1024, 100), read(), "a new leaf has the share 1")
	for _, row := range []struct {
		name   string
		share  float64
		v1, v2 int
	}{
		{"a quarter", 0.25, 256, 25},
		{"a third is rounded", 1.0 / 3, 341, 33},
		{"three", 3, 3072, 300},
		{"back to one", 1, 1024, 100},
		{"less than the kernel knows is the least it does", 1e-6, 2, 1},
		{"more than the kernel knows is the most it does", 1e6, 262144, 10000},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.NoError(t, l.SetShare(row.share))
			assert.Equal(t, want(row.v1, row.v2), read())
		})
	}
	end(t, l)
	assert.NoError(t, l.SetShare(1), "after Close it does nothing")
}
