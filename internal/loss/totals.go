package loss

import (
	"math"
	"slices"
)

// Totals are the sums over a node's rows for each class: the negative gradient
// m_k and the Hessian diagonal h_kk (paper, equations (11) and (12)), in units of
// Units.Sums. Both slices have Stride elements.
//
// In the form for many classes they are those of the classes listed, in order. All other
// classes have the same.
type Totals struct {
	Gradient, Hessian []int64

	Sparse bool
	List   []uint32
	Of     []ClassTotals // the classes listed
	Rest   ClassTotals   // of each class that is not listed
}

// Size returns a measure of the gradients and Hessians of all classes. It is not for listed totals.
func (t *Totals) Size() (sum float64) {
	for k, g := range t.Gradient {
		sum += math.Abs(float64(g)) + float64(t.Hessian[k])
	}
	return sum
}

// ClassTotals are the totals of one class.
type ClassTotals struct{ Gradient, Hessian int64 }

// Plus returns the sum of two totals.
func (t ClassTotals) Plus(o ClassTotals) ClassTotals {
	return ClassTotals{t.Gradient + o.Gradient, t.Hessian + o.Hessian}
}

// Clone is totals of listed classes, without room for more.
func (t *Totals) Clone() *Totals {
	c := &Totals{Sparse: true, List: make([]uint32, len(t.List)), Of: make([]ClassTotals, len(t.Of)), Rest: t.Rest}
	copy(c.List, t.List)
	copy(c.Of, t.Of)
	return c
}

// Add lists a class, unless it has what those that are not listed have.
func (t *Totals) Add(class uint32, of ClassTotals) {
	if of != t.Rest {
		t.List, t.Of = append(t.List, class), append(t.Of, of)
	}
}

// Reset lists no class, and has room for n.
func (t *Totals) Reset(rest ClassTotals, n int) {
	t.List, t.Of, t.Rest = slices.Grow(t.List[:0], n), slices.Grow(t.Of[:0], n), rest
}

// Sub sets t to parent − sibling. Unless classes are listed, t may be parent.
func (t *Totals) Sub(parent, sibling *Totals) {
	if t.Sparse {
		t.subSparse(parent, sibling)
		return
	}
	for k := range t.Gradient {
		t.Gradient[k] = parent.Gradient[k] - sibling.Gradient[k]
		t.Hessian[k] = parent.Hessian[k] - sibling.Hessian[k]
	}
}

func (t *Totals) subSparse(parent, sibling *Totals) {
	t.join(parent, sibling, func(a, b ClassTotals) ClassTotals {
		return ClassTotals{a.Gradient - b.Gradient, a.Hessian - b.Hessian}
	})
}

// AddSparse sets t to the sum of two others that list classes.
func (t *Totals) AddSparse(a, b *Totals) {
	t.join(a, b, ClassTotals.Plus)
}

// join sets t to what two others, which list classes, make class by class.
func (t *Totals) join(a, b *Totals, of func(a, b ClassTotals) ClassTotals) {
	t.Reset(of(a.Rest, b.Rest), max(len(a.List), len(b.List)))
	for i, j := 0, 0; i < len(a.List) || j < len(b.List); {
		switch {
		case j == len(b.List) || i < len(a.List) && a.List[i] < b.List[j]:
			t.Add(a.List[i], of(a.Of[i], b.Rest))
			i++
		case i == len(a.List) || b.List[j] < a.List[i]:
			t.Add(b.List[j], of(a.Rest, b.Of[j]))
			j++
		default:
			t.Add(a.List[i], of(a.Of[i], b.Of[j]))
			i, j = i+1, j+1
		}
	}
}

// Pack appends listed totals as numbers.
func (t *Totals) Pack(v []uint64) []uint64 {
	v = append(v, uint64(len(t.List)), uint64(t.Rest.Gradient), uint64(t.Rest.Hessian))
	for i, k := range t.List {
		v = append(v, uint64(k), uint64(t.Of[i].Gradient), uint64(t.Of[i].Hessian))
	}
	return v
}

// Unpack is the inverse of Pack. It returns what follows; ok is false if v does not begin
// with the totals of this many classes.
func (t *Totals) Unpack(v []uint64, classes int) (rest []uint64, ok bool) {
	if len(v) < 3 || v[0] > uint64(len(v)-3)/3 {
		return nil, false
	}
	n := int(v[0])
	t.Reset(ClassTotals{int64(v[1]), int64(v[2])}, n)
	for v = v[3:]; n > 0; n, v = n-1, v[3:] {
		if last := len(t.List) - 1; v[0] >= uint64(classes) || last >= 0 && v[0] <= uint64(t.List[last]) {
			return nil, false
		}
		t.List, t.Of = append(t.List, uint32(v[0])), append(t.Of, ClassTotals{int64(v[1]), int64(v[2])})
	}
	return v, true
}

// Grow lists the first n classes that are not listed, too.
func (t *Totals) Grow(classes, n int) {
	n = min(n, classes-len(t.List))
	below := 0 // how many listed classes are below the last of them
	for below < len(t.List) && int(t.List[below]) < below+n {
		below++
	}
	t.List, t.Of = slices.Grow(t.List, n)[:len(t.List)+n], slices.Grow(t.Of, n)[:len(t.Of)+n]
	copy(t.List[below+n:], t.List[below:])
	copy(t.Of[below+n:], t.Of[below:])
	for next := below + n - 1; n > 0; next-- { // these are the classes from zero on, without a gap
		if below > 0 && int(t.List[below-1]) == next {
			t.Of[next] = t.Of[below-1]
			below--
		} else {
			t.Of[next] = t.Rest
			n--
		}
		t.List[next] = uint32(next)
	}
}

// of returns the totals of a class.
func (t *Totals) of(class uint32) ClassTotals {
	if place, listed := slices.BinarySearch(t.List, class); listed {
		return t.Of[place]
	}
	return t.Rest
}

// sum returns the totals of all classes together.
func (t *Totals) sum(classes int) (sum ClassTotals) {
	others := int64(classes - len(t.List))
	sum = ClassTotals{others * t.Rest.Gradient, others * t.Rest.Hessian}
	for i := range t.List {
		sum.Gradient, sum.Hessian = sum.Gradient+t.Of[i].Gradient, sum.Hessian+t.Of[i].Hessian
	}
	return sum
}
