package loss

import "slices"

// Totals are the sums over a node's rows for each class: the negative gradient
// m_k and the Hessian diagonal h_kk (paper, equations (11) and (12)), in units of
// Units.Sums. Both slices have Stride elements.
//
// In the form for many classes they are those of the classes listed, in order. All other
// classes have the same.
type Totals struct {
	Gradient, Hessian []int64

	Listed bool
	List   []uint32
	Of     []ClassTotals // the classes listed
	Rest   ClassTotals   // of each class that is not listed
}

// ClassTotals are the totals of one class.
type ClassTotals struct{ Gradient, Hessian int64 }

// Clone is totals of listed classes, without room for more.
func (t *Totals) Clone() *Totals {
	c := &Totals{Listed: true, List: make([]uint32, len(t.List)), Of: make([]ClassTotals, len(t.Of)), Rest: t.Rest}
	copy(c.List, t.List)
	copy(c.Of, t.Of)
	return c
}

// add lists a class, unless it has what those that are not listed have.
func (t *Totals) add(class uint32, of ClassTotals) {
	if of != t.Rest {
		t.List, t.Of = append(t.List, class), append(t.Of, of)
	}
}

// clear lists no class, and has room for n.
func (t *Totals) clear(rest ClassTotals, n int) {
	t.List, t.Of, t.Rest = slices.Grow(t.List[:0], n), slices.Grow(t.Of[:0], n), rest
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
	t.clear(less(parent.Rest, sibling.Rest), max(len(parent.List), len(sibling.List)))
	for p, s := 0, 0; p < len(parent.List) || s < len(sibling.List); {
		switch {
		case s == len(sibling.List) || p < len(parent.List) && parent.List[p] < sibling.List[s]:
			t.add(parent.List[p], less(parent.Of[p], sibling.Rest))
			p++
		case p == len(parent.List) || sibling.List[s] < parent.List[p]:
			t.add(sibling.List[s], less(parent.Rest, sibling.Of[s]))
			s++
		default:
			t.add(parent.List[p], less(parent.Of[p], sibling.Of[s]))
			p, s = p+1, s+1
		}
	}
}

// listMore lists the first n classes that are not listed, too.
func (t *Totals) listMore(classes, n int) {
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

// of is the totals of a class.
func (t *Totals) of(class uint32) ClassTotals {
	if place, listed := slices.BinarySearch(t.List, class); listed {
		return t.Of[place]
	}
	return t.Rest
}

// Sum is the totals of all classes together.
func (t *Totals) sum(classes int) (sum ClassTotals) {
	others := int64(classes - len(t.List))
	sum = ClassTotals{others * t.Rest.Gradient, others * t.Rest.Hessian}
	for i := range t.List {
		sum.Gradient, sum.Hessian = sum.Gradient+t.Of[i].Gradient, sum.Hessian+t.Of[i].Hessian
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
