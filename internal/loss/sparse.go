package loss

import (
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// The sums of the form for many classes. Every addend is rounded to units before it is
// added, as in the kernels. A class without an entry adds the same as all others
// without one: that is added up once, and the entries add what they differ by.

// rowsAtOnce is the fewest rows that are worth sums of their own.
const rowsAtOnce = 4096

// share runs sum on shares of the rows, each with cleared room for sums, and adds the
// rooms up.
func share(rows []uint32, width int, team *par.Team, sum func(rows []uint32, sums []int64)) []int64 {
	n := max(1, min(team.Workers(), len(rows)/rowsAtOnce))
	all := make([]int64, n*width)
	team.Do(n, func(_, i int) {
		first, end := i*len(rows)/n, (i+1)*len(rows)/n
		sum(rows[first:end], all[i*width:(i+1)*width])
	})
	for i := 1; i < n; i++ {
		for k, v := range all[i*width : (i+1)*width] {
			all[k] += v
		}
	}
	return all[:width]
}

// original is the row of the entries that a row is.
func (r *Residuals) original(row uint32) int {
	if r.taken != nil {
		return int(r.taken[row])
	}
	return int(row)
}

// SparseTotals sums up the class totals of rows.
func (r *Residuals) SparseTotals(t *Totals, rows []uint32, team *par.Team) {
	sums := share(rows, 2*r.Classes, team, r.addTotals)
	clear(t.Gradient)
	clear(t.Hessian)
	for k := range r.Classes {
		t.Gradient[k], t.Hessian[k] = sums[2*k], sums[2*k+1]
	}
}

// addTotals adds gradients and Hessians, side by side for each class.
func (r *Residuals) addTotals(rows []uint32, sums []int64) {
	e, shift := r.entries, kernel.Shift(r.Units.Sums)
	var commonP, commonH int64
	for _, row := range rows {
		w, original := r.Weight(int(row)), r.original(row)
		s, y := &e.rows[original], uint32(e.labels[original])
		classes, odds := e.of(original)
		rest := s.rest
		baseP := kernel.Units(float64(w*rest)+shift, shift)
		baseH := kernel.Units(float64(w*float64(rest*(1-rest)))+shift, shift)
		commonP, commonH = commonP+baseP, commonH+baseH
		ownP, ownH := baseP, baseH
		for i, k := range classes {
			p := float64(odds[i] * rest)
			unitsP := kernel.Units(float64(w*p)+shift, shift)
			unitsH := kernel.Units(float64(w*float64(p*(1-p)))+shift, shift)
			if k == y {
				ownP, ownH = unitsP, unitsH
			}
			of := sums[2*k : 2*k+2 : 2*k+2]
			of[0] += baseP - unitsP
			of[1] += unitsH - baseH
		}
		of, q := sums[2*y:2*y+2], s.other
		of[0] += ownP + kernel.Units(float64(w*q)+shift, shift)
		of[1] += kernel.Units(float64(w*float64(q*(1-q)))+shift, shift) - ownH
	}
	for k := range r.Classes {
		sums[2*k] -= commonP
		sums[2*k+1] += commonH
	}
}

// slotsOf numbers classes from 1.
func (r *Residuals) slotsOf(classes []int32) []uint8 {
	slots := make([]uint8, r.Classes)
	for i, k := range classes {
		slots[k] = uint8(i + 1)
	}
	return slots
}

// SparseCross sums up the products of the probabilities of the classes first with
// those of all classes, Stride for each of first.
func (r *Residuals) SparseCross(rows []uint32, first []int32, team *par.Team) []int64 {
	m := len(first)
	slots := r.slotsOf(first)
	sums := share(rows, m*r.Classes, team, func(rows []uint32, sums []int64) { r.addCross(rows, m, slots, sums) })
	cross := make([]int64, m*r.Stride)
	for k := range r.Classes {
		for i := range m {
			cross[i*r.Stride+k] = sums[k*m+i]
		}
	}
	return cross
}

// addCross adds the products with m classes, side by side for each class.
func (r *Residuals) addCross(rows []uint32, m int, slots []uint8, sums []int64) {
	e, unit := r.entries, float64(r.Units.Cross)
	shift := kernel.Shift(unit)
	var p [2*kernel.MaxPairs + 1]float64
	var base, common [2 * kernel.MaxPairs]int64
	for _, row := range rows {
		original := r.original(row)
		classes, odds := e.of(original)
		rest, w := e.rows[original].rest, r.Weight(int(row))
		for i := range m {
			p[i+1] = 1
		}
		for i, k := range classes {
			p[slots[k]] = odds[i]
		}
		largest := 0.0
		for i := range m {
			p[i+1] = float64(w * float64(p[i+1]*rest))
			largest = max(largest, p[i+1])
			base[i] = kernel.Units(float64(p[i+1]*rest)+shift, shift)
			common[i] += base[i]
		}
		if largest < unit/2 { // all products round to zero
			continue
		}
		first := p[1 : m+1]
		for i, k := range classes {
			of, p := sums[int(k)*m:][:len(first)], float64(odds[i]*rest)
			for j, f := range first {
				of[j] += kernel.Units(float64(f*p)+shift, shift) - base[j]
			}
		}
	}
	for i := range sums {
		sums[i] += common[i%m]
	}
}

// SparseGradients does the work of the kernel Gradients.
func (r *Residuals) SparseGradients(j *kernel.GradientsJob) {
	m, shift := len(j.Pairs), kernel.Shift(j.Unit)
	var ends []int32
	for _, pair := range j.Pairs {
		ends = append(ends, min(pair.R, int32(r.Classes)), min(pair.S, int32(r.Classes)))
		j.Stats[len(ends)/2-1] = kernel.PairStats{}
	}
	slots := make([]uint8, r.Classes+1)
	for i, k := range ends {
		slots[k] = uint8(i + 1)
	}
	var residuals [2*kernel.MaxPairs + 1]float64
	for i, row := range j.Rows {
		original := r.original(row)
		r.residualsOf(original, slots, residuals[:len(ends)+1])
		if slots[r.Classes] != 0 {
			r.clearImpossible(ends, residuals[1:])
		}
		for p := range j.Pairs {
			g, h := kernel.PairGradient(float32(residuals[2*p+1]), float32(residuals[2*p+2]))
			if j.Weights != nil {
				w := j.Weights[row]
				g, h = g*w, h*w
			}
			j.Gradients[(i*m+p)*2], j.Gradients[(i*m+p)*2+1] = h, g
			s, a := &j.Stats[p], abs(g)
			s.SumG += kernel.Units(float64(g)+shift, shift)
			s.SumH += kernel.Units(float64(h)+shift, shift)
			s.SumAbsG += kernel.Units(float64(a)+shift, shift)
			s.MaxAbsG, s.MaxH = max(s.MaxAbsG, a), max(s.MaxH, h)
		}
	}
}

// residualsOf sets the residuals of a row for the classes that have slots.
func (r *Residuals) residualsOf(row int, slots []uint8, residuals []float64) {
	e := r.entries
	rest := e.rows[row].rest
	classes, odds := e.of(row)
	for i := range residuals {
		residuals[i] = rest
	}
	for i, k := range classes {
		residuals[slots[k]] = float64(odds[i] * rest)
	}
	if slot := slots[e.labels[row]]; slot != 0 {
		residuals[slot] = -e.rows[row].other + float64(negativeZero)
	}
}

// clearImpossible sets the residuals of the impossible class to zero.
func (r *Residuals) clearImpossible(ends []int32, residuals []float64) {
	for i, k := range ends {
		if int(k) == r.Classes {
			residuals[i] = 0
		}
	}
}

// Probabilities writes the probabilities of all classes of a row.
func (r *Residuals) Probabilities(row int, p []float64) {
	rest := r.entries.rows[row].rest
	for k := range p {
		p[k] = rest
	}
	classes, odds := r.entries.of(row)
	for i, k := range classes {
		p[k] = float64(odds[i] * rest)
	}
}
