package odds

import (
	"math"
	"math/bits"
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Every addend of a sum is rounded to units before it is
// added, as in the kernels. A class without an entry adds the same as all others
// without one: that is added up once, and the entries add what they differ by.

// Scratch is memory in which rows are summed up. Calls reuse it.
type Scratch struct {
	parts []scratchPart
	known PairCache
	used  []bool // by place of a class that may be in a pair
}

// PairCache holds residuals of a node's rows, which were looked up to choose its pairs.
type PairCache struct {
	wanted    []uint32  // of these classes, in order
	residuals []float32 // rows × wanted
}

// scratchPart is the part for some of the rows. Between two uses it holds only zeros.
type scratchPart struct {
	sums   []loss.ClassTotals // by class: what its rows differ from rest by
	marks  []uint64           // a bit by class: it may differ
	all    bool               // so may all
	rest   loss.ClassTotals
	cross  []int64 // by product
	found  []float64
	finder finder
}

// rowsAtOnce is the fewest rows that are worth sums of their own.
const rowsAtOnce = 1024

// share calls sum with shares of the rows and parts of the scratch memory, which it returns.
func (scratch *Scratch) share(rows []uint32, team *par.Team, sum func(first, end int, part *scratchPart)) []scratchPart {
	n := max(1, min(team.Workers(), len(rows)/rowsAtOnce))
	for len(scratch.parts) < n {
		scratch.parts = append(scratch.parts, scratchPart{})
	}
	parts := scratch.parts[:n]
	team.Do(n, func(_, i int) { sum(i*len(rows)/n, (i+1)*len(rows)/n, &parts[i]) })
	return parts
}

// SumTotals sums up the class totals of rows.
func (r *Residuals) SumTotals(t *loss.Totals, rows []uint32, scratch *Scratch, team *par.Team) {
	parts := scratch.share(rows, team, func(first, end int, part *scratchPart) { r.addTotals(rows[first:end], part) })
	all := &parts[0]
	for i := range parts[1:] {
		all.merge(&parts[i+1])
	}
	t.Reset(all.rest, all.most())
	list := func(k int) {
		of := &all.sums[k]
		t.Add(uint32(k), all.rest.Plus(*of))
		*of = loss.ClassTotals{}
	}
	if all.all {
		for k := range r.Classes {
			list(k)
		}
	} else {
		for w, marks := range all.marks {
			for ; marks != 0; marks &= marks - 1 {
				list(w*64 + bits.TrailingZeros64(marks))
			}
		}
	}
	clear(all.marks)
	all.rest, all.all = loss.ClassTotals{}, false
}

// most returns how many classes differ from rest at most.
func (p *scratchPart) most() (n int) {
	if p.all {
		return len(p.sums)
	}
	for _, marks := range p.marks {
		n += bits.OnesCount64(marks)
	}
	return n
}

// merge moves the sums of another part to p.
func (p *scratchPart) merge(o *scratchPart) {
	p.rest = p.rest.Plus(o.rest)
	p.all = p.all || o.all
	for k, of := range o.sums {
		p.sums[k].Gradient += of.Gradient
		p.sums[k].Hessian += of.Hessian
	}
	for w, marks := range o.marks {
		p.marks[w] |= marks
	}
	clear(o.sums)
	clear(o.marks)
	o.rest, o.all = loss.ClassTotals{}, false
}

// addTotals adds gradients and Hessians.
func (r *Residuals) addTotals(rows []uint32, part *scratchPart) {
	if part.sums == nil {
		part.sums, part.marks = make([]loss.ClassTotals, r.Classes), make([]uint64, (r.Classes+63)/64)
	}
	e, shift, sums := r.entries, kernel.Shift(r.Units.Sums), part.sums
	part.all = part.all || len(rows)*r.Width() >= r.Classes
	var commonP, commonH int64
	var more loss.MoreTotals
	for _, row := range rows {
		w, original := r.Weight(int(row)), r.original(row)
		s, entries := &e.rows[original], e.of(original)
		baseP := kernel.Units(float64(w*s.rest)+shift, shift)
		baseH := kernel.Units(float64(w*float64(s.rest*(1-s.rest)))+shift, shift)
		commonP, commonH = commonP+baseP, commonH+baseH
		for i := range entries {
			p := float64(float64(entries[i].odds) * s.scale)
			of := &sums[entries[i].class]
			of.Gradient += baseP - kernel.Units(float64(w*p)+shift, shift)
			of.Hessian += kernel.Units(float64(w*float64(p*(1-p)))+shift, shift) - baseH
		}
		of, q := &sums[s.label], s.other
		of.Gradient += baseP + kernel.Units(float64(w*q)+shift, shift)
		of.Hessian += kernel.Units(float64(w*float64(q*(1-q)))+shift, shift) - baseH
		if r.Softens() {
			more.Of(r.Rows, original, w)
			for i, k := range more.Classes {
				sums[k].Gradient += more.Units[i]
				part.marks[k/64] |= 1 << (k % 64)
			}
			sums[more.Label].Gradient += more.Own
			commonP -= more.All
		}
		if !part.all {
			part.marks[s.label/64] |= 1 << (s.label % 64)
			for i := range entries {
				k := entries[i].class
				part.marks[k/64] |= 1 << (k % 64)
			}
		}
	}
	part.rest = part.rest.Plus(loss.ClassTotals{Gradient: -commonP, Hessian: commonH})
}

// finder finds the probabilities of rows for some classes.
type finder struct {
	wanted []uint32 // in order, at most 255
	slots  []uint8  // by class: its number in wanted, from 1; 0: it is not wanted
}

// prepare prepares the finder for classes; nil: for none.
func (f *finder) prepare(wanted []uint32, classes int) {
	if f.slots == nil {
		f.slots = make([]uint8, classes)
	}
	for _, k := range f.wanted {
		f.slots[k] = 0
	}
	f.wanted = wanted
	for i, k := range wanted {
		f.slots[k] = uint8(i + 1)
	}
}

// product is a product of the probabilities of two of the classes wanted.
type product struct{ r, k int32 }

// sumCross sums up products of the probabilities of the classes wanted, which are in
// order. The result is good until the next, and so are the residuals in scratch.known.
func (r *Residuals) sumCross(rows []uint32, wanted []uint32, products []product, scratch *Scratch, team *par.Team) []int64 {
	n := len(rows) * len(wanted)
	scratch.known = PairCache{wanted, slices.Grow(scratch.known.residuals[:0], n)[:n]}
	parts := scratch.share(rows, team, func(first, end int, part *scratchPart) {
		part.cross = append(part.cross[:0], make([]int64, len(products))...)
		r.addCross(rows[first:end], wanted, products, part, scratch.known.residuals[first*len(wanted):])
	})
	all := parts[0].cross
	for i := range parts[1:] {
		for j, sum := range parts[i+1].cross {
			all[j] += sum
		}
	}
	return all
}

func (r *Residuals) addCross(rows []uint32, wanted []uint32, products []product, part *scratchPart, residuals []float32) {
	e, shift := r.entries, kernel.Shift(float64(r.Units.Cross))
	part.found = append(part.found[:0], make([]float64, len(wanted))...)
	p, sums, common := part.found, part.cross[:len(products)], int64(0)
	part.finder.prepare(wanted, r.Classes)
	for i, row := range rows {
		w, original := r.Weight(int(row)), r.original(row)
		rest := e.rows[original].rest
		base := kernel.Units(float64(float64(w*rest)*rest)+shift, shift)
		common += base
		if !e.find(original, &part.finder, p, residuals[i*len(wanted):]) {
			continue
		}
		for i, of := range products {
			sums[i] += kernel.Units(float64(float64(w*p[of.r])*p[of.k])+shift, shift) - base
		}
	}
	for i := range sums {
		sums[i] += common
	}
}

// find finds the probabilities and residuals of a row for the classes wanted, and tells
// whether any of the probabilities is not rest.
func (e *entries) find(row int, f *finder, p []float64, residuals []float32) (differ bool) {
	s := &e.rows[row]
	p, residuals = p[:len(f.wanted)], residuals[:len(f.wanted)]
	rest := float32(s.rest)
	for i := range p {
		p[i], residuals[i] = s.rest, rest
	}
	for _, of := range e.of(row) {
		if slot := f.slots[of.class]; slot > 0 {
			q := float64(float64(of.odds) * s.scale)
			p[slot-1], residuals[slot-1], differ = q, float32(q), true
		}
	}
	if slot := f.slots[s.label]; slot > 0 {
		p[slot-1], residuals[slot-1], differ = s.p(), float32(-s.other)+loss.NegativeZero, true
	}
	return differ
}

// residualsOf returns the residuals of the rows of a job for the ends of its pairs, at least.
func (r *Residuals) residualsOf(j *kernel.GradientsJob, known *PairCache, first int) (wanted []uint32, residuals []float32) {
	if known != nil {
		return known.wanted, known.residuals[first*len(known.wanted):]
	}
	for _, pair := range j.Pairs {
		for _, k := range []int32{pair.R, pair.S} {
			if int(k) < r.Classes { // else it is the padding class
				wanted = append(wanted, uint32(k))
			}
		}
	}
	sortUnique(&wanted)
	residuals = make([]float32, len(j.Rows)*len(wanted))
	var p [2 * kernel.MaxPairs]float64
	var f finder
	f.prepare(wanted, r.Classes)
	for i, row := range j.Rows {
		r.entries.find(r.original(row), &f, p[:], residuals[i*len(wanted):])
	}
	return wanted, residuals
}

// Gradients does the work of the kernel Gradients, for which it fills in the job. The rows begin
// with this one of those that are known, if any are.
func (r *Residuals) Gradients(j *kernel.GradientsJob, rows []uint32, pairs []kernel.Pair, gradients []float32, known *PairCache, first int) {
	*j = kernel.GradientsJob{Rows: rows, Weights: r.Weights, Pairs: pairs, Unit: r.Units.Sums, Gradients: gradients}
	m, shift := len(j.Pairs), kernel.Shift(j.Unit)
	wanted, residuals := r.residualsOf(j, known, first)
	var places [2 * kernel.MaxPairs]int // in wanted, by end of a pair
	for p, pair := range j.Pairs {
		places[2*p], places[2*p+1] = below(wanted, uint32(pair.R)), below(wanted, uint32(pair.S))
	}
	for i, row := range j.Rows {
		of := residuals[i*len(wanted):][:len(wanted)]
		for p := range m {
			g, h := kernel.PairGradient(residualAt(of, places[2*p]), residualAt(of, places[2*p+1]))
			if j.Weights != nil {
				w := j.Weights[row]
				g, h = g*w, h*w
			}
			j.Gradients[(i*m+p)*2], j.Gradients[(i*m+p)*2+1] = h, g
			s, a := &j.Stats[p], float32(math.Abs(float64(g)))
			s.SumG += kernel.Units(float64(g)+shift, shift)
			s.SumH += kernel.Units(float64(h)+shift, shift)
			s.SumAbsG += kernel.Units(float64(a)+shift, shift)
			s.MaxAbsG, s.MaxH = max(s.MaxAbsG, a), max(s.MaxH, h)
		}
	}
	if r.Softens() {
		r.AddGradients(j, r.original)
	}
}

// below returns how many of sorted classes are less than k.
func below(classes []uint32, k uint32) int {
	place, _ := slices.BinarySearch(classes, k)
	return place
}

// residualAt is one of the residuals of a row. That of the padding class, past the last,
// is zero.
func residualAt(residuals []float32, place int) float32 {
	if place < len(residuals) {
		return residuals[place]
	}
	return 0
}
