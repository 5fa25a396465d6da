package loss

import "slices"

// Totals are the sums over a node's rows for each class: the negative gradient
// m_k and the Hessian diagonal h_kk (paper, equations (11) and (12)), in units of
// Units.Sums. Both slices have Stride elements.
//
// In the form for many classes they are those of the classes listed, in order. All other
// classes have the same, and each one listed has others.
type Totals struct {
	Gradient, Hessian []int64

	Listed bool
	List   []uint32
	Rest   ClassTotals // of each class that is not listed
}

// ClassTotals are the totals of one class.
type ClassTotals struct{ Gradient, Hessian int64 }

// at is the totals of the i-th class listed.
func (t *Totals) at(i int) ClassTotals { return ClassTotals{t.Gradient[i], t.Hessian[i]} }

// add lists a class, unless it has what those that are not listed have.
func (t *Totals) add(class uint32, of ClassTotals) {
	if of != t.Rest {
		t.List, t.Gradient, t.Hessian = append(t.List, class), append(t.Gradient, of.Gradient), append(t.Hessian, of.Hessian)
	}
}

// clear lists no class.
func (t *Totals) clear(rest ClassTotals) {
	t.List, t.Gradient, t.Hessian, t.Rest = t.List[:0], t.Gradient[:0], t.Hessian[:0], rest
}

// Sub sets t to parent − sibling. Unless classes are listed, t may be parent.
func (t *Totals) Sub(parent, sibling *Totals) {
	if t.Listed {
		t.subListed(parent, sibling)
		return
	}
	for k := range t.Gradient {
		t.Gradient[k] = parent.Gradient[k] - sibling.Gradient[k]
		t.Hessian[k] = parent.Hessian[k] - sibling.Hessian[k]
	}
}

func (t *Totals) subListed(parent, sibling *Totals) {
	less := func(a, b ClassTotals) ClassTotals {
		return ClassTotals{a.Gradient - b.Gradient, a.Hessian - b.Hessian}
	}
	t.clear(less(parent.Rest, sibling.Rest))
	for p, s := 0, 0; p < len(parent.List) || s < len(sibling.List); {
		switch {
		case s == len(sibling.List) || p < len(parent.List) && parent.List[p] < sibling.List[s]:
			t.add(parent.List[p], less(parent.at(p), sibling.Rest))
			p++
		case p == len(parent.List) || sibling.List[s] < parent.List[p]:
			t.add(sibling.List[s], less(parent.Rest, sibling.at(s)))
			s++
		default:
			t.add(parent.List[p], less(parent.at(p), sibling.at(s)))
			p, s = p+1, s+1
		}
	}
}

// pool is the classes listed and the first n others, in order, with their totals.
func (t *Totals) pool(classes, n int) (pool []uint32, of []ClassTotals) {
	size := len(t.List) + n
	pool, of = make([]uint32, 0, size), make([]ClassTotals, 0, size)
	for i, next := 0, uint32(0); next < uint32(classes) && (n > 0 || i < len(t.List)); next++ {
		switch {
		case i < len(t.List) && (n == 0 || t.List[i] == next):
			next = t.List[i]
			pool, of = append(pool, next), append(of, t.at(i))
			i++
		case n > 0:
			pool, of = append(pool, next), append(of, t.Rest)
			n--
		}
	}
	return pool, of
}

// Sum is the totals of all classes together.
func (t *Totals) sum(classes int) (sum ClassTotals) {
	others := int64(classes - len(t.List))
	sum = ClassTotals{others * t.Rest.Gradient, others * t.Rest.Hessian}
	for i := range t.List {
		sum.Gradient, sum.Hessian = sum.Gradient+t.Gradient[i], sum.Hessian+t.Hessian[i]
	}
	return sum
}

// first is the n of a pool with the greatest gradients, in decreasing order; the lower
// class comes first in a tie.
func first(pool []uint32, of []ClassTotals, n int) (places []int) {
	for i := range pool {
		at := len(places)
		for at > 0 && of[i].Gradient > of[places[at-1]].Gradient {
			at--
		}
		if at < n {
			places = slices.Insert(places[:min(len(places), n-1)], at, i)
		}
	}
	return places
}
