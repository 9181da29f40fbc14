package benchmark

// SchemaVersion is the version of Report as JSON; docs/benchmarks.md describes
// it.
const SchemaVersion = 1

// Report is all that one run of the benchmark measured. The table is made from
// it alone.
type Report struct {
	SchemaVersion int           `json:"schema_version"`
	Version       string        `json:"version"` // of safe-exec
	Machine       Machine       `json:"machine"`
	Peers         []PeerState   `json:"peers,omitempty"`
	Latencies     []Latency     `json:"latencies,omitempty"`
	Throughputs   []RunsPerTime `json:"throughputs,omitempty"`
	Bursts        []BurstResult `json:"bursts,omitempty"`
	Waiting       []Waiting     `json:"waiting,omitempty"`
	Floods        []FloodResult `json:"floods,omitempty"`
	Sleepers      *Sleepers     `json:"sleepers,omitempty"`
	Soaks         []SoakResult  `json:"soaks,omitempty"`
	DaemonRSSMB   float64       `json:"daemon_rss_mb"` // after all but the sleepers
	SpawnerRSSMB  float64       `json:"spawner_rss_mb"`
	Unmeasured    []Unmeasured  `json:"unmeasured,omitempty"`
}

// Machine is where it was measured.
type Machine struct {
	Kernel      string    `json:"kernel"`
	Processors  int       `json:"processors"`
	Model       string    `json:"processor_model"`
	MemoryMB    float64   `json:"memory_mb"`
	Cgroup      string    `json:"cgroup"` // v1 or v2
	Started     string    `json:"started_at"`
	Seconds     float64   `json:"duration_s"`
	LoadAtBegin []float64 `json:"load_average_begin"` // over 1, 5 and 15 minutes
	LoadAtEnd   []float64 `json:"load_average_end"`
}

// Latency is one program, run in several ways in turn.
type Latency struct {
	Figure   string   `json:"figure"` // hello, imports or cpu
	Language string   `json:"language"`
	Version  string   `json:"interpreter_version"`
	Program  string   `json:"program"`
	Ways     []Timing `json:"ways"`
}

// Timing is the distribution of one way. Bare and peers have a Command, where
// PROGRAM stands for the text; the daemon's ways have what it told.
type Timing struct {
	Way           string         `json:"way"` // bare, safe-exec, cold, or a peer's name
	Runs          int            `json:"runs"`
	P50           float64        `json:"p50_ms"`
	P95           float64        `json:"p95_ms"`
	P99           float64        `json:"p99_ms"`
	Command       []string       `json:"command,omitempty"`
	StartModes    map[string]int `json:"start_modes,omitempty"`
	DaemonStartMS float64        `json:"daemon_start_p50_ms,omitempty"` // start_time_ms
	DaemonTotalMS float64        `json:"daemon_total_p50_ms,omitempty"` // total_time_ms: the rest is HTTP and the client
}

// RunsPerTime is what one number of clients got done, in several ways in turn.
type RunsPerTime struct {
	Language string     `json:"language"`
	Clients  int        `json:"clients"`
	Ways     []RunsRate `json:"ways"`
}

// RunsRate is one of them.
type RunsRate struct {
	Way        string         `json:"way"`
	PerSecond  float64        `json:"runs_per_s"`
	Failures   int64          `json:"failures"`
	FirstError string         `json:"first_error,omitempty"`
	StartModes map[string]int `json:"start_modes,omitempty"`
}

// BurstResult is the worst of several bursts on an idle daemon.
type BurstResult struct {
	Language   string         `json:"language"`
	Requests   int            `json:"requests"`
	Answered   int            `json:"answered"` // the fewest of any burst
	SlowestMS  float64        `json:"slowest_ms"`
	InARowMS   float64        `json:"in_a_row_ms"` // as many runs, one after the other
	FirstError string         `json:"first_error,omitempty"`
	StartModes map[string]int `json:"start_modes,omitempty"`
}

// Waiting is the memory of what waits in an idle daemon: the mean of its init
// and interpreter together. A template is no spare.
type Waiting struct {
	Language       string  `json:"language"`
	Kind           string  `json:"kind"` // warm, fork, template, or none where no spare waits
	Count          int     `json:"count"`
	PrivateMB      float64 `json:"private_mb"`
	ProportionalMB float64 `json:"proportional_mb"` // shared pages divided by who shares them
}

// FloodResult is a Python hello of one caller, alone and beside another who floods
// the daemon.
type FloodResult struct {
	Flood   string `json:"flood"` // what is sent
	Clients int    `json:"clients"`
	Alone   Timing `json:"alone"`
	Beside  Timing `json:"beside"`
}

// Sleepers are programs that sleep at once.
type Sleepers struct {
	Programs       int     `json:"programs"`
	ProportionalMB float64 `json:"proportional_mb"` // daemon, spawner and all jails
	TakenMB        float64 `json:"taken_mb"`        // what MemAvailable lost since before the daemon
	UsualP50       float64 `json:"hello_before_p50_ms"`
	MeanwhileP50   float64 `json:"hello_meanwhile_p50_ms"`
}

// SoakResult is many runs in a row.
type SoakResult struct {
	Language   string         `json:"language"`
	Runs       int            `json:"runs"`
	Part       int            `json:"part_runs"` // runs in each of the two parts compared
	FirstP50   float64        `json:"first_p50_ms"`
	LastP50    float64        `json:"last_p50_ms"`
	Before     Resources      `json:"before"` // after the warm-up
	After      Resources      `json:"after"`
	SlabGrowth map[string]int `json:"slab_growth_objects,omitempty"` // caches that grew about as often as something ran
	StartModes map[string]int `json:"start_modes,omitempty"`
}

// Resources are what a leak would be seen in.
type Resources struct {
	DaemonRSSMB         float64 `json:"daemon_rss_mb"`
	SpawnerRSSMB        float64 `json:"spawner_rss_mb"`
	Descriptors         int     `json:"descriptors"` // of daemon and spawner
	Cgroups             int     `json:"cgroups"`     // leaves in all hierarchies
	Namespaces          int     `json:"namespaces"`  // distinct ones, of all processes of the host
	SlabUnreclaimableMB float64 `json:"slab_unreclaimable_mb"`
	SlabMB              float64 `json:"slab_mb"`
	MemAvailableMB      float64 `json:"mem_available_mb"`
}

// PeerState says of a sandbox to compare with whether it was measured.
type PeerState struct {
	Name   string `json:"name"`
	State  string `json:"state"` // measured, not installed, or failed
	Detail string `json:"detail,omitempty"`
}

// Unmeasured is a figure that could not be measured.
type Unmeasured struct {
	Figure string `json:"figure"`
	Error  string `json:"error"`
}
