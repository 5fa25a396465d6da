package odds

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/libaoso/aoso/internal/mem"
)

// entries is the probabilities of rows in a form that does not grow with the number of
// classes. The softmax does not see a step that all classes share, so a leaf moves its
// best classes by steps relative to those of all others. The leaf path has the odds of the
// classes that leaves have moved, against a class that none has.
//
// Trees are grown on less: a row has entries for likely classes beside its own, and all
// other classes share what is left. A class gets an entry when a leaf moves it and it is
// then likelier than the least likely one that has an entry, which gives it up.
type entries struct {
	leafPath[float32]
	likely int // most entries of a row
	rows   []rowSums
	all    []entry // rows × likely
	memory *mem.Block
	mean   int         // entries of a row, rounded down
	caches []leafCache // by worker
	large  bool        // there was a large step: see BoundsLoss
}

// entry is the odds of a class.
type entry struct {
	class uint32
	odds  float32
}

// rowSums is what a row has beside its entries.
type rowSums struct {
	rest    float64 // probability of each other class without an entry
	other   float64 // 1 − p_y, as the sum of the others
	light   float64 // odds of all other classes without an entry
	scale   float64 // what makes odds probabilities
	label   uint32
	own     float32 // odds
	entries uint32
}

// p is p_y.
func (s *rowSums) p() float64 { return float64(float64(s.own) * s.scale) }

// allocate allocates the entries.
func (e *entries) allocate() {
	n := len(e.rows) * e.likely
	e.memory = mem.New(8 * n)
	if n > 0 {
		e.all = unsafe.Slice((*entry)(unsafe.Pointer(unsafe.SliceData(e.memory.Bytes()))), n)
	}
}

// of returns the entries of a row.
func (e *entries) of(row int) []entry { return e.all[row*e.likely:][:e.rows[row].entries] }

// probability returns that of a class that is not the row's label.
func (e *entries) probability(row int, class uint32) float64 {
	for _, of := range e.of(row) {
		if of.class == class {
			return float64(float64(of.odds) * e.rows[row].scale)
		}
	}
	return e.rows[row].rest
}

// copy is entries of the same rows that share nothing with e.
func (e *entries) copy() *entries {
	c := &entries{leafPath: e.leafPath.copy(), likely: e.likely, rows: slices.Clone(e.rows), mean: e.mean, large: e.large}
	c.allocate()
	copy(c.all, e.all)
	return c
}

func (e *entries) free() {
	e.leafPath.free()
	e.memory.Free()
	e.rows, e.all = nil, nil
}

// indexSpan gives the last span an index, if it is full.
func (e *entries) indexSpan() {
	s := len(e.spans) - 1
	if trees := e.spanTrees(s); len(trees) == SpanTrees {
		e.spans[s].index = newIndex(trees, e.classes)
	}
}

// apply multiplies the odds of rows by the step of a leaf.
func (e *entries) apply(step *Step, rows []uint32, r *leafCache) {
	n := len(step.Classes)
	r.prepare(step.Classes, e.classes)
	odds := r.find(&e.leafPath, rows, step.Classes)
	by := [manyEffects]float32{1}
	for i := range step.By {
		by[i+1] = factor[float32](step.By[i])
	}
	for i, row := range rows {
		e.set(int(row), step.Classes, odds[i*n:][:n], &by, r.slots)
	}
	r.reset(step.Classes)
}

// set moves classes of a row, of which it is given the odds so far. Slots are places of
// factors by class; that of a class that is not moved is a factor of one.
func (e *entries) set(row int, classes []uint32, odds []float32, by *[manyEffects]float32, slots []uint8) {
	s, all := &e.rows[row], e.all[row*e.likely:][:e.likely]
	n := int(s.entries)
	slot := slots[s.label] % manyEffects
	s.own = times(s.own, by[slot])
	seen := uint64(1) << slot
	for i := range all[:n] {
		of := &all[i]
		slot := slots[of.class] % manyEffects
		seen |= 1 << slot
		of.odds = times(of.odds, by[slot])
	}
	least := 0
	if n == e.likely {
		least = leastEntry(all)
	}
	for left := (uint64(2)<<len(classes) - 1) &^ (seen | 1); left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left) - 1
		was, now := odds[i], times(odds[i], by[i+1])
		switch {
		case n < e.likely:
			all[n] = entry{classes[i], now}
			n++
			s.light -= float64(was)
			if n == e.likely {
				least = leastEntry(all)
			}
		case now > all[least].odds:
			s.light += float64(all[least].odds) - float64(was)
			all[least] = entry{classes[i], now}
			least = leastEntry(all)
		default:
			s.light += float64(now) - float64(was)
		}
	}
	s.entries = uint32(n)
	s.normalize(all[:n], e.classes)
}

// normalize sets the probabilities of a row.
func (s *rowSums) normalize(entries []entry, classes int) {
	s.light = max(s.light, 0) // what is left of numbers that were greater may be less
	others := s.light + sumOdds(entries)
	s.scale = 1 / (others + float64(s.own))
	s.other, s.rest = float64(others*s.scale), 0
	if left := classes - 1 - len(entries); left > 0 {
		s.rest = float64(s.light*s.scale) / float64(left)
	}
}

// leastEntry returns the place of the least odds, the first where some tie.
func leastEntry(entries []entry) (least int) {
	odds := float32(mostOdds)
	for i := range entries {
		if entries[i].odds < odds {
			least, odds = i, entries[i].odds
		}
	}
	return least
}

// sumOdds adds odds up in four lanes.
func sumOdds(of []entry) float64 {
	var a, b, c, d float64
	for ; len(of) >= 4; of = of[4:] {
		a, b, c, d = a+float64(of[0].odds), b+float64(of[1].odds), c+float64(of[2].odds), d+float64(of[3].odds)
	}
	for i := range of {
		a += float64(of[i].odds)
	}
	return (a + b) + (c + d)
}
