package cgroup

import "fmt"

// Version is a version of the kernel's cgroup interface. The zero value is
// none.
type Version int

const (
	V1 Version = iota + 1 // one hierarchy per controller or set of controllers
	V2                    // the unified hierarchy, Linux 4.15 for all that is used here
)

func (v Version) String() string {
	switch v {
	case V1:
		return "v1"
	case V2:
		return "v2"
	case 0:
		return "none"
	}
	return fmt.Sprintf("Version(%d)", int(v))
}

// required are the controllers a version must offer to be complete.
func (v Version) required() []string {
	if v == V1 {
		return []string{memory, pids, cpu, cpuacct}
	}
	return []string{memory, pids, cpu}
}

const (
	memory  = "memory"
	pids    = "pids"
	cpu     = "cpu"
	cpuacct = "cpuacct"
)
