package benchmark

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// element is one of an SVG document, with the text that is directly in it.
type element struct {
	name, text string
	attr       map[string]string
}

func (e element) number(t *testing.T, attr string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.attr[attr], 64)
	require.NoError(t, err, "%s of %+v", attr, e)
	return v
}

// drawn parses the chart, which must be well-formed, and gives its elements in
// order.
func drawn(t *testing.T, r *Report) []element {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.Chart(&b))
	var all []element
	var open []int
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(token)
			}
		}
	}
}

func TestBarsAreAsLongAsTheirValues(t *testing.T) {
	r := sample(t)
	all := drawn(t, r)
	for _, p := range r.panels() {
		bars := map[string]float64{} // by what the bar says of itself
		for i, e := range all {
			if e.name == "rect" && (e.attr["class"] == "bar" || e.attr["class"] == "peer") && i+1 < len(all) && all[i+1].name == "title" {
				bars[all[i+1].text] = e.number(t, "width")
				assert.InDelta(t, plotLeft, e.number(t, "x"), 0.01, "a bar begins at zero")
			}
		}
		scale := bars[sentence(p.rows[0])] / p.rows[0].Ratio()
		assert.Positive(t, scale)
		longest := 0.0
		for _, row := range p.rows {
			length, ok := bars[sentence(row)]
			require.True(t, ok, sentence(row))
			assert.InDelta(t, row.Ratio()*scale, length, 0.25, sentence(row))
			longest = max(longest, length)
		}
		assert.LessOrEqual(t, longest, float64(plotWidth))
		found := false
		for _, e := range all {
			found = found || e.attr["class"] == "one" && e.number(t, "x1") > plotLeft+scale-0.5 && e.number(t, "x1") < plotLeft+scale+0.5
		}
		assert.True(t, found, "the line of bare stands where a bar of 1 ends")
	}
}

func TestTheChartStandsAlone(t *testing.T) {
	r := sample(t)
	all := drawn(t, r)
	require.Equal(t, "svg", all[0].name)
	assert.Equal(t, "img", all[0].attr["role"])
	count := map[string]int{}
	for _, e := range all {
		count[e.name]++
		count["."+e.attr["class"]]++
		for name, v := range e.attr {
			assert.NotEqual(t, "href", name, "nothing is loaded")
			assert.NotContains(t, v, "url(")
		}
		if e.attr["id"] == "desc" {
			for _, p := range r.panels() {
				for _, row := range p.rows {
					assert.Contains(t, e.text, sentence(row), "the description says what the bars show")
				}
			}
		}
		if e.name == "style" {
			assert.Contains(t, e.text, "prefers-color-scheme: dark")
			assert.NotContains(t, e.text, "@import")
			assert.NotContains(t, e.text, "@font-face")
		}
		if e.name == "text" {
			y := e.number(t, "y")
			assert.True(t, y > 0 && y < all[0].number(t, "height"), "%s is outside", e.text)
		}
	}
	withTarget := 0
	groups := map[string]bool{}
	for _, p := range r.panels() {
		for _, row := range p.rows {
			groups[row.Group] = true
			if row.Target != nil {
				withTarget++
			}
		}
	}
	assert.Equal(t, withTarget+1, count[".target"], "one mark for each target, and the legend's")
	assert.Equal(t, len(groups), count[".group"])
	assert.Equal(t, 2, count[".one"], "one line of bare in each panel")
}

func TestNamesAreEscaped(t *testing.T) {
	r := sample(t)
	r.Version = `<script>"&`
	found := false
	for _, e := range drawn(t, r) {
		assert.NotEqual(t, "script", e.name)
		found = found || strings.Contains(e.text, r.Version)
	}
	assert.True(t, found)
}

func TestAChartOfNothingIsRefused(t *testing.T) {
	assert.ErrorContains(t, (&Report{}).Chart(io.Discard), "no figure of the report is a ratio to bare")
}

func TestTicksAreFewAndRound(t *testing.T) {
	for _, row := range []struct{ longest, step float64 }{{1.1, 0.2}, {1.7, 0.5}, {4.2, 1}, {9, 2}, {17, 5}, {60, 10}, {900, 200}} {
		assert.InDelta(t, row.step, tickStep(row.longest), 1e-9, "up to %g", row.longest)
	}
}
