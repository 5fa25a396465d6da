package chart

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func figures() map[string]*Figure {
	x, y := []float64{1, 2, 3}, []float64{2, 1, 0.5}
	return map[string]*Figure{
		"curves":      Curves("Curves", "a <b> & c", "trees", []Lines{{"log loss", false, []Series{{"one", x, y, false, false}, {"two", x, y, true, true}}}}),
		"a point":     Curves("Point", "", "trees", []Lines{{"error rate", true, []Series{{"one", x[:1], y[:1], false, false}}}}),
		"bars":        Bars("Bars", "", []string{"first", "second \x1b", "third"}, []float64{3, 1, 0}),
		"no bars":     Bars("Bars", "", nil, nil),
		"matrix":      Matrix("Matrix", "", []string{"u", "a class of a very, very long name"}, [][]int{{5, 1}, {0, 0}}),
		"reliability": Reliability("Reliability", "", []float64{0.3, 0.9}, []float64{0.35, 1}),
	}
}

// TestSVG: each figure is well-formed, all of its texts are there, and all marks are
// within it.
func TestSVG(t *testing.T) {
	for name, f := range figures() {
		var b bytes.Buffer
		if err := f.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		svg := b.String()
		for d := xml.NewDecoder(&b); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v in %s", name, err, svg)
			}
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Contains(svg, ">-0<") {
			t.Errorf("%s: %s", name, svg)
		}
		for _, m := range f.marks {
			if text, ok := m.(text); ok && !text.upwards {
				left := text.at.x - text.anchor*widest(text.size, text.text)
				if left < 0 || left+widest(text.size, text.text) > f.Width+1 || text.at.y > f.Height {
					t.Errorf("%s: %q is beyond the figure", name, text.text)
				}
			}
		}
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		labels      string
	}{
		{0, 1, "0 0.2 0.4 0.6 0.8 1"}, {0, 300, "0 50 100 150 200 250 300"}, {0, 2.4, "0 0.5 1 1.5 2"}, {0, 0.0123, "0 0.005 0.01"},
		{0.3, 1, "0.4 0.6 0.8 1"}, {0, 0, "0 0.2 0.4 0.6 0.8 1"}, {0, 1000, "0 200 400 600 800 1000"},
	} {
		a := newAxis("", c.least, c.most)
		var labels []string
		for _, tick := range a.ticks {
			labels = append(labels, a.label(tick))
		}
		if got := strings.Join(labels, " "); got != c.labels {
			t.Errorf("%v to %v: %s, want %s", c.least, c.most, got, c.labels)
		}
	}
}
