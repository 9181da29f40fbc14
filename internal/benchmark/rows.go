package benchmark

import "fmt"

// Row is one line of the table: a value of ours, what it is compared with, and
// the target for one of the two.
type Row struct {
	Figure string  // what was measured
	Way    string  // safe-exec, or a peer's name
	Unit   string  // of both values
	Bare   float64 // 0 where there is nothing to compare with
	Ours   float64
	Target *Target
	Starts map[string]int
}

// Target is the bound of what counts as fast enough.
type Target struct {
	Bound   float64
	AtLeast bool // else at most
	OfValue bool // else of the ratio
}

// Ratio is ours in units of bare, 0 where there is nothing to compare with.
func (r Row) Ratio() float64 {
	if r.Bare == 0 {
		return 0
	}
	return r.Ours / r.Bare
}

// Met says whether the target is. It has a meaning only where there is one.
func (r Row) Met() bool {
	v := r.Ratio()
	if r.Target.OfValue {
		v = r.Ours
	}
	if r.Target.AtLeast {
		return v >= r.Target.Bound
	}
	return v <= r.Target.Bound
}

// targets by figure, and language where it differs.
var targets = map[string]Target{
	"hello p50 python":     {Bound: 0.35},
	"hello p50 javascript": {Bound: 0.15},
	"hello p99 python":     {Bound: 1.5},
	"imports p50 python":   {Bound: 0.12},
	"cold p50 python":      {Bound: 1.4},
	"cold p50 javascript":  {Bound: 1.15},
	"runs/s 2 python":      {Bound: 2.5, AtLeast: true},
	"runs/s 2 javascript":  {Bound: 4, AtLeast: true},
	"burst":                {Bound: 1},
	"burst answered":       {Bound: burstRequests, AtLeast: true, OfValue: true},
	"cpu":                  {Bound: 1.02},
	"waiting python":       {Bound: 4, OfValue: true},
	"waiting javascript":   {Bound: 25, OfValue: true},
	"sleepers":             {Bound: 3000, OfValue: true},
	"flood":                {Bound: 3},
	"same":                 {Bound: 1.1}, // as before, within ten per cent
	"none more":            {Bound: 0, OfValue: true},
}

func target(name string) *Target {
	if t, ok := targets[name]; ok {
		return &t
	}
	return nil
}

var titles = map[string]string{"python": "Python", "javascript": "Node"}

// Rows are the table of safe-exec, in the order of the figures.
func (r *Report) Rows() []Row {
	var rows []Row
	for _, figure := range []string{Hello, Imports} {
		rows = append(rows, r.latencyRows(figure, wayOurs)...)
	}
	rows = append(rows, r.latencyRows(Hello, wayCold)...)
	rows = append(rows, r.rateRows(wayOurs)...)
	for _, b := range r.Bursts {
		name := fmt.Sprintf("burst of %d, %s: ", b.Requests, titles[b.Language])
		rows = append(rows,
			Row{Figure: name + "answered", Way: wayOurs, Ours: float64(b.Answered), Target: target("burst answered"), Starts: b.StartModes},
			Row{Figure: name + "slowest, of as many in a row", Way: wayOurs, Unit: "ms", Bare: b.InARowMS, Ours: b.SlowestMS, Target: target("burst")})
	}
	rows = append(rows, r.cpuRows()...)
	for _, w := range r.Waiting {
		rows = append(rows, w.row())
	}
	for _, f := range r.Floods {
		name := "hello beside a flood of " + f.Flood + ", of the same alone: "
		rows = append(rows,
			Row{Figure: name + "p50", Way: wayOurs, Unit: "ms", Bare: f.Alone.P50, Ours: f.Beside.P50, Starts: f.Beside.StartModes},
			Row{Figure: name + "p99", Way: wayOurs, Unit: "ms", Bare: f.Alone.P99, Ours: f.Beside.P99, Target: target("flood")})
	}
	if s := r.Sleepers; s != nil {
		rows = append(rows,
			// The worse of two counts: one leaves out the kernel's own memory, the
			// other has what the rest of the machine did meanwhile.
			Row{Figure: fmt.Sprintf("memory with %d Python programs asleep", s.Programs), Way: wayOurs, Unit: "MB", Ours: max(s.TakenMB, s.ProportionalMB), Target: target("sleepers")},
			Row{Figure: "hello p50 meanwhile, of the same before", Way: wayOurs, Unit: "ms", Bare: s.UsualP50, Ours: s.MeanwhileP50, Target: target("same")})
	}
	for _, s := range r.Soaks {
		rows = append(rows, s.rows()...)
	}
	return rows
}

func (w Waiting) row() Row {
	row := Row{Way: wayOurs, Unit: "MB", Ours: w.ProportionalMB}
	mean := fmt.Sprintf("%s (mean of %d; %.1f MB private)", titles[w.Language], w.Count, w.PrivateMB)
	switch w.Kind {
	case kindNone:
		return Row{Figure: "spares that wait, " + titles[w.Language], Way: wayOurs}
	case kindTemplate:
		row.Figure = "memory of a template, " + mean
	default:
		row.Figure = "memory of a waiting " + w.Kind + " spare, " + mean
		row.Target = target("waiting " + w.Language)
	}
	return row
}

