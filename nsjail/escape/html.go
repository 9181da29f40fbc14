package escape

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed report.html
var page string

//go:embed ablation.html
var ablationPage string

//go:embed report.css
var style string

var functions = template.FuncMap{
	"class": Verdict.class, "mark": Verdict.mark, "join": func(list []string) string { return strings.Join(list, ", ") },
	"runs":  Row.language,
	"style": func() template.CSS { return template.CSS(style) },
}

var (
	reportPage   = template.Must(template.New("report").Funcs(functions).Parse(page))
	ablationHTML = template.Must(template.New("ablation").Funcs(functions).Parse(ablationPage))
)

// HTML writes the report as one self-contained page.
func (r *Report) HTML(w io.Writer) error { return reportPage.Execute(w, r.matrix()) }

// class and mark tell verdicts apart for who sees colours and for who does not.
func (v Verdict) class() string {
	switch {
	case v == NotAsked:
		return "unasked"
	case v == Broken:
		return "broken"
	case v.Good():
		return "good"
	}
	return "bad"
}

func (v Verdict) mark() string {
	switch v {
	case NotAsked:
		return "○"
	case Broken:
		return "?"
	case Held, Killed, NotReached, Works:
		return "✓"
	case Escaped, Passed, Refused:
	}
	return "✗"
}
