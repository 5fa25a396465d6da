package chart

import (
	"math"
	"strconv"
)

// axis is a range of numbers and its ticks.
type axis struct {
	title       string
	least, most float64
	ticks       []float64
	percent     bool
}

// newAxis returns an axis that shows all of a range, with some ticks at round numbers.
func newAxis(title string, least, most float64) *axis {
	if !(most > least) {
		most = least + 1
	}
	const ticks = 6
	step := math.Pow(10, math.Floor(math.Log10((most-least)/ticks)))
	for _, factor := range []float64{2, 2.5, 2} { // 2, 5, 10
		if (most-least)/step > ticks {
			step *= factor
		}
	}
	a := &axis{title: title, least: least, most: most}
	for i := math.Ceil(least/step - 1e-9); i*step <= most*(1+1e-9); i++ {
		a.ticks = append(a.ticks, i*step+0) // + 0: without it, 0 may be −0
	}
	return a
}

// label returns a tick as text.
func (a *axis) label(tick float64) string {
	if a.percent {
		return strconv.FormatFloat(math.Round(tick*1e6)/1e4, 'f', -1, 64) + " %"
	}
	return number(tick)
}

// number returns a number with at most 4 digits, if it has no more before the point.
func number(v float64) string {
	if v != 0 && (math.Abs(v) >= 1e7 || math.Abs(v) < 1e-4) {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := max(0, 3-int(math.Floor(math.Log10(max(math.Abs(v), 1e-4)))))
	s, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', digits, 64), 64)
	return strconv.FormatFloat(s, 'f', -1, 64)
}

// panel is a part of a figure with two axes.
type panel struct {
	*Figure
	left, top, right, bottom float64
	x, y                     *axis
}

// place returns the place of two numbers.
func (p *panel) place(x, y float64) point {
	return point{
		p.left + (x-p.x.least)/(p.x.most-p.x.least)*(p.right-p.left),
		p.bottom - (y-p.y.least)/(p.y.most-p.y.least)*(p.bottom-p.top),
	}
}

// frame draws the axes.
func (p *panel) frame() {
	labels := []string{}
	for _, tick := range p.y.ticks {
		at := p.place(p.x.least, tick)
		p.add(line{[]point{{p.left, at.y}, {p.right, at.y}}, 1, grid, false})
		labels = append(labels, p.y.label(tick))
		p.add(text{point{p.left - 8, at.y + 4}, p.y.label(tick), small, end, faint, false})
	}
	for _, tick := range p.x.ticks {
		at := p.place(tick, p.y.least)
		p.add(line{[]point{{at.x, p.bottom}, {at.x, p.bottom + 4}}, 1, faint, false},
			text{point{at.x, p.bottom + 18}, p.x.label(tick), small, middle, faint, false})
	}
	p.add(line{[]point{{p.left, p.bottom}, {p.right, p.bottom}}, 1, faint, false},
		text{point{(p.left + p.right) / 2, p.bottom + 38}, p.x.title, normal, middle, ink, false},
		text{point{p.left - widest(small, labels...) - 20, (p.top + p.bottom) / 2}, p.y.title, normal, middle, ink, true})
}

// title draws the title of a figure.
func (f *Figure) title(title, below string) {
	f.add(text{point{20, 32}, title, large, start, ink, false}, text{point{20, 52}, below, normal, start, faint, false})
}
