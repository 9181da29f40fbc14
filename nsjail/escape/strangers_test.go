package escape

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/cgroup"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
)

const (
	notOut = "\nPROBE {\"won\": false, \"proof\": \"EPERM\"}\n"
	isOut  = "\nPROBE {\"won\": true, \"proof\": \"canary\"}\n"
)

// stranger does what any user of the host can do to what is planted. It is told more
// than that user would find: the directory, the port and the abstract name.
const stranger = `
import glob, json, os, socket, sys
outer, port, name = sys.argv[1:]
told = {"greeted": 0, "listed": [], "wrote": [], "shown": []}
for place in [os.path.dirname(outer), outer]:
    try:
        told["listed"] += os.listdir(place)
    except OSError:
        pass
with open("/proc/net/unix") as f:
    told["shown"] = [l.split()[-1] for l in f if outer in l]
for path in glob.glob(outer + "/*/*") + glob.glob(outer + "/*") + told["shown"]:
    try:
        with open(path, "a") as f:
            f.write("x")
        told["wrote"].append(path)
    except OSError:
        pass
kept = []
def visit(family, address, text):
    s = socket.socket(family)
    s.settimeout(10)
    s.connect(address)
    try:
        canary = s.recv(100)
        told["greeted"] += canary.startswith(b"canary-")
        s.sendall(text or canary)
    except OSError:
        pass  # one of too many is ended
    kept.append(s)
for family, address in [(socket.AF_INET, ("127.0.0.1", int(port))), (socket.AF_UNIX, "\0" + name), (socket.AF_UNIX, "\0" + name.ljust(107, "\0"))]:
    for text in [b"", b"x", b"GET / HTTP/1.1\r\n\r\n", b"secret-" * 2000]:
        visit(family, address, text)
for _ in range(200):
    visit(socket.AF_INET, ("127.0.0.1", int(port)), b"x")
print(json.dumps(told))
`

// found by the text of the probes, which only they have.
var (
	portIn     = regexp.MustCompile(`"127\.0\.0\.1", int\("(\d+)"\)`)
	abstractIn = regexp.MustCompile(`"\\0(safe-exec-[A-Z0-9]+)"`)
	plantedIn  = regexp.MustCompile(`(/\S+/safe-exec-escape-\d+)/`)
)

func TestNobodyButAProbeSpoilsACheck(t *testing.T) {
	var port, name string
	var told struct {
		Greeted              int
		Listed, Wrote, Shown []string
	}
	came := 0
	g, err := NewGuard(guarding(t, executor(func(r policy.Request) (*policy.Result, error) {
		if m := portIn.FindStringSubmatch(r.Code); m != nil {
			port = m[1]
		}
		if m := abstractIn.FindStringSubmatch(r.Code); m != nil {
			name = m[1]
		}
		if outer := plantedIn.FindStringSubmatch(r.Code); outer != nil && port != "" && name != "" && came == 0 {
			cmd := exec.Command("/usr/bin/python3", "-c", stranger, outer[1], port, name)
			cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4007, Gid: 4007}}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			require.NoError(t, json.Unmarshal(out, &told), string(out))
			came++
		}
		return answering(notOut)(r)
	})))
	require.NoError(t, err)
	s := g.Check(t.Context())
	require.Equal(t, 1, came, "no stranger came")
	assert.True(t, s.Held, s.Detail)
	assert.Greater(t, told.Greeted, 9, "the stranger did not get through to what everybody can find")
	assert.Empty(t, told.Listed)
	assert.Empty(t, told.Shown)
	assert.Empty(t, told.Wrote)
}

// bare runs programs in the naive jail, as if every layer had fallen.
type bare struct {
	naive   *Naive
	targets *Targets // for its own files
	modest  bool     // the program's claim is not passed on
}

func (b bare) run(t *testing.T) executor {
	return func(r policy.Request) (*policy.Result, error) {
		o, err := b.naive.run(t.Context(), Probe{Language: policy.Language(r.Language)}, b.targets, r.Code)
		if b.modest {
			o.stdout = notOut
		}
		result, _ := answering(o.stdout)(r)
		return result, err
	}
}

// What strangers cannot do, a probe that has got out still can: the host sees it even
// where the probe says nothing of it.
func TestWhatAProbeThatGotOutDoesIsSeen(t *testing.T) {
	conf := guarding(t, nil)
	naive, err := NewNaive(lease.DefaultRange, cgroup.Options{}, map[policy.Language]string{policy.Python: "/usr/bin/python3", policy.JavaScript: "/usr/bin/node"})
	require.NoError(t, err)
	t.Cleanup(func() { naive.Close() })
	targets, err := Plant()
	require.NoError(t, err)
	t.Cleanup(targets.Remove)
	all, err := shortForm()
	require.NoError(t, err)
	const written, arrived = "the planted file was changed", "a connection reached a planted listener"
	for name, want := range map[string]string{
		"c1_host_write": written, "c1_host_write_node": written,
		"c3_unix_abstract": arrived, "c3_unix_abstract_node": arrived, "c3_unix_path": arrived, "c3_unix_path_node": arrived,
		"c3_socket_tcp": arrived, "c3_socket_tcp_node": arrived, "c3_socket_tcp_worker_node": arrived,
		"c3_socket_fetch_node": arrived, "c3_socket_http_node": arrived,
	} {
		t.Run(name, func(t *testing.T) {
			i := slices.IndexFunc(all, func(p Probe) bool { return p.Name == name })
			require.GreaterOrEqual(t, i, 0, "not in the short form")
			for _, modest := range []bool{true, false} {
				conf.Executor = bare{naive, targets, modest}.run(t)
				g, err := NewGuard(conf)
				require.NoError(t, err)
				g.probes = all[i : i+1]
				s := g.Check(t.Context())
				assert.False(t, s.Held)
				if modest {
					assert.Contains(t, s.Detail, want)
				} else {
					assert.True(t, strings.HasPrefix(s.Detail, name+": "+string(Escaped)), s.Detail)
				}
			}
		})
	}
}
