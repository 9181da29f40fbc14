package benchmark

import (
	"context"
	"embed"
	"fmt"
)

// programs are sized to take about two seconds bare. They print a number that
// depends on all that they did.
//
//go:embed programs
var programs embed.FS

var cpuPrograms = []string{"nbody", "regex", "json", "sort"}

// cpu measures programs that compute: what the jail costs while one runs.
func (b *bench) cpu(ctx context.Context) error {
	endings := map[string]string{"python": "py", "javascript": "js"}
	var lanes []*lane
	for _, l := range b.Languages {
		for _, name := range cpuPrograms {
			text, err := programs.ReadFile(fmt.Sprintf("programs/%s.%s", name, endings[l.Name]))
			if err != nil {
				return err
			}
			p := &program{figure: CPU, name: name, language: l, code: string(text)}
			lanes = append(lanes, &lane{program: p, way: bare()}, &lane{program: p, way: through(wayOurs, "", b.daemon.Executor)})
		}
	}
	const fewer = 20 // they take minutes, and hundreds of times as long as what varies
	if err := interleave(ctx, lanes, 0, max(3, b.Rounds/fewer), b.saying("cpu")); err != nil {
		return err
	}
	b.report.Latencies = append(b.report.Latencies, latencies(lanes)...)
	return nil
}
