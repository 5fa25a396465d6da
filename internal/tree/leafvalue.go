package tree

import (
	"slices"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/loss/odds"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// LeafValues computes the steps of leaves from the rows that reach them.
type LeafValues struct {
	Kernels   *kernel.Funcs
	Residuals *loss.Residuals
	Newton    loss.Newton
	Again     bool // sparse leaves keep the classes that they have
	Team      *par.Team
	Group     *collective.Group

	pieces  []piece
	sums    []int64 // by piece
	floats  [][]float32
	scratch []bestScratch // by worker
}

// piece is a block of a leaf's rows, for one kernel call.
type piece struct {
	leaf      int
	rows      []uint32
	totals    kernel.TotalsJob
	gradients kernel.GradientsJob
}

// Set computes the steps and numbers of rows of leaves from the rows that reach them. A leaf
// that no row reaches keeps its steps.
func (v *LeafValues) Set(leaves []Leaf, segments []Segment) {
	if v.Newton.Named > 0 {
		for i := range leaves {
			leaves[i].Rows = 0
		}
		if v.Group != nil {
			segments = segmentsOf(len(leaves), segments)
		}
		v.setBest(leaves, segments)
		return
	}
	dense, stride := v.Residuals.Form.(*loss.Dense), v.Residuals.Stride
	v.pieces = v.pieces[:0]
	for i := range leaves {
		leaves[i].Rows = 0
	}
	for _, s := range segments {
		for rows := range slices.Chunk(s.Rows, kernel.RowBlock) {
			v.pieces = append(v.pieces, piece{leaf: s.Leaf, rows: rows})
		}
	}
	v.sums = slices.Grow(v.sums[:0], 2*stride*len(v.pieces))[:2*stride*len(v.pieces)]
	v.floats = slices.Grow(v.floats[:0], v.Team.Workers())[:v.Team.Workers()]
	v.Team.Do(len(v.pieces), func(worker, i int) {
		p := &v.pieces[i]
		if pairs := leaves[p.leaf].Pairs; pairs == nil {
			p.totals = dense.TotalsJob(p.rows, v.sums[2*stride*i:])
			dense.Totals(v.Kernels, &p.totals)
		} else {
			floats := &v.floats[worker]
			*floats = slices.Grow((*floats)[:0], 2*len(pairs)*len(p.rows))[:2*len(pairs)*len(p.rows)]
			p.gradients = dense.GradientsJob(p.rows, pairs, *floats)
			dense.Gradients(v.Kernels, &p.gradients)
		}
	})
	first := v.merge(leaves)
	if v.Group != nil {
		v.setShared(leaves, first)
		return
	}
	for i, p := range first {
		if p != nil {
			totals := loss.Totals{Gradient: p.totals.Gradient, Hessian: p.totals.Hessian}
			leaves[i].setSteps(&v.Newton, &totals, &p.gradients.Stats, v.Residuals)
		}
	}
}

// setBest is Set for sparse leaves. There are many leaves of few rows each, so each worker has
// leaves of its own.
func (v *LeafValues) setBest(leaves []Leaf, segments []Segment) {
	for len(v.scratch) < v.Team.Workers() {
		v.scratch = append(v.scratch, bestScratch{totals: loss.Totals{Sparse: true}})
	}
	if v.Group != nil {
		v.setSparse(leaves, segments)
		return
	}
	v.Team.Do(len(segments), func(worker, i int) {
		scratch, leaf := &v.scratch[worker], &leaves[segments[i].Leaf]
		oddsOf(v.Residuals).SumTotals(&scratch.totals, segments[i].Rows, &scratch.sums, alone)
		leaf.Rows = len(segments[i].Rows)
		v.setSparseSteps(leaf, &scratch.totals)
	})
}

// setSparseSteps sets the steps of a sparse leaf from the sums over its rows.
func (v *LeafValues) setSparseSteps(l *Leaf, totals *loss.Totals) {
	if v.Again {
		v.Newton.SameClasses(l.Steps, l.Pairs, totals, v.Residuals.Units.Sums, v.Residuals.Classes)
		return
	}
	l.setSteps(&v.Newton, totals, nil, v.Residuals)
}

// segmentsOf returns a segment for each leaf, empty if no row here reaches it.
func segmentsOf(leaves int, some []Segment) []Segment {
	all := make([]Segment, leaves)
	for i := range all {
		all[i].Leaf = i
	}
	for _, s := range some {
		all[s.Leaf] = s
	}
	return all
}

// bestScratch is a worker's memory for the sums over a leaf's rows.
type bestScratch struct {
	totals loss.Totals
	sums   odds.Scratch
}

// merge adds the sums of a leaf's pieces to those of the first, and counts its rows. It returns the first piece of each
// leaf; nil: no row here reaches it.
func (v *LeafValues) merge(leaves []Leaf) []*piece {
	first := make([]*piece, len(leaves))
	for i := range v.pieces {
		p := &v.pieces[i]
		l, sums := &leaves[p.leaf], first[p.leaf]
		if l.Rows += len(p.rows); sums == nil {
			first[p.leaf] = p
			continue
		}
		if l.Pairs == nil {
			for k := range p.totals.Gradient {
				sums.totals.Gradient[k] += p.totals.Gradient[k]
				sums.totals.Hessian[k] += p.totals.Hessian[k]
			}
		}
		for k := range l.Pairs {
			s, more := &sums.gradients.Stats[k], &p.gradients.Stats[k]
			s.SumG += more.SumG
			s.SumH += more.SumH
		}
	}
	return first
}

// setShared sets the steps of all leaves from the sums of all machines: for each leaf the number
// of rows, and the class totals or the sums of the pairs.
func (v *LeafValues) setShared(leaves []Leaf, first []*piece) {
	classes := v.Residuals.Classes
	width := 1 + 2*classes
	if leaves[0].Pairs != nil {
		width = 1 + 2*len(leaves[0].Pairs)
	}
	sums := make([]int64, len(leaves)*width)
	of := func(leaf int) (rows *int64, rest []int64) { return &sums[leaf*width], sums[leaf*width+1:][:width-1] }
	for i, p := range first {
		if p == nil {
			continue
		}
		rows, rest := of(i)
		*rows = int64(leaves[i].Rows)
		if leaves[i].Pairs == nil {
			copy(rest[:classes], p.totals.Gradient)
			copy(rest[classes:], p.totals.Hessian)
		}
		for j := range leaves[i].Pairs {
			rest[2*j], rest[2*j+1] = p.gradients.Stats[j].SumG, p.gradients.Stats[j].SumH
		}
	}
	v.Group.Sum(sums)
	for i := range leaves {
		l := &leaves[i]
		rows, rest := of(i)
		if l.Rows = int(*rows); l.Rows == 0 {
			continue
		}
		var stats [kernel.MaxPairs]kernel.PairStats
		for j := range l.Pairs {
			stats[j].SumG, stats[j].SumH = rest[2*j], rest[2*j+1]
		}
		var totals loss.Totals
		if l.Pairs == nil {
			totals = loss.Totals{Gradient: rest[:classes], Hessian: rest[classes:]}
		}
		l.setSteps(&v.Newton, &totals, &stats, v.Residuals)
	}
}

// setSteps sets the steps of a leaf from the sums over its rows: of its pairs, or, without
// pairs, of all classes.
func (l *Leaf) setSteps(n *loss.Newton, totals *loss.Totals, stats *[kernel.MaxPairs]kernel.PairStats, r *loss.Residuals) {
	switch {
	case n.Named > 0:
		n.TopClasses(l.Steps, l.Pairs, totals, r.Units.Sums, r.Classes)
		return
	case l.box != nil:
		l.setWithin(n, totals, stats, r)
		return
	case l.Pairs == nil:
		n.FullLeaf(l.Steps, totals, r.Units.Sums)
		return
	}
	for p, pair := range l.Pairs {
		l.Steps[p] = n.PairStep(stats[p].SumG, stats[p].SumH, r.Units.Sums, pair, r.Classes)
	}
}

// setWithin is setSteps within the leaf's bounds.
func (l *Leaf) setWithin(n *loss.Newton, totals *loss.Totals, stats *[kernel.MaxPairs]kernel.PairStats, r *loss.Residuals) {
	if l.Pairs == nil {
		values := make([]float64, len(l.Steps))
		n.FullLeafWithin(values, totals, r.Units.Sums, l.box)
		for k, v := range values {
			l.Steps[k] = n.Round(float64(n.Shrinkage*v), len(values))
		}
		return
	}
	for p, pair := range l.Pairs {
		g, h := float64(stats[p].SumG)*r.Units.Sums, float64(stats[p].SumH)*r.Units.Sums
		l.Steps[p] = n.Shrink(n.PairWithin(g, h, pair, l.box))
	}
}
