package benchmark

import (
	"context"
	"strings"
)

// hellos are the smallest programs.
var hellos = map[string]string{
	"python":     "print('hello')",
	"javascript": "console.log('hello')",
}

func hello(l Language) *program {
	return &program{figure: Hello, name: "hello", language: l, code: hellos[l.Name], want: "hello\n"}
}

// hello measures the latency of the smallest program, and of one that imports
// what the standard level allows.
func (b *bench) hello(ctx context.Context) error {
	ours, cold := through(wayOurs, "", b.daemon.Executor), through(wayCold, "cold", b.daemon.Executor)
	var lanes []*lane
	add := func(p *program, ways ...way) {
		for _, w := range ways {
			lanes = append(lanes, &lane{program: p, way: w})
		}
	}
	for _, l := range b.Languages {
		var ways []way
		if b.wants(Hello) {
			ways = append(append(ways, ours), b.peers...)
		}
		if b.wants(Cold) {
			ways = append(ways, cold)
		}
		if len(ways) > 0 {
			add(hello(l), append([]way{bare()}, ways...)...)
		}
		if b.wants(Imports) && len(l.Imports) > 0 {
			p := hello(l)
			p.figure, p.name, p.level = Imports, "hello with the imports of the standard level", "standard"
			p.code = "import " + strings.Join(l.Imports, ", ") + "\n" + p.code
			add(p, bare(), ours)
		}
	}
	const warmup = 20 // until the caller has its templates
	if err := interleave(ctx, lanes, warmup, b.Rounds, b.saying("latency")); err != nil {
		return err
	}
	b.report.Latencies = append(b.report.Latencies, latencies(lanes)...)
	return nil
}

// saying puts the name of a figure before what is said.
func (b *bench) saying(figure string) func(string, ...any) {
	return func(format string, args ...any) { b.Say(figure+": "+format, args...) }
}
