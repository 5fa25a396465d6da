package loss

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// shortList is how many classes are looked at as the second of a pair. The products of
// probabilities at most halve the gain of a pair, and where many classes are about as
// good, it matters little which of them is taken.
const shortList = 8

// SparsePairs chooses m disjoint class pairs of rows, as [FirstClasses] and
// [SecondClasses] do, except that the second class is one of those on a short list: the
// best by their totals alone. So there are few products of probabilities to sum up.
//
// It returns what it got to know of the rows, which is good until the next choice; nil: nothing.
func (r *Residuals) SparsePairs(t *Totals, rows []uint32, m int, by Selection, room *Room, team *par.Team) ([]kernel.Pair, *Known) {
	t.listMore(r.Classes, 2*m) // of classes that are alike, no pair needs more
	room.used = slices.Grow(room.used[:0], len(t.List))[:len(t.List)]
	clear(room.used)
	c := chooser{unit: r.Units, by: by, classes: t.List, totals: t.Of, used: room.used}
	c.first = first(c.classes, c.totals, m)
	for _, place := range c.first {
		c.used[place] = true
	}
	if by != FirstOrder {
		c.shorten()
		wanted, products := c.wanted()
		c.cross = r.sparseCross(rows, wanted, products, room, team)
		return c.pairs(), &room.known
	}
	return c.pairs(), nil
}

// chooser chooses the pairs of a node.
type chooser struct {
	unit    Units
	by      Selection
	classes []uint32 // that pairs may have, in order
	totals  []ClassTotals
	first   []int // places of the first classes of the pairs
	used    []bool
	seconds [][]int // by pair: places of the classes that may be the second one; unset if all
	cross   []int64 // by pair and such a class
}

// gain is the second-order gain of the pair of two places, given the product of their
// probabilities.
func (c *chooser) gain(r, k int, product float64) float64 {
	square, h := c.ratio(r, k)
	if h += 2 * product; h == 0 {
		h = 1
	}
	return square / h
}

// ratio is the gain without the product, as a ratio.
func (c *chooser) ratio(r, k int) (square, h float64) {
	a, b := &c.totals[r], &c.totals[k]
	d := c.unit.Sums * float64(a.Gradient-b.Gradient)
	return float64(d * d), c.unit.Sums * float64(a.Hessian+b.Hessian)
}

// shorten finds the classes that may be the second of each pair.
func (c *chooser) shorten() {
	gains := make([]float64, 0, shortList+len(c.first)+1)
	c.seconds = make([][]int, len(c.first))
	for i, r := range c.first {
		n, best := shortList+i, make([]int, 0, shortList+i+1) // pairs before this one take i classes at most
		gains = gains[:0]
		least := 0.0 // a division takes longer than a product
		for k := range c.classes {
			square, h := c.ratio(r, k)
			if c.used[k] || square < float64(least*h) {
				continue
			}
			gain, at := c.gain(r, k, 0), len(gains)
			if at == n && gain <= gains[n-1] {
				continue
			}
			for at > 0 && gain > gains[at-1] {
				at--
			}
			gains, best = slices.Insert(gains, at, gain), slices.Insert(best, at, k)
			gains, best = gains[:min(len(gains), n)], best[:min(len(best), n)]
			if len(gains) == n {
				least = (1 - 1e-9) * gains[n-1] // whatever the rounding
			}
		}
		slices.Sort(best)
		c.seconds[i] = best
	}
}

// wanted is the classes whose probabilities decide, and the products of them.
func (c *chooser) wanted() (wanted []uint32, products []product) {
	for i, r := range c.first {
		wanted = append(wanted, c.classes[r])
		for _, k := range c.seconds[i] {
			wanted = append(wanted, c.classes[k])
		}
	}
	sortUnique(&wanted)
	for i, r := range c.first {
		for _, k := range c.seconds[i] {
			products = append(products, product{int32(below(wanted, c.classes[r])), int32(below(wanted, c.classes[k]))})
		}
	}
	return wanted, products
}

// pairs pairs each first class with the best that is free.
func (c *chooser) pairs() (pairs []kernel.Pair) {
	cross := c.cross
	for i, r := range c.first {
		best, bestScore := -1, math.Inf(-1)
		consider := func(k int, score float64) {
			if !c.used[k] && score > bestScore {
				best, bestScore = k, score
			}
		}
		if c.by == FirstOrder {
			for k := range c.classes {
				consider(k, -float64(c.totals[k].Gradient))
			}
		} else {
			for j, k := range c.seconds[i] {
				consider(k, c.gain(r, k, float64(c.unit.Cross)*float64(cross[j])))
			}
			cross = cross[len(c.seconds[i]):]
		}
		c.used[best] = true
		pairs = append(pairs, kernel.Pair{R: int32(c.classes[r]), S: int32(c.classes[best])})
	}
	return pairs
}

// sortUnique puts classes in order, each once.
func sortUnique(classes *[]uint32) {
	slices.Sort(*classes)
	*classes = slices.Compact(*classes)
}
