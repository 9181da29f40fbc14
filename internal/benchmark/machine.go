package benchmark

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// describeMachine is called before anything is measured.
func describeMachine() Machine {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	cpus, _ := os.ReadFile("/proc/cpuinfo")
	_, model, _ := strings.Cut(line(string(cpus), "model name"), ":")
	return Machine{
		Kernel: strings.TrimSpace(string(release)), Processors: runtime.NumCPU(), Model: strings.TrimSpace(model),
		MemoryMB: meminfoMB("MemTotal"), Started: time.Now().UTC().Format(time.RFC3339), LoadAtBegin: loadAverage(),
	}
}

func loadAverage() []float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	var load []float64
	for _, word := range strings.Fields(string(text)) {
		if v, err := strconv.ParseFloat(word, 64); err == nil && len(load) < 3 {
			load = append(load, v)
		}
	}
	return load
}
