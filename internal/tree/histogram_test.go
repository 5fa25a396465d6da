package tree

import (
	"fmt"
	"testing"

	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// TestHistogramSubtract compares what is left of a parent's histogram with
// the sibling's own, packed and wide.
func TestHistogramSubtract(t *testing.T) {
	for _, test := range []struct {
		name        string
		rows, small int
		classes     int
	}{{"packed", 5000, 1000, 2}, {"wide, packed child", 100_000, 10_000, 3}, {"wide, both wide", 150_000, 70_000, 3}, {"wide, both packed", 80_000, 30_000, 2}} {
		p := newProblem(t, 21, problemOptions{rows: test.rows, classes: test.classes, missing: true, sparse: 5})
		for _, trim := range []float64{0, 0.3} {
			for _, pairs := range []int{1, 2} {
				if testing.Short() && (trim == 0) != (pairs == 1) {
					continue
				}
				t.Run(fmt.Sprint(test.name, trim, pairs), func(t *testing.T) {
					rows := NewPartition(test.rows)
					rows.Fill(test.rows)
					team := par.NewTeam(2)
					defer team.Close()
					g := NewGrower(kernel.Generic, p.bins(), p.residuals, Params{Pairs: pairs}, rows, team, nil)
					e := g.evaluator
					layout := newLayout(p.matrix, p.mapper, byCodes(p.mapper), p.columns(), pairs, 32<<10)
					e.splitter.useLayout(layout)
					along := []kernel.Pair{{R: 0, S: 1}, {R: 2, S: 2}}[:pairs]
					var q quanta
					fill := func(start, end int) *Histogram {
						e.gradients.bind(start, end)
						list := rows.Rows[start:end]
						stats := e.gradients.compute(list, along, team)
						if start == 0 && end == test.rows {
							q = e.gradients.newQuanta(&stats, trim, p.residuals.SumWeights(list))
						}
						e.gradients.quantize(list, q, team)
						h := &Histogram{cells: make([]int64, layout.cells)}
						h.setWide(end-start > kernel.SpillRows)
						e.splitter.fillOnly(h, team)
						return h
					}
					parent := fill(0, test.rows)
					small, large := fill(0, test.small), fill(test.small, test.rows)
					parent.subtract(kernel.Generic, small)
					for i := range layout.cells {
						gotG, gotH := cell(parent, i)
						if wantG, wantH := cell(large, i); gotG != wantG || gotH != wantH {
							t.Fatalf("cell %d: (%d, %d), want (%d, %d)", i, gotG, gotH, wantG, wantH)
						}
					}
				})
			}
		}
	}
}

func cell(h *Histogram, i int) (g, hess int64) {
	if h.wide() {
		return h.wideG[i], h.wideH[i]
	}
	return h.cells[i] >> 32, h.cells[i] & (1<<32 - 1)
}

func TestHistogramPool(t *testing.T) {
	pool := HistogramPool{cells: 8, most: 2}
	a := pool.Get(100)
	if a.wide() || len(a.cells) != 8 {
		t.Errorf("%+v", a)
	}
	pool.Put(a)
	pool.Put(nil)
	if b := pool.Get(100_000); b != a || !b.wide() || len(b.wideG) != 8 || len(b.wideH) != 8 {
		t.Errorf("%+v", b)
	}
	if c := pool.Get(1); c == nil || c == a {
		t.Error("no second histogram")
	}
	if d := pool.Get(1); d != nil {
		t.Error("a third histogram of at most two")
	}
	if d := pool.GetUnbounded(1); d == nil || d == a {
		t.Error("none to give back at once")
	} else {
		pool.Put(d)
	}
	pool.Put(a)
	if e := pool.Get(kernel.SpillRows); e != a || e.wide() {
		t.Errorf("%+v", e)
	}
}
