package odds

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// sparseCase is random rows, moved by random steps of a few leaves, the same in float64,
// and their softmax as float64 computes it from the raw scores.
type sparseCase struct {
	*Residuals
	base      [][]float64 // by row: raw scores before any leaf
	reference *PathOdds
	last      []LeafRows // rows by leaf of the last tree, and its steps
	steps     []Step
	rows      []uint32
	p         [][]float64 // by row and class
}

// fixedBase is given scores.
type fixedBase [][]float64

func (b fixedBase) Stride() int { return len(b[0]) + 1 }

func (b fixedBase) Scores(first, end int, scores []float64) {
	for i, row := range b[first:end] {
		copy(scores[i*b.Stride():], row)
	}
}

func (b fixedBase) ScoresOf(rows, classes []uint32, scores []float64) {
	for i, row := range rows {
		for j, k := range classes {
			scores[i*len(classes)+j] = b[row][k]
		}
	}
}

func (b fixedBase) Common() bool {
	return !slices.ContainsFunc(b, func(row []float64) bool { return !slices.Equal(row, b[0]) })
}

// The scores of rows before any leaf.
const (
	zero   = iota
	byRow  // each row has its own
	common // all rows have the same
)

func newResiduals(labels []int32, weights []float32, classes, likely int) *Residuals {
	return New(labels, weights, classes, kernel.Stride(classes, false), likely).Form.(*Residuals)
}

func whole(r *Residuals) *loss.Residuals { return &loss.Residuals{Rows: r.Rows, Form: r} }

