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
	// Processes are the daemon's: the executor, which is root, and the broker,
	// which is nobody.
	Processes []Process `json:"processes"`
}

// BrokerProcess is the Name of the one that talks to callers.
const BrokerProcess = "broker"

// Process is one of the daemon's processes, as it was proved before it was given
// anything to do.
type Process struct {
	Name    string `json:"name"` // executor, broker
	Purpose string `json:"purpose"`
	UID     uint32 `json:"uid"`
	GID     uint32 `json:"gid"`
	// Capabilities is the effective set as /proc/<pid>/status shows it. The broker
	// has none in any set.
	Capabilities string `json:"capabilities"`
	NoNewPrivs   bool   `json:"no_new_privs"`
	// Filter is the SHA-256 of the one system call filter on all its threads, in
	// hexadecimal; empty for none.
	Filter      string `json:"filter_sha256"`
	LandlockABI int    `json:"landlock_abi"` // 0 for none
	// Proved is when the broker was last looked at from outside; not there for the
	// executor, which looks.
	Proved *time.Time `json:"proved,omitempty"`
	// Tried names the calls by which it has proved what nobody can see from
	// outside: each came out as its layers demand.
	Tried  []string `json:"tried"`
	Starts int      `json:"starts"` // how often there has been one since the daemon started
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
	// Unasked is why there could be no try since, so that this answer still stands; ""
	// if there could.
	Unasked string  `json:"unasked"`
	Millis  float64 `json:"ms"`
}
