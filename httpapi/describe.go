package httpapi

import (
	"time"

	"safe-exec/policy"
)

// Description is what the daemon tells about itself to anyone who can open
// the socket.
type Description struct {
	Version  string
	Runtimes []policy.Runtime // each has passed its self-test
	Posture  Posture
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
	// Spares is how many jails wait for a run to come, Templates how many
	// processes there are to fork more.
	Spares    int `json:"spares"`
	Templates int `json:"templates"`
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
