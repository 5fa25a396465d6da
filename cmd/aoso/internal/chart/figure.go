// Package chart draws charts as SVG.
package chart

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"strings"
	"unicode"
)

// Colours. Those for data are of the palette of M. Okabe and K. Ito, which
// people with any colour vision can tell apart.
const (
	white  = "#ffffff"
	ink    = "#1f2937"
	faint  = "#6b7280"
	grid   = "#e5e7eb"
	blue   = "#0072b2"
	orange = "#d55e00"
)

// The sizes of text, in pixels.
const (
	small  = 11.0
	normal = 13.0
	large  = 17.0
)

// dashLength is the length of the dashes of a line, and of the gaps between them.
const dashLength = 5.0

// Figure is a drawing. Its units are pixels, from the top left corner.
type Figure struct {
	Width, Height float64
	marks         []mark
}

// mark is one of the kinds of marks below.
type mark interface {
	svg(w io.Writer)
}

type point struct{ x, y float64 }

// rect is a filled rectangle.
type rect struct {
	x, y, width, height float64
	fill                string
}

// line is a line through points.
type line struct {
	points []point
	width  float64
	stroke string
	dashed bool
}

// disc is a filled circle.
type disc struct {
	center point
	radius float64
	fill   string
}

// The anchors of a text: the end that its point is.
const (
	start  = 0.0
	middle = 0.5
	end    = 1.0
)

// text is a line of text beside a point, which is on its base line.
type text struct {
	at      point
	text    string
	size    float64
	anchor  float64
	fill    string
	upwards bool // it reads from below
}

func (f *Figure) add(marks ...mark) { f.marks = append(f.marks, marks...) }

// WriteSVG writes the figure as SVG.
func (f *Figure) WriteSVG(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" font-family="Helvetica, Arial, sans-serif">`+"\n", n(f.Width), n(f.Height))
	rect{0, 0, f.Width, f.Height, white}.svg(w)
	for _, m := range f.marks {
		m.svg(w)
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// n returns a number in SVG.
func n(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

func (r rect) svg(w io.Writer) {
	fmt.Fprintf(w, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n", n(r.x), n(r.y), n(r.width), n(r.height), r.fill)
}

func (l line) svg(w io.Writer) {
	dash := ""
	if l.dashed {
		dash = fmt.Sprintf(` stroke-dasharray="%s %[1]s"`, n(dashLength))
	}
	fmt.Fprintf(w, `<polyline fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"%s points="`, l.stroke, n(l.width), dash)
	for i, p := range l.points {
		if i > 0 {
			fmt.Fprint(w, " ")
		}
		fmt.Fprintf(w, "%s,%s", n(p.x), n(p.y))
	}
	fmt.Fprint(w, `"/>`+"\n")
}

func (d disc) svg(w io.Writer) {
	fmt.Fprintf(w, `<circle cx="%s" cy="%s" r="%s" fill="%s"/>`+"\n", n(d.center.x), n(d.center.y), n(d.radius), d.fill)
}

func (t text) svg(w io.Writer) {
	anchor := map[float64]string{start: "start", middle: "middle", end: "end"}[t.anchor]
	turn := ""
	if t.upwards {
		turn = fmt.Sprintf(` transform="rotate(-90 %s %s)"`, n(t.at.x), n(t.at.y))
	}
	fmt.Fprintf(w, `<text x="%s" y="%s" font-size="%s" text-anchor="%s" fill="%s"%s>%s</text>`+"\n",
		n(t.at.x), n(t.at.y), n(t.size), anchor, t.fill, turn, html.EscapeString(printable(t.text)))
}

// printable returns a text without control characters, which SVG does not allow.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// widest returns the approximate width of the widest of some strings in Helvetica, whose
// letters are about as wide as those of the fonts that replace it.
func widest(size float64, texts ...string) float64 {
	most := 0.0
	for _, t := range texts {
		width := 0.0
		for _, r := range t {
			width += runeWidth(r)
		}
		most = max(most, width)
	}
	return math.Ceil(size * most)
}

// runeWidth returns the approximate width of a letter as a share of the font size.
func runeWidth(r rune) float64 {
	switch {
	case strings.ContainsRune("fijlrt.,:;!|'()[] /", r):
		return 0.33
	case strings.ContainsRune("mwMW%@", r):
		return 0.9
	case unicode.IsUpper(r):
		return 0.72
	case r >= 0x1100: // Asian scripts and symbols fill a square
		return 1
	}
	return 0.56
}

// shortened returns a text that is at most this wide, with … at its end if it is cut.
func shortened(s string, size, width float64) string {
	for runes := []rune(s); len(runes) > 1 && widest(size, s) > width; {
		runes = runes[:len(runes)-1]
		s = string(runes) + "…"
	}
	return s
}
