package odds

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// shortList is how many classes are looked at as the second of a pair. The products of
// probabilities at most halve the gain of a pair, and where many classes are about as
// good, it matters little which of them is taken.
const shortList = 8

// ChoosePairs chooses m disjoint class pairs of rows, as [loss.FirstClasses] and
// [loss.SecondClasses] do, except that the second class is one of those on a short list: the
// best by their totals alone. So there are few products of probabilities to sum up.
//
// It returns what it got to know of the rows, which is good until the next choice; nil: nothing.
func (r *Residuals) ChoosePairs(t *loss.Totals, rows []uint32, m int, by loss.Selection, scratch *Scratch, team *par.Team) ([]kernel.Pair, *PairCache) {
	scratch.used = slices.Grow(scratch.used[:0], len(t.List)+2*m)
	c := r.choosePairs(t, m, by, scratch.used)
	pairs := c.Pairs(c.Cross(r, rows, scratch, team))
	if by == loss.FirstOrder {
		return pairs, nil
	}
	return pairs, &scratch.known
}

// StartChoice is ChoosePairs in steps, for rows on several machines.
func (r *Residuals) StartChoice(t *loss.Totals, m int, by loss.Selection) *PairChoice {
	return r.choosePairs(t, m, by, make([]bool, 0, len(t.List)+2*m))
}

// choosePairs is StartChoice with memory for used.
func (r *Residuals) choosePairs(t *loss.Totals, m int, by loss.Selection, used []bool) *PairChoice {
	t.Grow(r.Classes, 2*m) // of classes that are alike, no pair needs more
	used = used[:len(t.List)]
	clear(used)
	c := &PairChoice{unit: r.Units, by: by, classes: t.List, totals: t.Of, used: used}
	c.first = first(c.classes, c.totals, m)
	for _, place := range c.first {
		c.used[place] = true
	}
	if by != loss.FirstOrder {
		c.shorten()
		c.wanted, c.products = c.deciding()
	}
	return c
}

// Cross sums up the products that decide, over some rows. The result is valid until the scratch memory
// is used again. Over all rows, it is the sum of such results.
func (c *PairChoice) Cross(r *Residuals, rows []uint32, scratch *Scratch, team *par.Team) []int64 {
	if c.by == loss.FirstOrder {
		return nil
	}
	return r.sumCross(rows, c.wanted, c.products, scratch, team)
}

// PairChoice is the choice of the pairs of a node.
type PairChoice struct {
	unit    loss.Units
	by      loss.Selection
	classes []uint32 // that pairs may have, in order
	totals  []loss.ClassTotals
	first   []int // places of the first classes of the pairs
	used    []bool
	seconds [][]int // by pair: places of the classes that may be the second one; unset if all

	wanted   []uint32  // classes whose probabilities decide, in order
	products []product // of them: by pair and class that may be the second one
}

// gain returns the second-order gain of the pair of two places, given the product of their
// probabilities.
func (c *PairChoice) gain(r, k int, product float64) float64 {
	square, h := c.ratio(r, k)
	if h += 2 * product; h == 0 {
		h = 1
	}
	return square / h
}

// ratio returns the gain without the product, as a ratio.
func (c *PairChoice) ratio(r, k int) (square, h float64) {
	a, b := &c.totals[r], &c.totals[k]
	d := c.unit.Sums * float64(a.Gradient-b.Gradient)
	return float64(d * d), c.unit.Sums * float64(a.Hessian+b.Hessian)
}

// shorten finds the classes that may be the second of each pair.
func (c *PairChoice) shorten() {
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

// deciding returns the classes whose probabilities decide, and the products of them.
func (c *PairChoice) deciding() (wanted []uint32, products []product) {
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

// Pairs pairs each first class with the best that is free, given the sums of the products.
func (c *PairChoice) Pairs(cross []int64) (pairs []kernel.Pair) {
	for i, r := range c.first {
		best, bestScore := -1, math.Inf(-1)
		consider := func(k int, score float64) {
			if !c.used[k] && score > bestScore {
				best, bestScore = k, score
			}
		}
		if c.by == loss.FirstOrder {
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

// first returns the n of a pool with the greatest gradients, in decreasing order; the lower
// class comes first in a tie.
func first(pool []uint32, of []loss.ClassTotals, n int) (places []int) {
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
