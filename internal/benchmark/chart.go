package benchmark

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Sizes in the chart, in pixels of an unscaled drawing.
const (
	chartWidth = 880
	plotLeft   = 190 // right of the labels
	plotWidth  = 420
	ratioRight = plotLeft + plotWidth + 50 // the words have a column, where no line crosses them
	rowHeight  = 22
	barHeight  = 12
	headHeight = 30 // of a group
	panelHead  = 58
)

// panel is the bars that share a scale.
type panel struct {
	title string
	rows  []Row // sorted by group
}

// panels sorts the rows that have a bar, those of the peers beside ours.
func (r *Report) panels() []panel {
	all := r.Rows()
	for _, p := range r.Peers {
		all = append(all, r.PeerRows(p.Name)...)
	}
	less := panel{title: "Time of a run, in units of the bare interpreter: less is better"}
	more := panel{title: "Runs per second, in units of the bare interpreter: more is better"}
	for _, row := range all {
		switch {
		case row.Group == "" || row.Bare == 0:
		case row.More:
			more.rows = append(more.rows, row)
		default:
			less.rows = append(less.rows, row)
		}
	}
	var found []panel
	for _, p := range []panel{less, more} {
		order := map[string]int{}
		for _, row := range p.rows {
			for _, key := range keys(row) {
				if _, ok := order[key]; !ok {
					order[key] = len(order)
				}
			}
		}
		slices.SortStableFunc(p.rows, func(a, b Row) int {
			ka, kb := keys(a), keys(b)
			return cmp.Or(cmp.Compare(order[ka[0]], order[kb[0]]), cmp.Compare(order[ka[1]], order[kb[1]]))
		})
		if len(p.rows) > 0 {
			found = append(found, p)
		}
	}
	return found
}

// keys are what a row is sorted by: a peer stands below what it is compared with.
func keys(row Row) [2]string {
	what, _, _ := strings.Cut(row.Label, ",")
	return [2]string{row.Group, row.Group + "\x00" + what}
}

