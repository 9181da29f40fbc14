package cgroup

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
)

// What the kernel gives a group that nobody has set a weight for, and the least and
// most that it takes: cpu.shares of v1 and cpu.weight of v2.
const (
	v1Share, v1LeastShare, v1MostShare    = 1024, 2, 262144
	v2Weight, v2LeastWeight, v2MostWeight = 100, 1, 10000
)

// SetShare says how much processor time the leaf gets beside its siblings while
// there is too little for all: twice the share, twice the time. A new leaf has
// share 1. What is below or above the kernel's bounds becomes the bound. After
// Close it does nothing.
func (l *Leaf) SetShare(share float64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return nil
	}
	if err := l.h.backend.share(l.name, share); err != nil {
		return fmt.Errorf("cgroup: share of leaf %s: %w", l.name, err)
	}
	return nil
}

func (b *v1) share(leaf string, share float64) error {
	return writeFile(filepath.Join(b.dir(cpu, leaf), "cpu.shares"), scaled(share, v1Share, v1LeastShare, v1MostShare))
}

func (b *v2) share(leaf string, share float64) error {
	return writeFile(filepath.Join(b.dir, leaf, "cpu.weight"), scaled(share, v2Weight, v2LeastWeight, v2MostWeight))
}

func scaled(share float64, one, least, most int64) string {
	return strconv.FormatInt(int64(math.Round(min(max(share*float64(one), float64(least)), float64(most)))), 10)
}
