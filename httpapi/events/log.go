package events

import (
	"encoding/json"
	"sync"
	"time"

	"safe-exec/policy"
)

// The kinds of events, in the order in which a log holds them: queued, started,
// any mix of stdout, stderr and denial, then result or error, then done.
const (
	Queued  = "queued"  // {job_id, expires_at}
	Started = "started" // {attempt}
	Stdout  = "stdout"  // {text}
	Stderr  = "stderr"  // {text}
	Denial  = "denial"  // {syscall}
	Result  = "result"  // the whole result object
	Failure = "error"   // our failure in place of a result: the problem document
	Done    = "done"    // {status}; only behind a result or an error
)

// Event is one entry of a log. Data is JSON, its form is said with the kinds.
type Event struct {
	ID   ID
	Kind string
	Data json.RawMessage
}

// How many bytes of output a log holds: what a result may keep at most. What is
// over is left out, as the executor should have done; the result says that it was
// cut.
const (
	maxStdout = 1 << 20
	maxStderr = 64 << 10
)

// After maxFine entries, output is told in pieces of at least coarse bytes (or at
// the end), so that a program that writes single bytes is no flood of entries.
// An event of output has at most piece bytes of text, and Next stops behind batch
// bytes of events: what a reader who is slow has taken is his alone.
const (
	piece = 32 << 10
	batch = 64 << 10
)

const (
	maxFine    = 4096
	coarse     = 4 << 10
	maxDenials = 1024
)

// entry is an event whose output is still text: as JSON it may be six times as
// long, and it is told to few.
type entry struct {
	n    int
	kind string
	text []byte // Stdout, Stderr
	data json.RawMessage
}

// Log is the record of one run. Its methods may be called from any goroutine.
type Log struct {
	stdout, stderr int // bytes that an attempt may add

	mu      sync.Mutex
	attempt int
	n       int // of the last event
	entries []entry
	told    int // up to this number somebody has been told: it cannot change
	out     map[string]*stream
	denials int
	over    bool          // the last event is there
	broken  bool          // it ended without one
	rebuilt bool          // see Rebuild
	changed chan struct{} // closed at the next change; nil while nobody waits
}

type stream struct {
	decoder
	left    int    // bytes that the log still takes
	waiting []byte // text that waits for more
}

// New makes an empty log of the given attempt.
func New(attempt int) *Log { return bounded(attempt, maxStdout, maxStderr) }

func bounded(attempt, stdout, stderr int) *Log {
	l := &Log{stdout: stdout, stderr: stderr}
	l.reset(attempt)
	return l
}

func (l *Log) reset(attempt int) {
	l.attempt, l.n, l.entries, l.told, l.denials = attempt, 0, nil, 0, 0
	l.out = map[string]*stream{Stdout: {left: l.stdout}, Stderr: {left: l.stderr}}
}

// Restart empties the log for another attempt, if it is one: the job runs again,
// and so does all that there is to tell.
func (l *Log) Restart(attempt int) (emptied bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.attempt == attempt {
		return false
	}
	l.reset(attempt)
	return true
}

// Append adds an event; done is the last. Data that JSON has no form for becomes
// null. After the last event it does nothing.
func (l *Log) Append(kind string, data any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append(kind, data)
}

// append needs mu.
func (l *Log) append(kind string, data any) {
	if l.over {
		return
	}
	body, err := json.Marshal(data)
	if err != nil {
		body = json.RawMessage("null")
	}
	l.over = kind == Done
	l.put(entry{kind: kind, data: body})
}

// put needs mu.
func (l *Log) put(e entry) {
	l.n++
	e.n = l.n
	l.entries = append(l.entries, e)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// Queued adds the first event of a job.
func (l *Log) Queued(jobID string, expires time.Time) {
	l.Append(Queued, struct {
		JobID     string    `json:"job_id"`
		ExpiresAt time.Time `json:"expires_at"`
	}{jobID, expires.UTC()})
}

// Watch adds what happens while a program runs; it is a policy.Request's Watch.
func (l *Log) Watch(e policy.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e.Kind {
	case policy.EventStarted:
		l.append(Started, map[string]int{"attempt": l.attempt})
	case policy.EventStdout:
		l.output(Stdout, e.Data)
	case policy.EventStderr:
		l.output(Stderr, e.Data)
	case policy.EventDenial:
		if l.denials++; l.denials <= maxDenials {
			l.append(Denial, map[string]string{"syscall": e.Syscall})
		}
	}
}

// output needs mu.
func (l *Log) output(kind string, p []byte) {
	s := l.out[kind]
	if len(p) > s.left {
		p = p[:s.left]
	}
	s.left -= len(p)
	l.tell(kind, s.add(p), len(l.entries) < maxFine)
}

// tell needs mu. Text goes to the last event while nobody has been told of it.
func (l *Log) tell(kind string, text []byte, now bool) {
	if l.over {
		return
	}
	s := l.out[kind]
	s.waiting = append(s.waiting, text...)
	if len(s.waiting) == 0 || !now && len(s.waiting) < coarse {
		return
	}
	text, s.waiting = s.waiting, nil
	if len(l.entries) > 0 {
		last := &l.entries[len(l.entries)-1]
		if last.kind == kind && last.n > l.told {
			n := cut(text, piece-len(last.text))
			last.text = append(last.text, text[:n]...)
			text = text[n:]
		}
	}
	for len(text) > 0 {
		n := cut(text, piece)
		l.put(entry{kind: kind, text: text[:n:n]})
		text = text[n:]
	}
}

// Seal tells all output that was held back, and gives the id that the last event
// will have if Result or Fail is next.
func (l *Log) Seal() ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	return ID{l.attempt, l.n + 2}
}

// flush needs mu.
func (l *Log) flush() {
	for _, kind := range []string{Stdout, Stderr} {
		l.tell(kind, l.out[kind].end(), true)
		l.out[kind].left = 0
	}
}

// Result ends the log with a verdict.
func (l *Log) Result(r *policy.Result) { l.end(Result, r, r.Status) }

// Fail ends the log with our failure, told by its problem document.
func (l *Log) Fail(problem any) { l.end(Failure, problem, policy.Errored) }

func (l *Log) end(kind string, data any, status policy.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	l.append(kind, data)
	l.append(Done, map[string]policy.Status{"status": status})
}

// Break ends the log without a verdict: the daemon shuts down before there is
// one. After the events that are there, readers get io.ErrUnexpectedEOF.
func (l *Log) Break() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.over, l.broken = true, true
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}
