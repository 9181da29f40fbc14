package profiles_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

func TestPythonIsPromisedOneLevel(t *testing.T) {
	dir, err := image()
	require.NoError(t, err)
	job := strictPython("print('ran')")
	without := job
	without.Imports = job.Imports[1:]
	checking := job
	checking.CheckOnly = true
	rows := []struct {
		name     string
		promised []byte
		job      wire.Job
		want     string // the kind of the answer
	}{
		{"a job of that level", levelOnly(job), job, "A"},
		{"a job of that level that is only checked", levelOnly(job), checking, "C"},
		{"a job with fewer imports", levelOnly(job), without, "F"},
		{"a job with more imports", levelOnly(without), job, "F"},
		{"a job of no lists", levelOnly(job), openPython("print('ran')"), "F"},
		{"a job of lists where none are promised", levelOnly(openPython("")), job, "F"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := launch(t, python, dir, true)
			p.promise(t, row.promised)
			require.NoError(t, wire.WriteFrame(p.conn, wire.JobFrame, row.job.Encode()))
			payload := p.expect(t, wire.Kind(row.want[0]))
			err := p.cmd.Wait()
			if row.want != "F" {
				assert.NoError(t, err)
				return
			}
			assert.Contains(t, string(payload), "the job's level is not the one that was promised")
			assert.Equal(t, 1, p.cmd.ProcessState.ExitCode())
			assert.Empty(t, p.stdout.String(), "the program ran")

			c := templateFor(t, dir, python, row.promised).fork(t)
			out := c.run(t, row.job)
			assert.Equal(t, "F", string(rune(out.kind)))
			assert.Equal(t, 1, out.exit)
			assert.Empty(t, out.stdout, "the program ran")
		})
	}
}

func TestPythonRefusesAPromiseThatIsNone(t *testing.T) {
	dir, err := image()
	require.NoError(t, err)
	job := strictPython("print('ran')").Encode()
	for name, promised := range map[string][]byte{
		"a program with it": job, "a level that is cut short": job[:20], "another version": append([]byte{1, 0, 0, 0, '1'}, job[5:]...),
	} {
		t.Run(name, func(t *testing.T) {
			p := launch(t, python, dir, true)
			p.expect(t, wire.Ready)
			require.NoError(t, wire.WriteFrame(p.conn, wire.Kept, promised))
			p.expect(t, wire.Failed)
			assert.Error(t, p.cmd.Wait())
		})
	}
}

// TestForksOfOneTemplateShareNoRandomness runs each text in two forks of one
// template. What is drawn from a generator must differ; what the template decided
// once for all does not, and the second list says so.
func TestForksOfOneTemplateShareNoRandomness(t *testing.T) {
	fresh := map[string]string{
		"random":                       "import random\nprint(random.random(), random.getrandbits(64), random.randbytes(4))",
		"a generator of its own":       "import random\nprint(random.Random().random())",
		"a choice":                     "import random\nprint(random.sample(range(10**9), 3), random.uniform(0, 1), random.gauss(0, 1))",
		"the system's generator":       "import random\nprint(random.SystemRandom().random())",
		"secrets":                      "import secrets\nprint(secrets.token_hex(), secrets.randbelow(1 << 60))",
		"random identifiers":           "import uuid\nprint(uuid.uuid4())",
		"identifiers of time":          "import uuid\nprint(uuid.uuid1())",
		"a node":                       "import uuid\nprint(uuid.getnode())",
		"the kernel's, unrestricted":   "import os\nprint(os.urandom(8))",
		"OpenSSL's, unrestricted":      "import ssl\nprint(ssl.RAND_bytes(8))",
		"random, unrestricted":         "import random\nprint(random.random())",
		"names of files, unrestricted": "import tempfile\nprint(tempfile.mktemp())",
	}
	job := func(name, code string) wire.Job {
		if strings.HasSuffix(name, "unrestricted") {
			return openPython(code)
		}
		return pythonAt(t, "standard")(code)
	}
	for name, code := range fresh {
		t.Run(name, func(t *testing.T) {
			assert.NotEqual(t, inFork(t, job(name, code)), inFork(t, job(name, code)))
		})
	}
	const order = "print({str(i) for i in range(50)})"
	assert.Equal(t, inFork(t, job("", order)), inFork(t, job("", order)), "if the hash seed has become fresh, say so in the threat model")
}

func inFork(t *testing.T, job wire.Job) string {
	t.Helper()
	dir, err := image()
	require.NoError(t, err)
	out := fork(t, dir, python, job)
	require.Equal(t, "A", string(rune(out.kind)), "%q", out.payload)
	require.Zero(t, out.exit, out.stderr)
	require.NotEmpty(t, out.stdout)
	return out.stdout
}

// What is ready ahead must not be told from what is loaded when it is asked for.
func TestPythonSeesTheSameWhicheverWayItStarts(t *testing.T) {
	rows := []struct{ name, level, code string }{
		{"the modules that are loaded", "relaxed", "import sys\nprint(sorted(sys.modules))"},
		{"the finders", "relaxed", "import sys\nprint([getattr(f, '__name__', type(f).__name__) for f in sys.meta_path], sys.path, sys.argv)"},
		{"the main module", "relaxed", "import sys\nprint(sorted(vars(sys.modules['__main__'])), sys.modules['__main__'].__dict__ is globals())"},
		{"the collector", "relaxed", "import gc\nprint(gc.isenabled(), gc.get_threshold(), gc.callbacks, gc.garbage)"},
		{"threads", "relaxed", "import threading, _thread\nprint(threading.main_thread() is threading.current_thread(), threading.main_thread().ident == _thread.get_ident(), threading.active_count())"},
		{"names of threads and tasks", "standard", "import threading, asyncio\nprint(threading.Thread().name, threading.current_thread().name)\nasync def f(): print(asyncio.current_task().get_name())\nasyncio.run(f())"},
		{"the directory", "relaxed", "import os\nprint(os.getcwd() == os.path.realpath('.'), os.listdir())"},
		{"what vars shows of a module", "standard", "import json, collections, typing, asyncio, threading\nfor m in (json, collections, typing, asyncio, threading): print(sorted(vars(m)))"},
		{"an error with its lines", "strict", "def f(x):\n    return 1 / x\nf(0)"},
		{"an error in the library", "standard", "import json\njson.loads('{')"},
		{"an error inside a thread", "standard", "import threading\ndef f():\n    1/0\nt = threading.Thread(target=f)\nt.start()\nt.join()"},
		{"a warning of the compiler", "strict", "x = 1\nif x is 1: print('one')"},
		{"a coroutine that was dropped", "strict", "async def f(): pass\nf()\nprint('end')"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var first end
			for n, i := range python.everyWay() {
				out := run(t, i, pythonAt(t, row.level)(row.code))
				require.Equal(t, "A", string(rune(out.kind)), "%q", out.payload)
				seen := end{out.exit, out.stdout, out.stderr}
				if n == 0 {
					first = seen
					require.NotEmpty(t, out.stdout+out.stderr)
				}
				assert.Equal(t, first, seen, i.way)
			}
		})
	}
}
