package loss

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// sparseCase is random rows, moved by random steps of a few leaves, and their softmax
// as float64 computes it from the raw scores.
type sparseCase struct {
	*Residuals
	rows []uint32
	p    [][]float64 // by row and class
}

func newSparseCase(rows, classes, named, trees int, weighted bool, team *par.Team) *sparseCase {
	rng := rand.New(rand.NewPCG(1, uint64(classes)))
	labels, weights := make([]int32, rows), []float32(nil)
	for i := range labels {
		labels[i] = int32(rng.IntN(classes))
		if weighted {
			weights = append(weights, float32(rng.Float64()+0.1))
		}
	}
	c := &sparseCase{Residuals: NewSparse(labels, weights, classes, Stride(classes, false))}
	scores := make([][]float64, rows)
	for i := range scores {
		scores[i] = make([]float64, classes)
		c.rows = append(c.rows, uint32(i))
	}
	for range trees {
		steps, of := make([]Step, 5), make([]int32, rows)
		raw := make([]map[int]float64, len(steps))
		for s := range steps {
			raw[s] = map[int]float64{}
			for _, k := range rng.Perm(classes)[:named] {
				step := float64(float32(rng.NormFloat64()))
				steps[s].Classes, steps[s].Factors = append(steps[s].Classes, uint32(k)), append(steps[s].Factors, kernel.Exp(step))
				raw[s][k] = step
			}
		}
		for i := range of {
			of[i] = int32(rng.IntN(len(steps)+1)) - 1
			if of[i] >= 0 {
				for k, step := range raw[of[i]] {
					scores[i][k] += step
				}
			}
		}
		c.SetUnits(second(c.Move(steps, of, team)))
	}
	for _, f := range scores {
		sum, p := 0.0, make([]float64, classes)
		for k := range f {
			p[k] = math.Exp(f[k])
			sum += p[k]
		}
		for k := range p {
			p[k] /= sum
		}
		c.p = append(c.p, p)
	}
	return c
}

func second(_ float64, most float32) float32 { return most }

var sparseSizes = []struct {
	rows, classes, named, trees int
	weighted                    bool
}{{300, 5, 5, 7, false}, {3000, 40, 6, 20, true}, {2500, 40, 40, 5, true}, {9000, 30, 16, 9, false}, {1, 3, 1, 1, true}}

func TestSparseIsExact(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	for _, size := range sparseSizes {
		c := newSparseCase(size.rows, size.classes, size.named, size.trees, size.weighted, team)
		p := make([]float64, size.classes)
		due, bound := 0.0, 0.0
		for i := range c.rows {
			c.Probabilities(i, p)
			for k := range p {
				near(t, "a probability", p[k], c.p[i][k], 1e-12)
			}
			y := c.Labels[i]
			due -= c.Weight(i) * math.Log(c.p[i][y])
			bound += 1 - c.p[i][y]
			near(t, "an influence", float64(c.Influence(i)), 1-c.p[i][y], 1e-6)
		}
		near(t, "the log loss", c.LogLoss(nil, nil, nil), due, 1e-12)
		sum, _ := c.Bound()
		near(t, "the bound", sum, bound, 1e-12)
		c.testSums(t, c.Residuals, c.rows, team)

		sample, rows := c.NewSample(len(c.rows)), []uint32(nil)
		for i := 0; i < len(c.rows); i += 3 {
			rows = append(rows, uint32(i))
		}
		sample.Take(c.Residuals, rows, team)
		c.testSums(t, sample, rows, team)
		sample.Free()
		c.Free()
	}
}

// testSums compares the sums of rows, which are the first of r, with those of float64.
func (c *sparseCase) testSums(t *testing.T, r *Residuals, rows []uint32, team *par.Team) {
	t.Helper()
	numbers := make([]uint32, len(rows))
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	totals := &Totals{Gradient: make([]int64, r.Stride), Hessian: make([]int64, r.Stride)}
	r.SparseTotals(totals, numbers, team)
	first := []int32{0, int32(r.Classes - 1)}
	cross := r.SparseCross(numbers, first, team)
	slack := r.Units.Sums * float64(len(rows))
	for k := range r.Classes {
		g, h, products := 0.0, 0.0, [2]float64{}
		for _, row := range rows {
			w, p := c.Weight(int(row)), c.p[row]
			if int(c.Labels[row]) == k {
				g += w
			}
			g -= w * p[k]
			h += w * p[k] * (1 - p[k])
			for i, f := range first {
				products[i] += w * p[k] * p[f]
			}
		}
		near(t, "a gradient", float64(totals.Gradient[k])*r.Units.Sums, g, 1e-12+slack)
		near(t, "a Hessian", float64(totals.Hessian[k])*r.Units.Sums, h, 1e-12+slack)
		for i := range first {
			near(t, "a product", float64(cross[i*r.Stride+k])*float64(r.Units.Cross), products[i], float64(r.Units.Cross)*float64(len(rows)))
		}
	}
	c.testGradients(t, r, rows, numbers)
}

func (c *sparseCase) testGradients(t *testing.T, r *Residuals, rows, numbers []uint32) {
	t.Helper()
	pairs := []kernel.Pair{{R: 1, S: 2}, {R: 0, S: 3}}[:min(2, r.Classes/2)]
	n := min(len(rows), kernel.RowBlock)
	job := r.GradientsJob(numbers[:n], pairs, make([]float32, 2*n*len(pairs)))
	r.ComputeGradients(nil, &job)
	for i, row := range rows[:n] {
		for j, pair := range pairs {
			residual := func(k int32) float64 {
				if c.Labels[row] == k {
					return 1 - c.p[row][k]
				}
				return -c.p[row][k]
			}
			w, p := c.Weight(int(row)), c.p[row]
			g := residual(pair.R) - residual(pair.S)
			d := p[pair.R] - p[pair.S]
			near(t, "a pair's Hessian", float64(job.Gradients[(i*len(pairs)+j)*2]), w*(p[pair.R]+p[pair.S]-d*d), 1e-6)
			near(t, "a pair's gradient", float64(job.Gradients[(i*len(pairs)+j)*2+1]), w*g, 1e-6)
		}
	}
}

func near(t *testing.T, what string, have, due, precision float64) {
	t.Helper()
	if !(math.Abs(have-due) <= precision*max(1, math.Abs(due))) {
		t.Fatalf("%s is %v in place of %v", what, have, due)
	}
}
