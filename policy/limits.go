package policy

// Limits are the numbers one run is held to. Every field is set in a Spec:
// there is no value that means unlimited.
type Limits struct {
	TimeoutMS      int64 `json:"timeout_ms" yaml:"timeout_ms"`             // wall time, milliseconds
	MaxMemoryMB    int64 `json:"max_memory_mb" yaml:"max_memory_mb"`       // cgroup memory limit, MiB, swap excluded
	MaxStdoutBytes int64 `json:"max_stdout_bytes" yaml:"max_stdout_bytes"` // kept in the result; all bytes are counted
	MaxStderrBytes int64 `json:"max_stderr_bytes" yaml:"max_stderr_bytes"`
	MaxOutputBytes int64 `json:"max_output_bytes" yaml:"max_output_bytes"` // stdout and stderr together; beyond it the run is killed
	MaxPids        int64 `json:"max_pids" yaml:"max_pids"`                 // tasks of the program, threads included
	MaxDiskBytes   int64 `json:"max_disk_bytes" yaml:"max_disk_bytes"`     // size of the working directory's tmpfs
	MaxFiles       int64 `json:"max_files" yaml:"max_files"`               // its inodes
	MaxOpenFiles   int64 `json:"max_open_files" yaml:"max_open_files"`     // RLIMIT_NOFILE
	CPUPercent     int64 `json:"cpu_percent" yaml:"cpu_percent"`           // of one processor: 100 is one whole
	MaxDenials     int64 `json:"max_denials" yaml:"max_denials"`           // refused system calls before the run is ended
}

// LimitRange is what a profile says of one limit that a request may set.
type LimitRange struct {
	Min     int64 `json:"min" yaml:"min"`
	Default int64 `json:"default" yaml:"default"`
	Max     int64 `json:"max" yaml:"max"`
}

// LimitRanges are the limits a request may set, with their bounds.
type LimitRanges struct {
	TimeoutMS      LimitRange `json:"timeout_ms" yaml:"timeout_ms"`
	MaxMemoryMB    LimitRange `json:"max_memory_mb" yaml:"max_memory_mb"`
	MaxStdoutBytes LimitRange `json:"max_stdout_bytes" yaml:"max_stdout_bytes"`
	MaxStderrBytes LimitRange `json:"max_stderr_bytes" yaml:"max_stderr_bytes"`
}

// MaxCodeBytes bounds the program's text, in bytes.
const MaxCodeBytes = 1 << 20
