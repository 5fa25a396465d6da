package tree

import (
	"slices"

	"github.com/libaoso/aoso/internal/loss"
)

func (e *denseForm) sumCounts(g shared, nodes []*node, flags []int64) {
	classes := g.residuals.Classes
	var v []int64
	for i, n := range nodes {
		v = append(v, int64(n.rows()), flags[i], e.weight(n))
		if n.totals != nil {
			v = append(append(v, n.own.Gradient[:classes]...), n.own.Hessian[:classes]...)
		}
	}
	g.group.Sum(v)
	for i, n := range nodes {
		n.count, flags[i], n.weight = int(v[0]), v[1], v[2]
		v = v[3:]
		if n.totals != nil {
			clear(n.totals.Gradient)
			clear(n.totals.Hessian)
			copy(n.totals.Gradient, v[:classes])
			copy(n.totals.Hessian, v[classes:2*classes])
			v = v[2*classes:]
		}
	}
}

// crossTerms are the cross terms of the classes first with all others over some rows, by which
// pairs are chosen.
type crossTerms struct {
	family *family
	node   *node // node whose pairs they decide; nil: both children's: the larger's are the parent's less the smaller's
	first  []int32
	sums   []int64
}

func (e *denseForm) choosePairsShared(g shared, families []family) {
	var terms []crossTerms
	for i := range families {
		f := &families[i]
		if n := f.parent; n != nil && n.cross != nil && f.large.layout != nil {
			if first := e.firstClasses(nil, f.large); len(first) > 0 && first[0] == n.pairs[0].R {
				terms = append(terms, crossTerms{family: f, first: append(first, e.firstClasses(nil, f.small)...)})
				continue
			}
		}
		for _, n := range f.children() {
			if g.isEvaluated(n) {
				terms = append(terms, crossTerms{family: f, node: n, first: e.firstClasses(nil, n)})
			}
		}
	}
	if g.Selection != loss.FirstOrder {
		e.sumCross(g, terms)
	}
	for i := range terms {
		e.pairUpTerms(&terms[i])
	}
}

// sumCross sums up the cross terms over the rows of all machines.
func (e *denseForm) sumCross(g shared, terms []crossTerms) {
	r := e.residuals
	var v []int64
	for i := range terms {
		c := &terms[i]
		n := c.node
		if n == nil {
			n = c.family.small
		}
		for sums := range slices.Chunk(e.cross(n.list, c.first, e.teamFor(n.rows())), r.Stride) {
			v = append(v, sums[:r.Classes]...)
		}
	}
	g.group.Sum(v)
	for i := range terms {
		c := &terms[i]
		c.sums = make([]int64, len(c.first)*r.Stride)
		for k := range c.first {
			copy(c.sums[k*r.Stride:], v[:r.Classes])
			v = v[r.Classes:]
		}
	}
}

// pairUpTerms chooses pairs by the cross terms.
func (e *denseForm) pairUpTerms(c *crossTerms) {
	stride := e.residuals.Stride
	if n := c.node; n != nil {
		e.pairUp(n, c.first, c.sums)
		if e.Pairs == 1 {
			n.cross = c.sums
		}
		n.pairs = e.padded(n.pairs)
		return
	}
	f := c.family
	f.large.cross, f.small.cross = f.parent.cross, c.sums[stride:]
	for k, sum := range c.sums[:stride] {
		f.large.cross[k] -= sum
	}
	e.pairUp(f.small, c.first[1:], f.small.cross)
	e.pairUp(f.large, c.first[:1], f.large.cross)
}
