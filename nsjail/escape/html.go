package escape

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed report.html
var page string

var reportPage = template.Must(template.New("report").Funcs(template.FuncMap{
	"class": func(v Verdict) string {
		switch {
		case v.Good():
			return "good"
		case v == Broken:
			return "broken"
		}
		return "bad"
	},
	"mark": func(v Verdict) string {
		if v.Good() {
			return "✓"
		}
		return "✗"
	},
	"language": Row.language,
}).Parse(page))

// HTML writes the report as one self-contained page.
func (r *Report) HTML(w io.Writer) error { return reportPage.Execute(w, r) }
