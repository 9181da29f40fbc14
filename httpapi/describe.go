package httpapi

import (
	"time"

	"safe-exec/policy"
)

// Description is what the daemon tells about itself to anyone who can open
// the socket.
type Description struct {
	Version  string
	Runtimes []Runtime
	Policies []Level
	Posture  Posture
}

// Runtime is one language as it is served here.
type Runtime struct {
	Profile  string             `json:"profile"`
	Language policy.Language    `json:"language"`
	Aliases  []string           `json:"aliases"`
	Version  string             `json:"version"` // the interpreter's own words: 3.11.2
	Ready    bool               `json:"ready"`   // its self-test passed
	Detail   string             `json:"detail"`  // why it is not ready
	Limits   policy.LimitRanges `json:"limits"`  // what a request may set
	Fixed    policy.Limits      `json:"-"`       // what it may not; of these only such fields are shown
	Policies []string           `json:"policies"`
	Policy   string             `json:"default_policy"`
	// StartupFilter and SteadyFilter are the digests of its two seccomp
	// programs: SHA-256, in hexadecimal.
	StartupFilter string `json:"startup_filter_sha256"`
	SteadyFilter  string `json:"steady_filter_sha256"`
	ImageBytes    int64  `json:"image_bytes"` // memory that the image takes, shared by all runs
}

// Level is one import policy of one profile.
type Level struct {
	Profile  string          `json:"profile"`
	Language policy.Language `json:"language"`
	Name     string          `json:"name"`
	Default  bool            `json:"default"`
	policy.Level
}

// Posture is what isolates a run on this host.
type Posture struct {
	Kernel string         `json:"kernel"` // release, as uname gives it
	Cgroup string         `json:"cgroup"` // v2 or v1
	Layers []policy.Layer `json:"layers"`
	// Check is what the daemon found when it last tried to get out of a jail.
	Check PostureCheck `json:"check"`
	// Quarantined counts control groups that could not be removed.
	Quarantined int `json:"quarantined_leaves"`
	// CgroupParent is the name of the cgroup whose children are the runs'.
	CgroupParent string `json:"cgroup_parent"`
	// UIDs are the host uids that this daemon's runs get.
	UIDs UIDRange `json:"uids"`
}

// UIDRange is Count host uids from First on.
type UIDRange struct {
	First uint32 `json:"first"`
	Count uint32 `json:"count"`
}

// PostureCheck is one try, by the short form of the escape battery.
type PostureCheck struct {
	Time   time.Time `json:"time"`
	Held   bool      `json:"held"` // if not, nothing runs
	Probes int       `json:"probes"`
	Detail string    `json:"detail"` // the first probe that was not held
	Millis float64   `json:"ms"`
}