// Chart draws the ratios to bare as an SVG document. The bars are linear from
// zero, so that their lengths can be compared.
func (r *Report) Chart(w io.Writer) error {
	panels := r.panels()
	if len(panels) == 0 {
		return fmt.Errorf("no figure of the report is a ratio to bare: measure %s, %s or %s", Hello, Throughput, CPU)
	}
	d := &drawing{y: 44}
	d.text(24, 28, "title", "safe-exec against the bare interpreter")
	for _, p := range panels {
		d.panel(p)
	}
	d.legend()
	m := r.Machine
	d.text(24, d.y+4, "note", fmt.Sprintf("safe-exec %s, Linux %s, %d processors, cgroup %s, %s", r.Version, m.Kernel, m.Processors, m.Cgroup, m.Started))
	height := int(d.y) + 24
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-labelledby="title desc">
<title id="title">safe-exec against the bare interpreter</title>
<desc id="desc">%[3]s</desc>
<style>%[4]s</style>
<rect class="ground" width="%[1]d" height="%[2]d"/>
%[5]s</svg>
`, chartWidth, height, escape(describe(panels)), style, d.out.String())
	return err
}

const style = `
text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 13px; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 } .panel { font-size: 14px; font-weight: 600 } .group { font-weight: 600 }
.label { text-anchor: end } .tick { text-anchor: middle; font-size: 11px; fill: #59636e } .note, .detail, .head { font-size: 11px; fill: #59636e }
.ground { fill: #ffffff } .grid { stroke: #d1d9e0 } .one { stroke: #1f2328; stroke-dasharray: 4 3 }
.bar { fill: #0969da } .peer { fill: #8c959f } .target { fill: #bc4c00 } .missed { fill: #bc4c00; font-weight: 600 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .tick, .note, .detail, .head { fill: #9198a1 }
.ground { fill: #0d1117 } .grid { stroke: #30363d } .one { stroke: #e6edf3 }
.bar { fill: #4493f8 } .peer { fill: #6e7681 } .target, .missed { fill: #f0883e }
}
`

// drawing grows downwards.
type drawing struct {
	out strings.Builder
	y   float64
}

func (d *drawing) text(x, y float64, class, text string) {
	fmt.Fprintf(&d.out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, escape(text))
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1, x2, y2)
}

func (d *drawing) panel(p panel) {
	longest := 1.0
	groups := 0
	for i, row := range p.rows {
		longest = max(longest, row.Ratio())
		if row.Target != nil {
			longest = max(longest, row.Target.Bound)
		}
		if i == 0 || row.Group != p.rows[i-1].Group {
			groups++
		}
	}
	longest *= 1.04
	scale := plotWidth / longest
	d.text(24, d.y+24, "panel", p.title)
	top := d.y + panelHead
	bottom := top + float64(len(p.rows)*rowHeight+groups*headHeight)
	step := tickStep(longest)
	for i := 0; float64(i)*step <= longest; i++ {
		v := float64(i) * step
		d.line("grid", plotLeft+v*scale, top, plotLeft+v*scale, bottom)
		if math.Abs(v-1)*scale > 30 { // it has a label of its own
			d.text(plotLeft+v*scale, top-6, "tick", fmt.Sprintf("%g", v))
		}
	}
	d.line("one", plotLeft+scale, top, plotLeft+scale, bottom)
	d.text(plotLeft+scale, top-6, "tick", "bare = 1")
	d.text(ratioRight, top-6, "label head", "ratio")
	d.text(ratioRight+10, top-6, "head", "measured / bare")
	d.y = top
	for i, row := range p.rows {
		if i == 0 || row.Group != p.rows[i-1].Group {
			d.text(24, d.y+20, "group", row.Group)
			d.y += headHeight
		}
		d.bar(row, scale)
	}
	d.y = bottom + 10
}

// bar draws one row: its label, the bar, the target's mark, the value.
func (d *drawing) bar(row Row, scale float64) {
	middle := d.y + rowHeight/2
	class := "bar"
	if row.Way != wayOurs {
		class = "peer"
	}
	length := row.Ratio() * scale
	d.text(plotLeft-10, middle+4, "label", row.Label)
	fmt.Fprintf(&d.out, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.2f\" height=\"%d\"><title>%s</title></rect>\n",
		class, plotLeft, middle-barHeight/2, length, barHeight, escape(sentence(row)))
	if t := row.Target; t != nil {
		x := plotLeft + t.Bound*scale
		fmt.Fprintf(&d.out, "<path class=\"target\" d=\"M%.1f %.1f h3 v%d h-3 z\"><title>target: %s %s</title></path>\n",
			x-1.5, d.y+2, rowHeight-4, t.word(), plain(t.Bound))
	}
	d.text(ratioRight, middle+4, "label", ratioText(row.Ratio()))
	fmt.Fprintf(&d.out, "<text x=\"%d\" y=\"%.1f\" class=\"detail\">%s / %s%s</text>\n",
		ratioRight+10, middle+4, escape(number3(row.Ours)), escape(value(row.Bare, row.Unit)), verdict(row))
	d.y += rowHeight
}

func verdict(row Row) string {
	switch {
	case row.Target == nil:
		return ""
	case row.Met():
		return ", met"
	}
	return `, <tspan class="missed">missed</tspan>`
}

func (d *drawing) legend() {
	d.y += 12
	y := d.y
	fmt.Fprintf(&d.out, "<rect class=\"bar\" x=\"24\" y=\"%.1f\" width=\"18\" height=\"12\"/>\n", y-10)
	d.text(48, y, "note", "safe-exec")
	fmt.Fprintf(&d.out, "<rect class=\"peer\" x=\"124\" y=\"%.1f\" width=\"18\" height=\"12\"/>\n", y-10)
	d.text(148, y, "note", "another sandbox")
	fmt.Fprintf(&d.out, "<path class=\"target\" d=\"M260 %.1f h3 v16 h-3 z\"/>\n", y-12)
	d.text(270, y, "note", "target")
	d.y += 22
}

// sentence says what a bar shows, for who cannot see it.
func sentence(row Row) string {
	return fmt.Sprintf("%s, %s, %s: %.2f of bare", row.Group, row.Label, row.Way, row.Ratio())
}

func describe(panels []panel) string {
	var words []string
	for _, p := range panels {
		for _, row := range p.rows {
			words = append(words, sentence(row))
		}
	}
	return "Bars of ratios to the bare interpreter, which is 1. " + strings.Join(words, "; ") + "."
}

// tickStep gives at most eight steps of 1, 2 or 5 times a power of ten.
func tickStep(longest float64) float64 {
	for power := 0.1; ; power *= 10 {
		for _, times := range []float64{1, 2, 5} {
			if longest/(power*times) <= 8 {
				return power * times
			}
		}
	}
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace
