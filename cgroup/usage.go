package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Usage is what the processes of a leaf have used and run into so far, those
// that have ended included.
type Usage struct {
	PeakMemoryBytes int64 // high-water mark, a little above the limit at times; 0 if PeakUnknown
	PeakUnknown     bool  // v2 before Linux 5.19 keeps no high-water mark
	CPUUser         time.Duration
	CPUSystem       time.Duration
	Throttled       time.Duration // held back by the processor quota, summed over processors
	// MemoryMaxEvents counts how often use ran into the memory limit and the
	// kernel had to reclaim or kill.
	MemoryMaxEvents int64
	// OOMKills counts processes that the OOM killer took. Without a
	// MemoryMaxEvents it was the host, or a group above, that ran out.
	OOMKills int64
	// PidsMaxEvents counts forks and threads refused for the task limit of the
	// leaf, or of a group above, before Kill.
	PidsMaxEvents int64
}

// Since is what was used and run into after before was read. The high-water mark
// is that of the whole time: the kernel keeps one. The time of the processors is
// exact only in sum, so that a part may seem to have shrunk.
func (u Usage) Since(before Usage) Usage {
	total := u.CPUUser + u.CPUSystem - before.CPUUser - before.CPUSystem
	u.CPUUser = min(max(u.CPUUser-before.CPUUser, 0), total)
	u.CPUSystem = total - u.CPUUser
	u.Throttled -= before.Throttled
	u.MemoryMaxEvents -= before.MemoryMaxEvents
	u.OOMKills -= before.OOMKills
	u.PidsMaxEvents -= before.PidsMaxEvents
	return u
}

// splitCPU shares out a precise total in the proportion of two sampled parts,
// as the kernel does for times(2). Ticks alone miss most of a run that lasts a
// few milliseconds.
func splitCPU(total, user, system int64) (u, s time.Duration) {
	if system <= 0 || user < 0 {
		return time.Duration(total), 0
	}
	u = time.Duration(float64(total) * (float64(user) / (float64(user) + float64(system))))
	return u, time.Duration(total) - u
}

// parseNumber reads a file that holds one number.
func parseNumber(text []byte) (int64, error) {
	return number(string(bytes.TrimSpace(text)))
}

// number bounds what the kernel calls unlimited or has let wrap to what an
// int64 holds: a counter never turns negative here.
func number(s string) (int64, error) {
	v, err := strconv.ParseUint(s, 10, 64)
	return int64(min(v, math.MaxInt64)), err
}

// parseKeyed reads a file of lines "key number". Other lines are errors.
func parseKeyed(text []byte) (map[string]int64, error) {
	m := make(map[string]int64)
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		v, err := number(value)
		if !ok || err != nil {
			return nil, fmt.Errorf("malformed line %q", line)
		}
		m[key] = v
	}
	return m, nil
}

// reader reads several files and keeps the first error, so that a list of
// readings stays a list.
type reader struct{ err error }

func (r *reader) number(elem ...string) int64 {
	v, err := read(filepath.Join(elem...), parseNumber)
	r.keep(err)
	return v
}

// optional is number, but says false where this kernel has no such file.
func (r *reader) optional(elem ...string) (int64, bool) {
	v, err := read(filepath.Join(elem...), parseNumber)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false
	}
	r.keep(err)
	return v, err == nil
}

// keys wants every key in names to be there: a counter that is missing must
// not be taken for zero.
func (r *reader) keys(file string, names ...string) map[string]int64 {
	m, err := read(file, parseKeyed)
	for _, n := range names {
		if _, ok := m[n]; !ok && err == nil {
			err = fmt.Errorf("%s: no key %q", file, n)
		}
	}
	r.keep(err)
	return m
}

// refused reads the task limit's counter, which both versions call the same.
func (r *reader) refused(dir string) int64 {
	return r.keys(filepath.Join(dir, "pids.events"), "max")["max"]
}

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func read[T any](file string, parse func([]byte) (T, error)) (T, error) {
	b, err := readFile(file)
	if err != nil {
		var none T
		return none, err
	}
	v, err := parse(b)
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return v, err
}
