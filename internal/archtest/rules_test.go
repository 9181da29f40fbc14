package archtest

// layer says which of our packages one of our packages may import itself. What
// those import is their own row's business.
type layer struct {
	pkg    string // a package or a tree (name/...); the first row that fits decides
	may    []string
	reason string
}

var layers = []layer{
	{"policy", nil,
		"the vocabulary is what all others speak, so it can depend on none of them"},
	{"profiles", []string{"policy", "internal/strictyaml"},
		"data with a loader: it describes runs and makes none"},
	{"seccomp/compile", []string{"policy", "seccomp"},
		"it links C, so as little as possible stands behind it"},
	{"seccomp/...", []string{"policy", "seccomp"},
		"filters are values that are installed and read without knowing a run"},
	{"cgroup", []string{"policy"},
		"leaves and limits know nothing of jails"},

	{"nsjail/child", []string{"nsjail/wire", "nsjail/landlock", "seccomp"},
		"every run starts this program: whatever it links is paid for each time and is attackable from a jail"},
	{"nsjail/wire", nil,
		"both ends of the protocol link it, the small end too"},
	{"nsjail/landlock", nil,
		"the init links it"},
	{"nsjail/posture", nil,
		"the look from outside must not share assumptions with what it checks"},
	{"nsjail/collect", []string{"policy", "nsjail/wire"},
		"it asks over a socket; it opens no path and makes no jail"},
	{"nsjail/lease", nil,
		"locks on files know nothing of jails"},
	{"nsjail/image", []string{"policy", "nsjail/lease"},
		"it copies and mounts files, and tells its own unfinished ones by their locks; who sees them is decided elsewhere"},
	{"nsjail/host", []string{"cgroup", "nsjail/landlock"},
		"it asks the kernel and makes nothing"},
	{"nsjail/...", []string{"policy", "profiles", "seccomp", "cgroup", "nsjail/..."},
		"what makes jails knows neither HTTP nor the C compiler of filters"},

	{"httpapi/events", []string{"policy"},
		"the record of a run knows neither jobs nor HTTP"},
	{"httpapi/jobs", []string{"policy", "httpapi/events", "httpapi/observe"},
		"jobs know neither HTTP nor how they are kept"},
	{"httpapi/jobs/queuetest", []string{"policy", "httpapi/jobs"},
		"it tests any driver, so it knows none"},
	{"httpapi/jobs/sqlite", []string{"policy", "httpapi/jobs"},
		"a driver knows what it keeps and not who asks"},
	{"httpapi/...", []string{"policy", "httpapi/..."},
		"what parses requests must be able to run without privilege, so it must not reach what has it"},

	{"cmd/safe-exec-init", []string{"nsjail/child"},
		"it is the main function of that package"},
	{"cmd/safe-exec", []string{"policy", "profiles", "cgroup", "nsjail/...", "httpapi/...", "internal/broker", "internal/link", "internal/strictyaml", "internal/wiring", "internal/battery", "internal/benchmark"},
		"wiring; the C compiler of filters comes by internal/wiring alone"},
	{"internal/wiring", []string{"policy", "profiles", "seccomp/...", "cgroup", "nsjail/..."},
		"it puts a Runner together, which no HTTP is needed for"},
	{"internal/battery", []string{"policy", "profiles", "cgroup", "nsjail/...", "httpapi/...", "internal/wiring"},
		"it puts the escape battery together, against jails of its own or a live daemon"},
	{"internal/benchmark", []string{"policy"},
		"it measures any policy.Executor"},
	{"internal/link", []string{"policy"},
		"both processes of the daemon link it, and the one that is root must not get more by it"},
	{"internal/broker/...", []string{"policy", "internal/broker", "internal/link", "nsjail/landlock", "nsjail/posture", "seccomp"},
		"it confines a process and looks at it, whatever that serves"},
	{"internal/testproc", nil,
		"it stands around any test and knows none"},
	{"internal/strictyaml", nil,
		"it reads any text into any type"},
	{"internal/filled", nil,
		"it fills any value for tests"},
	{"internal/corpus", nil,
		"it reads programs for tests"},
	{"internal/regrtest/...", []string{"policy", "profiles", "nsjail/image", "nsjail/lease", "internal/wiring", "internal/regrtest"},
		"it runs CPython's tests through any policy.Executor; its command makes one"},
	{"internal/hosttest", nil,
		"tests of any package may wait by it"},
	{"internal/archtest", nil,
		"it reads the graph and is no part of it"},
	{"internal/prober", nil,
		"a program and a table: its test starts jails"},
	{"internal/syscalldoc", []string{"seccomp", "profiles"},
		"it writes what the lists say"},
	{"internal/vmtest/...", []string{"internal/vmtest/..."},
		"it boots compiled tests and must not be what they test"},
}

// ban says what a package must not link, directly or through others.
type ban struct {
	pkg    string
	never  []string // import paths, or trees of them
	reason string
}

var bans = []ban{
	{"nsjail/...", []string{"net/http", module + "/httpapi/..."},
		"a hole in what parses requests must not be a hole in what has privilege: the two become two processes"},
	{"httpapi/...", []string{module + "/nsjail/...", module + "/cgroup", module + "/seccomp/..."},
		"it needs no privilege, so it must have no way to use one"},
	{"nsjail/...", []string{"crypto/tls"},
		"what parses what callers send, and what keeps it, is the broker's"},
	{"internal/broker", []string{"net/http", module + "/httpapi/..."},
		"what starts and proves the broker is the executor's and must not parse what callers send"},
	{"internal/link", []string{"net/http", "golang.org/x/sys/...", module + "/httpapi/..."},
		"the protocol knows neither HTTP nor how a process is confined"},
	{"nsjail/child", []string{"runtime/cgo", "github.com/seccomp/libseccomp-golang"},
		"only a program without cgo can change the credentials of all its threads"},
	{"nsjail/child", []string{"net", "net/http", "crypto/tls"},
		"it has no network and each run pays for what it links"},
	{"nsjail/child", []string{"go.yaml.in/yaml/v3", "encoding/json"},
		"its messages are bounded frames; a general parser is a larger target and starts slower"},
	{"nsjail/child", []string{"os/exec"},
		"it starts processes with the flags it needs and no others; os/exec would search PATH and inherit an environment"},
	{"nsjail/child", []string{module + "/policy", module + "/profiles"},
		"it decides nothing: what to enforce comes in numbers"},
	{"nsjail/...", []string{"github.com/spf13/pflag"},
		"flags are the command line's: what makes jails is told in values"},
	{"internal/...", []string{"github.com/spf13/pflag"},
		"what the command line says of its flags belongs to the command"},
	{"policy", []string{"net/http", "os/exec", "golang.org/x/sys/..."},
		"decisions are pure functions"},
}

// foreign says which modules of others a package may link, directly or through
// others. The first row that fits decides.
type foreign struct {
	pkg    string
	may    []string
	reason string
}

var foreigners = []foreign{
	{"policy", nil, "anyone may import the vocabulary without taking on a dependency"},
	{"httpapi/observe/metrics", []string{
		"github.com/prometheus/...", "google.golang.org/protobuf/...", "github.com/beorn7/perks/...", "github.com/cespare/xxhash/...",
		"github.com/munnerz/goautoneg", "golang.org/x/sys/unix", "golang.org/x/time/...", "golang.org/x/sync/semaphore",
	}, "the Prometheus client library, which the package is a use of"},
	{"httpapi/jobs/sqlite", []string{"github.com/ncruces/go-sqlite3/...", "github.com/ncruces/go-sqlite3-wasm/...", "github.com/ncruces/julianday", "golang.org/x/sys/..."},
		"the database, behind an interface that the rest of httpapi knows alone"},
	{"httpapi/jobs/queuetest", []string{"github.com/stretchr/testify/...", "github.com/davecgh/...", "github.com/pmezard/...", "go.yaml.in/yaml/..."},
		"tests alone import it"},
	{"httpapi/...", []string{"golang.org/x/time/...", "golang.org/x/sync/semaphore"}, "what faces callers is the standard library and ours, and of the Go project a token bucket and a weighted semaphore, which parse nothing"},
	{"internal/link", nil, "the process that is root reads by it what a hostile one sends"},
	{"nsjail/child", []string{"golang.org/x/sys/..."}, "every line in there is trusted by every run"},
}

// cgo is the one package that may call C, and the only one that may import the
// binding to libseccomp.
const (
	cgo        = "seccomp/compile"
	libseccomp = "github.com/seccomp/libseccomp-golang"
)
