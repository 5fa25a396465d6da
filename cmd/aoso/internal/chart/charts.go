package chart

import (
	"fmt"
	"math"
	"strconv"
)

// Series is a line of a chart.
type Series struct {
	Name   string
	X, Y   []float64
	Second bool // it is drawn in the second colour
	Dashed bool
}

// Lines is one of the panels of a chart of lines.
type Lines struct {
	Title   string // of the vertical axis
	Percent bool
	Series  []Series
}

// Curves draws panels of lines below one another, all over the same horizontal axis.
func Curves(title, below, horizontal string, panels []Lines) *Figure {
	const width, height, first, margin = 760.0, 270.0, 74.0, 74.0
	f := &Figure{Width: width, Height: first + float64(len(panels))*(height+margin)}
	f.title(title, below)
	for i, lines := range panels {
		var most, last float64
		for _, s := range lines.Series {
			for j := range s.X {
				most, last = max(most, s.Y[j]), max(last, s.X[j])
			}
		}
		top := first + float64(i)*(height+margin) + 20
		p := &panel{f, 86, top, width - 28, top + height, newAxis(horizontal, 0, last), newAxis(lines.Title, 0, most*1.03)}
		p.y.percent = lines.Percent
		p.frame()
		x := p.left
		for _, s := range lines.Series {
			stroke := blue
			if s.Second {
				stroke = orange
			}
			l := line{width: 2, stroke: stroke, dashed: s.Dashed}
			for j := range s.X {
				l.points = append(l.points, p.place(s.X[j], s.Y[j]))
			}
			if len(l.points) > 1 {
				f.add(l)
			} else if len(l.points) == 1 {
				f.add(disc{l.points[0], 3, stroke})
			}
			f.add(line{[]point{{x, top - 12}, {x + 22, top - 12}}, 2, stroke, s.Dashed}, text{point{x + 28, top - 8}, s.Name, normal, start, ink, false})
			x += 28 + widest(normal, s.Name) + 24
		}
	}
	return f
}

// Bars draws horizontal bars with names and values.
func Bars(title, below string, names []string, values []float64) *Figure {
	const height, most = 24.0, 240.0
	shown := make([]string, len(names))
	numbers := make([]string, len(names))
	greatest := 0.0
	for i, name := range names {
		shown[i], numbers[i] = shortened(name, normal, most), number(values[i])
		greatest = max(greatest, values[i])
	}
	left, room := 28+widest(normal, shown...), 420.0
	f := &Figure{Width: max(520, left+room+widest(small, numbers...)+36), Height: 74 + height*float64(len(names)) + 16}
	f.title(title, below)
	for i := range names {
		y, width := 74+height*float64(i), 0.0
		if greatest > 0 {
			width = values[i] / greatest * room
		}
		f.add(text{point{left - 8, y + 16}, shown[i], normal, end, ink, false},
			rect{left, y + 4, max(width, 1), height - 8, blue},
			text{point{left + max(width, 1) + 8, y + 16}, numbers[i], small, start, faint, false})
	}
	return f
}

// Matrix draws a confusion matrix: counts[i][j] rows of class i that were taken for
// class j. The colour is the share of the rows of a class.
func Matrix(title, below string, classes []string, counts [][]int) *Figure {
	k := len(classes)
	cell := math.Floor(min(64, max(4, 720/float64(k))))
	size := min(normal, math.Floor(cell*0.42))
	step := max(1, int(math.Ceil(12/cell))) // where each name has no place of its own
	nameSize := min(normal, max(9, math.Floor(cell*0.55)))
	names := make([]string, k)
	for i, c := range classes {
		names[i] = shortened(c, nameSize, 140)
	}
	upright := widest(nameSize, names...) > cell*float64(step)-2
	left, top := 52+widest(nameSize, names...), 112.0
	if upright {
		top = 106 + widest(nameSize, names...)
	}
	side := cell * float64(k)
	f := &Figure{Width: max(420, left+side+28), Height: top + side + 28}
	f.title(title, below)
	f.add(text{point{left + side/2, 82}, "predicted class", normal, middle, ink, false},
		text{point{32, top + side/2}, "true class", normal, middle, ink, true})
	for i := 0; i < k; i += step {
		at := (float64(i) + 0.5) * cell
		f.add(text{point{left - 6, top + at + nameSize*0.36}, names[i], nameSize, end, faint, false})
		if upright {
			f.add(text{point{left + at + nameSize*0.36, top - 6}, names[i], nameSize, start, faint, true})
		} else {
			f.add(text{point{left + at, top - 7}, names[i], nameSize, middle, faint, false})
		}
	}
	for i, row := range counts {
		all := 0
		for _, n := range row {
			all += n
		}
		for j, n := range row {
			share := 0.0
			if all > 0 {
				share = float64(n) / float64(all)
			}
			x, y := left+float64(j)*cell, top+float64(i)*cell
			f.add(rect{x, y, cell - min(1, cell/8), cell - min(1, cell/8), shade(share, i == j)})
			if s := fmt.Sprint(n); n > 0 && size >= 7 {
				fill, fits := ink, min(size, size*(cell-4)/widest(size, s))
				if share > 0.5 && i != j || share > 0.65 { // the cell is dark
					fill = white
				}
				f.add(text{point{x + cell/2, y + cell/2 + fits*0.36}, s, fits, middle, fill, false})
			}
		}
	}
	return f
}

// shade returns the colour of a share: blue on the diagonal, orange elsewhere. Small
// shares are made visible by the square root.
func shade(share float64, diagonal bool) string {
	full, empty := channels(orange), channels("#f3f4f6")
	if diagonal {
		full = channels(blue)
	} else {
		share = math.Sqrt(share)
	}
	var mixed [3]int
	for i := range mixed {
		mixed[i] = int(math.Round(empty[i] + share*(full[i]-empty[i])))
	}
	return fmt.Sprintf("#%02x%02x%02x", mixed[0], mixed[1], mixed[2])
}

// channels returns the red, green and blue of a colour written as #rrggbb, 0 to 255.
func channels(colour string) [3]float64 {
	v, _ := strconv.ParseUint(colour[1:], 16, 32) // one of our own constants
	return [3]float64{float64(v >> 16), float64(v >> 8 & 255), float64(v & 255)}
}

// Reliability draws a reliability diagram: the accuracy of rows by the confidence of
// their predictions.
func Reliability(title, below string, confidence, accuracy []float64) *Figure {
	f := &Figure{Width: 520, Height: 560}
	f.title(title, below)
	least := 1.0
	for i := range confidence {
		least = min(least, confidence[i], accuracy[i])
	}
	least = max(0, math.Floor(least*10-1e-9)/10)
	p := &panel{f, 86, 80, 492, 496, newAxis("mean probability of the predicted class", least, 1), newAxis("share of rows with this class", least, 1)}
	p.x.percent, p.y.percent = true, true
	p.frame()
	f.add(line{[]point{p.place(least, least), p.place(1, 1)}, 1.5, faint, true})
	l := line{width: 2, stroke: blue}
	for i := range confidence {
		l.points = append(l.points, p.place(confidence[i], accuracy[i]))
	}
	if len(l.points) > 1 {
		f.add(l)
	}
	for _, at := range l.points {
		f.add(disc{at, 4, blue})
	}
	return f
}
