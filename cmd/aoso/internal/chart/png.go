package chart

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// pngScale is the pixels of a PNG image for each pixel of a figure.
const pngScale = 2

const dashLength = 5.0

// painter paints marks on an image.
type painter struct {
	image *image.RGBA
}

// WritePNG writes the figure as PNG, at twice its size in pixels.
func (f *Figure) WritePNG(out io.Writer) error {
	p := &painter{image.NewRGBA(image.Rect(0, 0, int(math.Ceil(f.Width*pngScale)), int(math.Ceil(f.Height*pngScale))))}
	draw.Draw(p.image, p.image.Bounds(), image.White, image.Point{}, draw.Src)
	for _, m := range f.marks {
		m.png(p)
	}
	return png.Encode(out, p.image)
}

// colour is a colour given as #rrggbb.
func colour(s string) color.RGBA {
	v, _ := strconv.ParseUint(s[1:], 16, 32) // of our own constants
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

// fill fills polygons that all run in the same direction.
func (p *painter) fill(fill string, polygons ...[]point) {
	least, most := point{math.Inf(1), math.Inf(1)}, point{}
	for _, polygon := range polygons {
		for _, q := range polygon {
			least = point{min(least.x, q.x), min(least.y, q.y)}
			most = point{max(most.x, q.x), max(most.y, q.y)}
		}
	}
	box := image.Rect(int(least.x*pngScale), int(least.y*pngScale), int(most.x*pngScale)+1, int(most.y*pngScale)+1).Intersect(p.image.Rect)
	if box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for _, polygon := range polygons {
		for i, q := range polygon {
			if x, y := float32(q.x*pngScale)-float32(box.Min.X), float32(q.y*pngScale)-float32(box.Min.Y); i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	r.Draw(p.image, box, image.NewUniform(colour(fill)), image.Point{})
}

func (r rect) png(p *painter) {
	if r.x*pngScale == math.Trunc(r.x*pngScale) && r.y*pngScale == math.Trunc(r.y*pngScale) {
		box := image.Rect(int(r.x*pngScale), int(r.y*pngScale), int(math.Round((r.x+r.width)*pngScale)), int(math.Round((r.y+r.height)*pngScale)))
		draw.Draw(p.image, box, image.NewUniform(colour(r.fill)), image.Point{}, draw.Src)
		return
	}
	p.fill(r.fill, []point{{r.x, r.y}, {r.x + r.width, r.y}, {r.x + r.width, r.y + r.height}, {r.x, r.y + r.height}})
}

// circle is a polygon that is a circle to the eye.
func circle(c point, radius float64) (polygon []point) {
	const sides = 32
	for i := range sides {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / sides)
		polygon = append(polygon, point{c.x + radius*cos, c.y + radius*sin})
	}
	return polygon
}

func (d disc) png(p *painter) { p.fill(d.fill, circle(d.center, d.radius)) }

func (l line) png(p *painter) {
	points := [][]point{l.points}
	if l.dashed {
		points = dashes(l.points)
	}
	var polygons [][]point
	for _, run := range points {
		for i, b := range run {
			if len(run) > 2 {
				polygons = append(polygons, circle(b, l.width/2)) // joins
			}
			if i == 0 {
				continue
			}
			a := run[i-1]
			length := math.Hypot(b.x-a.x, b.y-a.y)
			if length == 0 {
				continue
			}
			dx, dy := (b.y-a.y)/length*l.width/2, (a.x-b.x)/length*l.width/2
			polygons = append(polygons, []point{{a.x + dx, a.y + dy}, {b.x + dx, b.y + dy}, {b.x - dx, b.y - dy}, {a.x - dx, a.y - dy}})
		}
	}
	p.fill(l.stroke, polygons...)
}

// dashes cuts a line into dashes.
func dashes(points []point) (cut [][]point) {
	left, on := dashLength, true
	run := []point{points[0]}
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		for {
			length := math.Hypot(b.x-a.x, b.y-a.y)
			if length <= left {
				left -= length
				run = append(run, b)
				break
			}
			a = point{a.x + (b.x-a.x)*left/length, a.y + (b.y-a.y)*left/length}
			if run = append(run, a); on {
				cut = append(cut, run)
			}
			run, left, on = []point{a}, dashLength, !on
		}
	}
	if on {
		cut = append(cut, run)
	}
	return cut
}

func (t text) png(p *painter) {
	f := face(t.size * pngScale)
	s := printable(t.text)
	width := font.MeasureString(f, s)
	along := fixed.Int26_6(t.anchor * float64(width))
	d := font.Drawer{Dst: p.image, Src: image.NewUniform(colour(t.fill)), Face: f}
	x, y := fixed.Int26_6(t.at.x*pngScale*64), fixed.Int26_6(t.at.y*pngScale*64)
	if !t.upwards {
		d.Dot = fixed.Point26_6{X: x - along, Y: y}
		d.DrawString(s)
		return
	}
	// It is drawn on an image of its own, which is then turned.
	ascent := f.Metrics().Ascent.Ceil()
	flat := image.NewRGBA(image.Rect(0, 0, width.Ceil()+1, ascent+f.Metrics().Descent.Ceil()))
	d.Dst, d.Dot = flat, fixed.P(0, ascent)
	d.DrawString(s)
	turned := image.NewRGBA(image.Rect(0, 0, flat.Rect.Dy(), flat.Rect.Dx()))
	for i := range flat.Rect.Dy() {
		for j := range flat.Rect.Dx() {
			turned.SetRGBA(i, flat.Rect.Dx()-1-j, flat.RGBAAt(j, i))
		}
	}
	at := image.Pt(x.Round()-ascent, y.Round()+along.Round()-flat.Rect.Dx())
	draw.Draw(p.image, turned.Rect.Add(at), turned, image.Point{}, draw.Over)
}