func newSparseCase(rows, classes, named, trees, likely int, weighted bool, base int, team *par.Team) *sparseCase {
	rng := rand.New(rand.NewPCG(1, uint64(classes)))
	labels, weights := make([]int32, rows), []float32(nil)
	for i := range labels {
		labels[i] = int32(rng.IntN(classes))
		if weighted {
			weights = append(weights, float32(rng.Float64()+0.1))
		}
	}
	c := &sparseCase{
		Residuals: newResiduals(labels, weights, classes, likely),
		reference: NewPathOdds(rows, classes),
	}
	scores := make([][]float64, rows)
	for i := range scores {
		scores[i] = make([]float64, classes)
		c.rows = append(c.rows, uint32(i))
		if base == common && i > 0 {
			copy(scores[i], scores[0])
		} else if base != zero {
			for k := range scores[i] {
				scores[i][k] = 2 * rng.NormFloat64()
			}
		}
		c.base = append(c.base, slices.Clone(scores[i]))
	}
	if base != zero {
		c.SetUnits(second(c.SetInitial(fixedBase(c.base), team)))
		c.reference.SetInitial(fixedBase(c.base))
	}
	for range trees {
		steps, reached := make([]Step, 5), make([]LeafRows, 5)
		raw := make([]map[int]float64, len(steps))
		for s := range steps {
			raw[s] = map[int]float64{}
			moved := rng.Perm(classes)[:named]
			slices.Sort(moved)
			for _, k := range moved {
				step := float64(float32(rng.NormFloat64()))
				steps[s].Classes, steps[s].By = append(steps[s].Classes, uint32(k)), append(steps[s].By, kernel.Exp(step))
				raw[s][k] = step
			}
		}
		for i := range scores {
			leaf := rng.IntN(len(steps)+1) - 1
			if leaf < 0 {
				continue
			}
			reached[leaf].Leaf, reached[leaf].Rows = leaf, append(reached[leaf].Rows, uint32(i))
			for k, step := range raw[leaf] {
				scores[i][k] += step
			}
		}
		c.SetUnits(second(c.Apply(steps, reached, team)))
		c.reference.Apply(steps, reached, team)
		c.last, c.steps = reached, steps
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
	base                        int
}{
	{300, 5, 5, 7, false, zero}, {40, 700, 3, 2, false, zero}, {3000, 40, 6, 20, true, zero}, {2500, 40, 40, 5, true, zero},
	{9000, 30, 16, 9, false, zero}, {1, 3, 1, 1, true, zero}, {4, 6, 6, 40, false, zero},
	{300, 5, 5, 7, false, byRow}, {40, 700, 3, 2, true, byRow}, {3000, 40, 6, 20, true, byRow}, {1, 3, 1, 0, true, byRow}, {4, 6, 6, 40, false, byRow},
	{300, 5, 5, 7, false, common}, {40, 700, 3, 2, true, common}, {3000, 40, 6, 20, true, common}, {4, 6, 6, 40, false, common},
}

// single is the precision of odds in float32, after some steps.
const single = 1e-6

func TestSparseIsExact(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	for _, size := range sparseSizes {
		c := newSparseCase(size.rows, size.classes, size.named, size.trees, size.classes, size.weighted, size.base, team)
		c.testReference(t)
		due, bound := 0.0, 0.0
		for i := range c.rows {
			y := c.Labels[i]
			for k, p := range c.probabilities(i) {
				near(t, "a probability", p, c.p[i][k], single)
			}
			due -= c.Weight(i) * math.Log(c.p[i][y])
			bound += 1 - c.p[i][y]
			near(t, "an influence", float64(c.Influence(i)), 1-c.p[i][y], 1e-6)
		}
		near(t, "the log loss", c.LogLoss(nil, nil, math.Inf(1), team, nil), due, single)
		sum, _ := c.Bound()
		near(t, "the bound", sum, bound, single)
		c.testSums(t, c.Residuals, c.rows, team)

		sample, rows := c.NewSample(len(c.rows)).Form.(*Residuals), []uint32(nil)
		for i := 0; i < len(c.rows); i += 3 {
			rows = append(rows, uint32(i))
		}
		sample.CopyRows(whole(c.Residuals), rows, team)
		c.testSums(t, sample, rows, team)
		sample.Free()
		c.Free()
	}
}

// testReference compares the odds of a leaf path in float64 with the softmax.
func (c *sparseCase) testReference(t *testing.T) {
	t.Helper()
	w := newWalker(c.Classes)
	for row := range c.rows {
		w.visit(&c.reference.leafPath, row)
		odds, sum := make([]float64, c.Classes), 0.0
		for k := range odds {
			if odds[k] = w.numbers[k]; odds[k] == 0 {
				odds[k] = w.common.of(uint32(k))
			}
			sum += odds[k]
		}
		for k := range odds {
			near(t, "a probability in float64", odds[k]/sum, c.p[row][k], 1e-12)
		}
		w.leave()
	}
}

// probabilities returns what the entries of a row say.
func (c *sparseCase) probabilities(row int) []float64 {
	p, s := make([]float64, c.Classes), &c.entries.rows[row]
	for k := range p {
		p[k] = s.rest
	}
	for _, of := range c.entries.of(row) {
		p[of.class] = float64(of.odds) * s.scale
	}
	p[s.label] = s.p()
	return p
}

// TestLikelyClasses: with few entries, a row has exact probabilities of its own class and of
// those with an entry, which sum to one with the rest. No class that its last leaf moved is
// likelier than its entries and has none.
func TestLikelyClasses(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	for _, base := range []int{zero, byRow, common} {
		for _, trees := range []int{0, 40} {
			if base != zero || trees > 0 {
				testLikely(t, trees, base, team)
			}
		}
	}
}

func testLikely(t *testing.T, trees, base int, team *par.Team) {
	const likely = 6
	c := newSparseCase(600, 50, 9, trees, likely, false, base, team)
	defer c.Free()
	moved := make([][]uint32, len(c.rows)) // by row: what its leaf of the last tree moved
	for _, r := range c.last {
		for _, row := range r.Rows {
			moved[row] = c.steps[r.Leaf].Classes
		}
	}
	for i := range c.rows {
		p, y := c.probabilities(i), uint32(c.Labels[i])
		near(t, "the probability of the own class", p[y], c.p[i][y], single)
		sum, least, has := 0.0, 1.0, map[uint32]bool{y: true}
		for _, of := range c.entries.of(i) {
			near(t, "the probability of an entry", p[of.class], c.p[i][of.class], single)
			least, has[of.class] = min(least, p[of.class]), true
		}
		if len(has) != likely+1 {
			t.Fatalf("row %d has entries for %d classes beside its own, not %d", i, len(has)-1, likely)
		}
		for k := range p {
			sum += p[k]
		}
		near(t, "the sum of probabilities", sum, 1, single)
		if trees == 0 {
			for k := range p {
				moved[i] = append(moved[i], uint32(k)) // base scores give the most likely of all entries
			}
		}
		for _, k := range moved[i] {
			if !has[k] && c.p[i][k] > least*(1+single) {
				t.Fatalf("row %d has no entry for class %d of probability %v, but one of %v", i, k, c.p[i][k], least)
			}
		}
	}
}

// TestBaseFarApart: odds of a base stay in their bounds, and a copy has them as well.
func TestBaseFarApart(t *testing.T) {
	team := new(par.Team)
	base := fixedBase{{0, -1000, 3}, {700, 0, -700}, {-5, -5, -5}}
	r := newResiduals([]int32{1, 2, 0}, nil, 3, 3)
	defer r.Free()
	sum, most := r.SetInitial(base, team)
	if !(math.Abs(sum-(2+2.0/3)) < 1e-6 && most == 1) {
		t.Errorf("the sum of 1 - p is %v, the greatest %v", sum, most)
	}
	logLoss := r.LogLoss(nil, nil, math.Inf(1), team, nil)
	if want := 2*-math.Log(leastOdds) + math.Log1p(math.Exp(-3)) + math.Log(3); !(math.Abs(logLoss-want) < 1e-3) {
		t.Errorf("the log loss is %v, want %v", logLoss, want)
	}
	copied := newResiduals([]int32{1, 2, 0}, nil, 3, 3)
	defer copied.Free()
	copied.Copy(whole(r))
	steps, reached := []Step{{[]uint32{1}, []float64{3}}}, []LeafRows{{0, []uint32{0, 1, 2}}}
	for _, of := range []*Residuals{r, copied} {
		of.Apply(steps, reached, team)
		near(t, "p of the last row", of.entries.rows[2].p(), 0.2, single)
	}
}

// TestOddsJudge: odds tell the most likely class and the log loss, at any temperature.
func TestOddsJudge(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	for _, size := range sparseSizes {
		c := newSparseCase(size.rows, size.classes, size.named, size.trees, size.classes, false, size.base, team)
		odds, labels := c.reference, slices.Clone(c.Labels)
		labels[0] = -1
		best, losses := make([]int32, size.rows), make([]float64, size.rows)
		for _, temperature := range []float64{1, 0.7} {
			odds.Evaluate(labels, hard, temperature, best, losses, team)
			for i, y := range labels {
				scores := make([]float64, size.classes)
				for k, p := range c.p[i] {
					scores[k] = math.Log(p) / temperature
				}
				if want := slices.Max(scores); scores[best[i]] < want-1e-9 {
					t.Fatalf("row %d is of class %d with the score %v, not %v", i, best[i], scores[best[i]], want)
				}
				want := 0.0
				if y >= 0 {
					want = loss.NegLogSoftmax(scores, int(y))
				}
				near(t, "a log loss", losses[i], want, 1e-10)
			}
		}
		c.Free()
	}
}

// TestBestOfTies: of classes that tie, the lowest is the best, whether leaves have moved it or not.
func TestBestOfTies(t *testing.T) {
	team := new(par.Team)
	for name, c := range map[string]struct {
		classes []uint32
		by      []float64
		want    int32
	}{
		"none moved":         {nil, nil, 0},
		"the best moved":     {[]uint32{1, 3}, []float64{2, 2}, 1},
		"others are better":  {[]uint32{0, 1}, []float64{0.5, 0.5}, 2},
		"moved by nothing":   {[]uint32{0, 2}, []float64{0.5, 1}, 1},
		"all moved":          {[]uint32{0, 1, 2, 3}, []float64{0.1, 0.3, 0.3, 0.2}, 1},
		"one moved and back": {[]uint32{0, 1, 2, 3}, []float64{1, 0.3, 0.3, 1}, 0},
	} {
		o := NewPathOdds(1, 4)
		o.Apply([]Step{{c.classes, c.by}}, []LeafRows{{0, []uint32{0}}}, team)
		best := make([]int32, 1)
		o.Evaluate([]int32{0}, hard, 1, best, make([]float64, 1), team)
		if best[0] != c.want {
			t.Errorf("%s: the best class is %d, want %d", name, best[0], c.want)
		}
		o.Free()
	}
}

// testSums compares the sums of rows, which are the first of r, with those of float64.
func (c *sparseCase) testSums(t *testing.T, r *Residuals, rows []uint32, team *par.Team) {
	t.Helper()
	numbers := make([]uint32, len(rows))
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	var scratch Scratch
	totals := &loss.Totals{Sparse: true}
	r.SumTotals(totals, numbers, &scratch, team)
	half := &loss.Totals{Sparse: true}
	r.SumTotals(half, numbers[:len(numbers)/2], &scratch, team)
	half.Sub(totals, clone(half))
	r.SumTotals(totals, numbers[len(numbers)/2:], &scratch, team)
	if !reflect.DeepEqual(half, totals) {
		t.Fatalf("what half of the rows leave is %v in place of %v", half, totals)
	}
	r.SumTotals(totals, numbers, &scratch, team)
	dense := denseTotals(totals, r)
	wanted := []uint32{0, uint32(r.Classes / 2), uint32(r.Classes - 1)}
	products := []product{{0, 1}, {2, 0}}
	cross := r.sumCross(numbers, wanted, products, &scratch, team)
	slack := r.Units.Sums * float64(len(rows))
	for k := range r.Classes {
		g, h := 0.0, 0.0
		for _, row := range rows {
			w, p := c.Weight(int(row)), c.p[row]
			if int(c.Labels[row]) == k {
				g += w
			}
			g -= w * p[k]
			h += w * p[k] * (1 - p[k])
		}
		near(t, "a gradient", float64(dense.Gradient[k])*r.Units.Sums, g, single*float64(len(rows))+slack)
		near(t, "a Hessian", float64(dense.Hessian[k])*r.Units.Sums, h, single*float64(len(rows))+slack)
	}
	for i, of := range products {
		due := 0.0
		for _, row := range rows {
			due += c.Weight(int(row)) * c.p[row][wanted[of.r]] * c.p[row][wanted[of.k]]
		}
		near(t, "a product", float64(cross[i])*float64(r.Units.Cross), due, (single+float64(r.Units.Cross))*float64(len(rows)))
	}
	c.testPairs(t, r, totals, dense, numbers, team)
	c.testGradients(t, r, rows, numbers)
}

func clone(t *loss.Totals) *loss.Totals {
	c := *t
	c.List, c.Gradient, c.Hessian = slices.Clone(t.List), slices.Clone(t.Gradient), slices.Clone(t.Hessian)
	return &c
}

// denseTotals returns the totals of all classes.
func denseTotals(t *loss.Totals, r *Residuals) *loss.Totals {
	d := &loss.Totals{Gradient: make([]int64, r.Stride), Hessian: make([]int64, r.Stride)}
	for k := range r.Classes {
		d.Gradient[k], d.Hessian[k] = t.Rest.Gradient, t.Rest.Hessian
	}
	for i, k := range t.List {
		d.Gradient[k], d.Hessian[k] = t.Of[i].Gradient, t.Of[i].Hessian
	}
	return d
}

// testPairs compares the pairs chosen with those that all products lead to.
func (c *sparseCase) testPairs(t *testing.T, r *Residuals, totals, dense *loss.Totals, numbers []uint32, team *par.Team) {
	t.Helper()
	for _, by := range []loss.Selection{loss.FirstOrder, loss.SecondOrder} {
		for m := range min(3, r.Classes/2) {
			var scratch Scratch
			have, _ := r.ChoosePairs(totals, numbers, m+1, by, &scratch, team)
			first := loss.FirstClasses(nil, dense.Gradient, r.Classes, m+1)
			cross := make([]int64, r.Stride*len(first))
			for i, f := range first {
				for k := range r.Classes {
					wanted, of := []uint32{uint32(f), uint32(k)}, product{0, 1}
					if sortUnique(&wanted); len(wanted) == 1 {
						continue // no class is paired with itself
					}
					cross[i*r.Stride+k] = r.sumCross(numbers, wanted, []product{of}, &scratch, team)[0]
				}
			}
			due := loss.SecondClasses(nil, first, dense, cross, r.Units, r.Classes, r.Stride, by)
			if !slices.Equal(have, due) {
				t.Fatalf("%v chooses %v in place of %v", by, have, due)
			}
		}
	}
}

func (c *sparseCase) testGradients(t *testing.T, r *Residuals, rows, numbers []uint32) {
	t.Helper()
	pairs := []kernel.Pair{{R: 1, S: 2}, {R: 0, S: 3}}[:min(2, r.Classes/2)]
	n := min(len(rows), kernel.RowBlock)
	var job kernel.GradientsJob
	r.Gradients(&job, numbers[:n], pairs, make([]float32, 2*n*len(pairs)), nil, 0)
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

func hard(int) ([]int32, []float32) { return nil, nil }
