package main

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// gated is a program that stands still until a test lets it go on, and then does
// what comes behind: what a test does meanwhile may take as long as it takes.
func gated(code string) string {
	return `import time, workdir
workdir.write_text("gate", "")
while not workdir.read_text("gate"): time.sleep(0.01)
` + code
}

// atGates calls do with the gate of each run below these parents whose program has
// come to it, and counts them.
func atGates(parents []string, do func(gate *os.File)) (n int) {
	for _, pids := range leaves(parents[:1]) { // each run has a leaf in every hierarchy
		for _, pid := range pids {
			gate, err := os.OpenFile(fmt.Sprintf("/proc/%d/cwd/gate", pid), os.O_WRONLY, 0)
			if err != nil {
				continue // its init, or it has not come so far
			}
			do(gate)
			gate.Close()
			n++
			break
		}
	}
	return n
}

// awaitGates returns when n programs stand before their gates.
func (d *served) awaitGates(t *testing.T, n int) {
	t.Helper()
	parents := d.parents(t)
	eventually(t, func() bool { return atGates(parents, func(*os.File) {}) == n }, "no %d programs at gates: %s", n, d)
}

// openGates lets go on what stands before a gate, and what comes to one later, until
// stop was called.
func (d *served) openGates(t *testing.T) (stop func()) {
	t.Helper()
	parents, over, stopped := d.parents(t), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			atGates(parents, func(gate *os.File) {
				_, err := gate.WriteString("open")
				assert.NoError(t, err)
			})
			select {
			case <-over:
				return
			case <-time.After(tick):
			}
		}
	}()
	return func() { close(over); <-stopped }
}
