package odds

import (
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// PathOdds are the odds of the classes of rows that a model does not train on, against a class
// that no leaf has moved, in memory that does not grow with the number of classes.
type PathOdds struct {
	leafPath[float64]
	walkers []walker // by worker
}

// NewPathOdds returns the odds of raw scores of zero.
func NewPathOdds(rows, classes int) *PathOdds {
	return &PathOdds{leafPath: newLeafPath[float64](rows, classes)}
}

// SetInitial sets the scores of rows before the first tree.
func (o *PathOdds) SetInitial(scores InitialScores) {
	o.base = newInitialOdds(scores, o.rows, o.classes)
}

// Apply multiplies the odds of rows by the steps of the leaves of a tree.
func (o *PathOdds) Apply(steps []Step, reached []LeafRows, team *par.Team) {
	o.add(steps, reached, team)
}

// Free gives the memory back.
func (o *PathOdds) Free() { o.free() }

// Evaluate finds, for each row, the class of the greatest odds, the lowest where some tie,
// and −log p of its label, which is zero for rows without one (−1). Scores are divided by
// the temperature. shares returns the shares of the other classes of a soft label.
func (o *PathOdds) Evaluate(labels []int32, shares func(row int) ([]int32, []float32), temperature float64, classes []int32, losses []float64, team *par.Team) {
	for len(o.walkers) < team.Workers() {
		o.walkers = append(o.walkers, newWalker(o.classes))
	}
	var unmoved *commonOdds
	if o.base != nil {
		unmoved = o.base.common.at(temperature)
	}
	team.Do((len(labels)+rowsTogether-1)/rowsTogether, func(worker, i int) {
		w := &o.walkers[worker]
		for row := i * rowsTogether; row < min((i+1)*rowsTogether, len(labels)); row++ {
			w.visit(&o.leafPath, row)
			classes[row] = w.best()
			if y := labels[row]; y >= 0 {
				own := w.loss(uint32(y), o.classes, temperature, unmoved)
				losses[row] = own
				of, q := shares(row)
				for i, k := range of {
					losses[row] += float64(float64(q[i]) * (w.loss(uint32(k), o.classes, temperature, unmoved) - own))
				}
			}
			w.leave()
		}
	})
}

// walker has the odds of a row.
type walker struct {
	numbers []float64 // by class; zero stands for the odds before any leaf, but for the class that does not exist
	changed []uint32
	common  *commonOdds // before any leaf
	scores  []float64   // likewise, of a row of its own scores
}

func newWalker(classes int) walker {
	w := walker{numbers: make([]float64, classes+1)}
	w.numbers[classes] = 1
	return w
}

// visit multiplies the odds of a row up.
func (w *walker) visit(t *leafPath[float64], row int) {
	if t.base != nil && t.base.common != nil {
		w.common = t.base.common
	} else if t.base != nil {
		w.scores = slices.Grow(w.scores[:0], t.base.Stride())[:t.base.Stride()]
		t.base.Scores(row, row+1, w.scores)
		copy(w.numbers, w.scores[:t.classes])
		t.base.all(row, w.numbers[:t.classes])
		for k := range t.classes {
			w.changed = append(w.changed, uint32(k))
		}
	}
	for s := range t.spans {
		trees := t.spanTrees(s)
		for i, leaf := range t.spans[s].leaves[row*SpanTrees:][:len(trees)] {
			for _, c := range trees[i].of(leaf) {
				x := w.numbers[c.class]
				if x == 0 {
					w.changed = append(w.changed, c.class)
					x = w.common.of(c.class)
				}
				w.numbers[c.class] = times(x, c.by)
			}
		}
	}
}

// leave forgets the odds of a row.
func (w *walker) leave() {
	for _, k := range w.changed {
		w.numbers[k] = 0
	}
	w.changed = w.changed[:0]
}

// best returns the class of the greatest number, the lowest where some tie.
func (w *walker) best() int32 {
	best, most := uint32(0), 0.0
	for i := range len(w.numbers) - 1 { // the best of those that have not changed
		if k := w.common.ranked(i); w.numbers[k] == 0 {
			best, most = k, w.common.of(k)
			break
		}
	}
	for _, k := range w.changed {
		if x := w.numbers[k]; x > most || x == most && k < best {
			best, most = k, x
		}
	}
	return int32(best)
}

// loss is −log p of class y. Unmoved are the odds before any leaf at the temperature.
func (w *walker) loss(y uint32, classes int, temperature float64, unmoved *commonOdds) float64 {
	odds := func(k uint32) float64 {
		switch x := float64(w.numbers[k]); {
		case x == 0:
			return unmoved.of(k)
		case temperature != 1:
			return kernel.Exp(loss.Log(x) / temperature)
		default:
			return x
		}
	}
	own := odds(y)
	others := unmoved.total(classes)
	if w.numbers[y] == 0 {
		others -= own
	}
	moved := 0.0
	for _, k := range w.changed {
		others -= unmoved.of(k)
		if k != y {
			moved += odds(k)
		}
	}
	others = max(others, 0) + moved // what is left of numbers that were greater may be less than 0
	return loss.NegLogOwn(others/(others+own), own/(others+own))
}
