package tree

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// columns is a bin.Source.
type columns [][]float64

func (c columns) Rows() int { return len(c[0]) }

func (c columns) Cols() int { return len(c) }

func (c columns) Column(j, first int, dst []float64) { copy(dst, c[j][first:]) }

// problem is data to grow trees on, in the middle of boosting.
type problem struct {
	source    columns
	mapper    *bin.Mapper
	matrix    *bin.Matrix
	residuals *loss.Residuals
}

type problemOptions struct {
	rows, classes    int
	missing, weights bool
	sparse           int // indicator columns beside the dense ones
}

func newProblem(t testing.TB, seed uint64, o problemOptions) *problem {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	p := &problem{source: make(columns, 4+o.sparse)}
	labels, scores := make([]int32, o.rows), make([]float64, o.rows*o.classes)
	var weights []float32
	for i := range o.rows {
		y := r.IntN(o.classes)
		labels[i] = int32(y)
		x := []float64{r.NormFloat64() + float64(y%3), r.NormFloat64() + float64(y%5)/2, float64((y + r.IntN(7)) % 9), 3}
		for j := range o.sparse {
			x = append(x, max(0, float64(r.IntN(8)-6+(y+j)%2)))
		}
		for j := range x {
			if o.missing && j != 3 && r.IntN(6+max(0, j-3)*8) == 0 {
				x[j] = math.NaN()
			}
			p.source[j] = append(p.source[j], x[j])
		}
		for k := range o.classes {
			scores[i*o.classes+k] = r.NormFloat64()
		}
		if o.weights {
			weights = append(weights, float32(r.IntN(9))/4)
		}
	}
	team := par.NewTeam(1)
	var err error
	if p.mapper, err = bin.Fit(p.source, nil, 60, nil, team); err != nil {
		panic(err)
	}
	p.matrix = p.mapper.Map(p.source, team)
	if o.sparse > 0 {
		if p.matrix.GroupSparse(p.mapper, team); len(p.matrix.Sparse) == 0 {
			t.Fatal("no feature is sparse")
		}
	}
	p.residuals = loss.NewDense(labels, weights, o.classes, kernel.Stride(o.classes, true))
	p.residuals.Form.(*loss.Dense).SetScores(scores, 0, len(labels), kernel.Generic, &kernel.SoftmaxJob{})
	return p
}

func (p *problem) columns() (c []int) {
	for j, column := range p.matrix.Columns {
		if column != nil {
			c = append(c, j)
		}
	}
	return c
}

func (p *problem) bins() Bins { return Bins{p.matrix, p.mapper, p.matrix, p.mapper, p.matrix.Bytes()} }

// grow grows a tree on all rows.
func (p *problem) grow(params Params, fixed []kernel.Pair, threads int) (*Tree, *Partition, []Segment) {
	rows := NewPartition(p.matrix.Rows)
	rows.Fill(p.matrix.Rows)
	team := par.NewTeam(threads)
	defer team.Close()
	g := NewGrower(kernel.Generic, p.bins(), p.residuals, params, rows, team, nil)
	t, segments := g.Grow(p.columns(), fixed, 1)
	return t, rows, segments
}