// PeerRows are the same figures for another sandbox.
func (r *Report) PeerRows(peer string) []Row {
	return append(r.latencyRows(Hello, peer), r.rateRows(peer)...)
}

// latencyRows compares the quantiles of one way with those of bare. The p99 is
// held against bare's p50, since bare's own p99 is the machine's noise.
func (r *Report) latencyRows(figure, way string) (rows []Row) {
	for _, l := range r.Latencies {
		bare, ours := l.find(wayBare), l.find(way)
		if l.Figure != figure || bare == nil || ours == nil {
			continue
		}
		title, kind := titles[l.Language]+" "+l.Program, figure
		if way == wayCold {
			title, kind = title+", cold", Cold
		}
		for _, q := range []struct {
			name       string
			bare, ours float64
		}{{"p50", bare.P50, ours.P50}, {"p95", bare.P95, ours.P95}, {"p99", bare.P50, ours.P99}} {
			row := Row{Figure: title + " " + q.name, Way: shown(way), Unit: "ms", Bare: q.bare, Ours: q.ours}
			if q.name == "p99" {
				row.Figure += ", of bare's p50"
			} else if q.name == "p50" {
				row.Starts = ours.StartModes
			}
			if way == wayOurs || way == wayCold {
				row.Target = target(kind + " " + q.name + " " + l.Language)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (r *Report) cpuRows() (rows []Row) {
	for _, l := range r.Latencies {
		bare, ours := l.find(wayBare), l.find(wayOurs)
		if l.Figure != CPU || bare == nil || ours == nil {
			continue
		}
		rows = append(rows, Row{
			Figure: titles[l.Language] + " " + l.Program + ", 2 s, p50", Way: wayOurs, Unit: "ms",
			Bare: bare.P50, Ours: ours.P50, Target: target("cpu"), Starts: ours.StartModes})
	}
	return rows
}

func (r *Report) rateRows(way string) (rows []Row) {
	for _, t := range r.Throughputs {
		var bare, ours *RunsRate
		for i := range t.Ways {
			switch t.Ways[i].Way {
			case wayBare:
				bare = &t.Ways[i]
			case way:
				ours = &t.Ways[i]
			}
		}
		if bare == nil || ours == nil {
			continue
		}
		row := Row{
			Figure: fmt.Sprintf("%s hello, %s", titles[t.Language], clients(t.Clients)), Way: shown(way), Unit: "runs/s",
			Bare: bare.PerSecond, Ours: ours.PerSecond, Starts: ours.StartModes}
		if ours.Failures > 0 {
			row.Figure += fmt.Sprintf(" (%d failed)", ours.Failures)
		}
		if way == wayOurs {
			row.Target = target(fmt.Sprintf("runs/s %d %s", t.Clients, t.Language))
		}
		rows = append(rows, row)
	}
	return rows
}

func (s SoakResult) rows() []Row {
	name := fmt.Sprintf("%d runs of %s: ", s.Runs, titles[s.Language])
	same := func(what, unit string, before, after float64) Row {
		return Row{Figure: name + what, Way: wayOurs, Unit: unit, Bare: before, Ours: after, Target: target("same")}
	}
	more := func(what string, by int) Row {
		return Row{Figure: name + what, Way: wayOurs, Ours: float64(by), Target: target("none more")}
	}
	first := same(fmt.Sprintf("p50 of the last %d, of the first", s.Part), "ms", s.FirstP50, s.LastP50)
	first.Starts = s.StartModes
	b, a := s.Before, s.After
	slab := "slab caches that grew"
	if len(s.SlabGrowth) > 0 {
		slab += " (" + list(sortedKeys(s.SlabGrowth)) + ")"
	}
	return []Row{
		first,
		same("memory of the daemon, of before", "MB", b.DaemonRSSMB, a.DaemonRSSMB),
		same("memory of the spawner, of before", "MB", b.SpawnerRSSMB, a.SpawnerRSSMB),
		same("slab that cannot be reclaimed, of before", "MB", b.SlabUnreclaimableMB, a.SlabUnreclaimableMB),
		more(slab, len(s.SlabGrowth)),
		more("descriptors more", a.Descriptors-b.Descriptors),
		more("cgroups more", a.Cgroups-b.Cgroups),
		more("namespaces more", a.Namespaces-b.Namespaces),
	}
}

func (l Latency) find(way string) *Timing {
	for i := range l.Ways {
		if l.Ways[i].Way == way {
			return &l.Ways[i]
		}
	}
	return nil
}

// shown is the name of a column: a cold start is ours too.
func shown(way string) string {
	if way == wayCold {
		return wayOurs
	}
	return way
}

func clients(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}
