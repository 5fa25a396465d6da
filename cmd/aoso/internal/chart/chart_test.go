package chart

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/png"
	"io"
	"math"
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

// TestPNG: what is drawn has the colours that it should have.
func TestPNG(t *testing.T) {
	for name, f := range figures() {
		var b bytes.Buffer
		if err := f.WritePNG(&b); err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(&b)
		if err != nil || picture.Bounds().Dx() != int(math.Ceil(2*f.Width)) {
			t.Fatalf("%s: %v", name, err)
		}
		dark := 0
		for y := 0; y < picture.Bounds().Dy(); y += 3 {
			for x := 0; x < picture.Bounds().Dx(); x += 3 {
				if r, _, _, _ := picture.At(x, y).RGBA(); r < 0x8000 {
					dark++
				}
			}
		}
		if dark < 20 {
			t.Errorf("%s: only %d of the pixels looked at are dark", name, dark)
		}
	}
	f := &Figure{Width: 20, Height: 20}
	f.add(rect{0, 0, 10, 10, blue}, disc{point{15, 15}, 3, orange}, line{[]point{{0, 12.5}, {10, 12.5}}, 1, ink, false})
	p := &painter{image.NewRGBA(image.Rect(0, 0, 40, 40))}
	for _, m := range f.marks {
		m.png(p)
	}
	for at, want := range map[image.Point]string{{10, 10}: blue, {30, 30}: orange, {10, 25}: ink} {
		if got := p.image.RGBAAt(at.X, at.Y); got != colour(want) {
			t.Errorf("at %v: %v, want %s", at, got, want)
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
