package loss

import (
	"math"
	"slices"
	"unsafe"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// entries is the probabilities of rows in a form that does not grow with the number of
// classes. The softmax does not see a step that all classes share, so a leaf moves its
// best classes by steps relative to those of all others. The trail has the odds of the
// classes that leaves have moved, against a class that none has.
//
// Trees are grown on less: a row has an entry for each of its likeliest classes beside its
// own, and all other classes share what is left.
type entries struct {
	trail[float32]
	likely  int // most entries of a row
	rows    []rowSums
	all     []entry // rows × likely
	memory  *mem.Block
	mean    int // entries of a row, rounded down
	choices []choice
}

// entry is the probability of a class.
type entry struct {
	class uint32
	p     float32
}

// rowSums is what a row has beside its entries.
type rowSums struct {
	rest    float64 // probability of each other class without an entry
	own     float64 // p_y
	other   float64 // 1 − p_y, as the sum of the others
	label   uint32
	entries uint32
}

// NewSparse is NewResiduals in the form for many classes, of which trees see so many
// likely ones of a row, beside its own.
func NewSparse(labels []int32, weights []float32, classes, stride, likely int) *Residuals {
	likely = min(likely, classes-1)
	e := &entries{trail: newTrail[float32](len(labels), classes), likely: likely, rows: make([]rowSums, len(labels))}
	e.room()
	k := float64(classes)
	for i, y := range labels {
		e.rows[i] = rowSums{rest: 1 / k, own: 1 / k, other: (k - 1) / k, label: uint32(y)}
	}
	r := &Residuals{
		entries: e, Stride: stride, Classes: classes, Labels: labels, Weights: weights,
		memory: mem.New(0), rows: len(labels), maxWeight: 1,
	}
	if len(weights) > 0 {
		r.maxWeight = slices.Max(weights)
	}
	r.SetUnits(float32((k - 1) / k))
	return r
}

// room makes room for the entries.
func (e *entries) room() {
	n := len(e.rows) * e.likely
	e.memory = mem.New(8 * n)
	if n > 0 {
		e.all = unsafe.Slice((*entry)(unsafe.Pointer(unsafe.SliceData(e.memory.Bytes()))), n)
	}
}

// Sparse tells whether the residuals have the form for many classes.
func (r *Residuals) Sparse() bool { return r.entries != nil }

// Width is how many numbers a row has, or about as many: a measure of the work with it.
func (r *Residuals) Width() int {
	if r.Sparse() {
		return r.entries.mean + 1
	}
	return r.Stride
}

// MostWidth is what Width is at most. Unlike that, it is the same on all machines.
func (r *Residuals) MostWidth() int {
	if r.Sparse() {
		return r.entries.likely + 1
	}
	return r.Stride
}

// of is the entries of a row.
func (e *entries) of(row int) []entry { return e.all[row*e.likely:][:e.rows[row].entries] }

// copy is entries of the same rows that share nothing with e.
func (e *entries) copy() *entries {
	c := &entries{trail: e.trail.copy(), likely: e.likely, rows: slices.Clone(e.rows), mean: e.mean}
	c.room()
	copy(c.all, e.all)
	return c
}

func (e *entries) free() {
	e.trail.free()
	e.memory.Free()
	e.rows, e.all = nil, nil
}

// Move multiplies the odds of rows by the steps of the leaves of a tree. It returns
// Σ (1 − p_y) over all rows and the greatest of these.
func (r *Residuals) Move(steps []Step, reached []Reached, team *par.Team) (sum float64, most float32) {
	e := r.entries
	e.add(steps, reached, team)
	e.choices = slices.Grow(e.choices, team.Workers())[:team.Workers()]
	e.walk(reached, team, func(worker, row int, w *walker[float32]) { e.set(row, w, &e.choices[worker]) })
	n := 0
	for i := range e.rows {
		s := &e.rows[i]
		sum += s.other
		most = max(most, float32(s.other))
		n += int(s.entries)
	}
	e.mean = n / max(len(e.rows), 1)
	return sum, most
}

// choice is room to choose the entries of a row.
type choice struct {
	classes []uint32
	odds    []float32
	counts  [buckets]uint32
}

// Odds are told apart by buckets, eight for each power of two.
const (
	bucketShift = 23 - 3
	buckets     = 1 << (31 - bucketShift)
)

// set sets the entries of a row from its odds, which are forgotten.
func (e *entries) set(row int, w *walker[float32], c *choice) {
	s, own := &e.rows[row], 1.0
	if x := w.numbers[s.label]; x > 0 {
		own = float64(x)
	}
	c.others(w, s.label)
	entries := e.all[row*e.likely:][:e.likely]
	n := c.take(entries)
	heavy := 0.0
	for i := range entries[:n] {
		heavy += float64(entries[i].p)
	}
	light := float64(e.classes-1-len(c.odds)) + sumLanes(c.odds)
	others := light + heavy
	z := others + own
	s.own, s.other, s.rest, s.entries = own/z, others/z, 0, uint32(n)
	if left := e.classes - 1 - n; left > 0 {
		s.rest = light / z / float64(left)
	}
	for i := range entries[:n] {
		entries[i].p = float32(float64(entries[i].p) / z)
	}
}

// others lists the odds of the classes that were moved, but for the row's own.
func (c *choice) others(w *walker[float32], own uint32) {
	changed := w.changed[:w.changes]
	c.classes, c.odds = slices.Grow(c.classes[:0], len(changed))[:len(changed)], slices.Grow(c.odds[:0], len(changed))[:len(changed)]
	classes, odds, numbers := c.classes, c.odds, w.numbers
	n := 0
	for _, k := range changed {
		classes[n], odds[n] = k, numbers[k]
		numbers[k] = 0
		if k != own {
			n++
		}
	}
	w.changes = 0
	c.classes, c.odds = classes[:n], odds[:n]
}

// take moves the greatest odds to the entries, whose p they are for now, and leaves zeros
// in their place. In the last bucket, those that come first are taken.
func (c *choice) take(to []entry) (n int) {
	least, spare := c.threshold(len(to))
	for i, x := range c.odds {
		b := math.Float32bits(x) >> bucketShift
		if b < least {
			continue
		}
		if b == least {
			if spare == 0 {
				continue
			}
			spare--
		}
		to[n] = entry{c.classes[i], x}
		c.odds[i] = 0
		n++
	}
	return n
}

// threshold is the bucket from which on odds are among the n greatest, and how many of
// that bucket are.
func (c *choice) threshold(n int) (least uint32, spare int) {
	if len(c.odds) <= n {
		return 0, n
	}
	clear(c.counts[:])
	for _, x := range c.odds {
		b := math.Float32bits(x) >> bucketShift % buckets
		c.counts[b]++
		least = max(least, b)
	}
	for spare = n; int(c.counts[least]) <= spare; least-- {
		spare -= int(c.counts[least])
	}
	return least, spare
}

// sumLanes adds numbers up in four lanes.
func sumLanes(numbers []float32) float64 {
	var a, b, c, d float64
	for ; len(numbers) >= 4; numbers = numbers[4:] {
		a, b, c, d = a+float64(numbers[0]), b+float64(numbers[1]), c+float64(numbers[2]), d+float64(numbers[3])
	}
	for _, x := range numbers {
		a += float64(x)
	}
	return (a + b) + (c + d)
}
