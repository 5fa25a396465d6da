package linear

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// numbers is a bin.Source of columns.
type numbers [][]float64

func (n numbers) Rows() int                          { return len(n[0]) }
func (n numbers) Cols() int                          { return len(n) }
func (n numbers) Column(j, first int, dst []float64) { copy(dst, n[j][first:]) }

// rows is a dataset with the values that its bins are made from.
type rows struct {
	x           numbers
	y           []int
	weights     []float64
	classes     int
	categorical int // the first columns, which are numbers of categories
}

// drawn returns rows of Gaussian classes.
func drawn(seed uint64, n, cols, classes int) *rows {
	r := rand.New(rand.NewPCG(seed, 30))
	d := &rows{x: make(numbers, cols), classes: classes}
	centres := make([]float64, classes*cols)
	for i := range centres {
		centres[i] = r.NormFloat64()
	}
	for i := range n {
		y := i % classes
		d.y = append(d.y, y)
		shared := r.NormFloat64()
		for j := range d.x {
			d.x[j] = append(d.x[j], centres[y*cols+j]+r.NormFloat64()+0.5*shared)
		}
	}
	return d
}

// set returns the rows in the given order, with ids that do not depend on the order.
func (d *rows) set(order []int, team *par.Team) *data.Set {
	s := &data.Set{}
	for k := range d.classes {
		s.Classes = append(s.Classes, fmt.Sprint(k))
	}
	x := make(numbers, len(d.x))
	for _, i := range order {
		for j := range x {
			x[j] = append(x[j], d.x[j][i])
		}
		s.Labels, s.IDs = append(s.Labels, int32(d.y[i])), append(s.IDs, uint64(i)*77)
		if d.weights != nil {
			s.Weights = append(s.Weights, float32(d.weights[i]))
		}
	}
	codes := make([]int, len(x))
	for j := range d.categorical {
		codes[j] = int(slices.Max(x[j]))
	}
	var err error
	if s.Mapper, err = bin.Fit(x, nil, 255, codes, team); err != nil {
		panic(err)
	}
	s.Matrix = s.Mapper.Map(x, team)
	return s
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// plain has linear scores computed in float64.
type plain struct {
	columns []int
	places  [][]float64 // by feature and row, in standard deviations
	within  [][]float64
	means   [][]float64 // by class
	weights [][]float64
	priors  []float64
	factor  float64
}

func (d *rows) weight(i int) float64 {
	if d.weights == nil {
		return 1
	}
	return d.weights[i]
}

// restate fits linear scores to all rows, plainly.
func (d *rows) restate(s *data.Set) *plain {
	p, n, total := &plain{}, len(d.y), 0.0
	for i := range d.y {
		total += d.weight(i)
	}
	unit := float64(n) / total // so that the mean weight is 1
	for j := d.categorical; j < len(d.x); j++ {
		p.standardize(d, s, j)
	}
	features := len(p.columns)
	count, sums := make([]float64, d.classes), make([][]float64, d.classes)
	for k := range sums {
		sums[k] = make([]float64, features)
	}
	for i, y := range d.y {
		count[y] += d.weight(i) * unit
		for j := range features {
			sums[y][j] += d.weight(i) * unit * p.places[j][i]
		}
	}
	mean := func(k, j int) float64 {
		if count[k] == 0 {
			return 0
		}
		return sums[k][j] / count[k]
	}
	p.within = make([][]float64, features)
	trace, common := 0.0, 0.0
	for j := range features {
		p.within[j] = make([]float64, features)
		for l := range features {
			for i, y := range d.y {
				p.within[j][l] += d.weight(i) * unit / float64(n) * (p.places[j][i] - mean(y, j)) * (p.places[l][i] - mean(y, l))
			}
		}
		trace += p.within[j][j]
		for k := range count {
			common += count[k] / float64(n) * mean(k, j) * mean(k, j)
		}
	}
	shrunk := trace / max(common-trace*float64(d.classes-1)/float64(n), 1e-9*trace+1e-30)
	for j := range features {
		p.within[j][j] += float64(features)/float64(n)*(trace/float64(features)+1e-9) + 1e-6
	}
	toward := func(sum []float64, count float64) []float64 {
		m := make([]float64, features)
		for j := range m {
			if count > 0 {
				m[j] = sum[j] / count * count / (count + shrunk)
			}
		}
		return m
	}
	for k := range d.classes {
		p.means = append(p.means, toward(sums[k], count[k]))
		p.weights = append(p.weights, solved(p.within, p.means[k]))
		p.priors = append(p.priors, math.Log((count[k]+0.5)/(float64(n)+0.5*float64(d.classes))))
	}
	p.fitFactor(d, func(i int) float64 {
		y, w := d.y[i], d.weight(i)*unit
		if count[y]-w < 1e-9 {
			return 0
		}
		left := slices.Clone(sums[y])
		for j := range left {
			left[j] -= w * p.places[j][i]
		}
		m := toward(left, count[y]-w)
		weights, part := solved(p.within, m), 0.0
		for j := range m {
			part += weights[j] * (p.places[j][i] - m[j]/2)
		}
		return part
	})
	return p
}

// standardize computes the places of a column's values.
func (p *plain) standardize(d *rows, s *data.Set, column int) {
	if s.Matrix.Columns[column] == nil {
		return // it is constant
	}
	bins, all := &s.Mapper.Features[column], 0.0
	values, total, most, mean, variance := make([]float64, len(d.y)), 0.0, 0.0, 0.0, 0.0
	inBin, n := make([]float64, len(bins.Lower)+1), len(bins.Lower)
	for i, code := range s.Matrix.Columns[column] {
		inBin[code] += d.weight(i)
	}
	width := func(code int) float64 { return bins.Edges[code-1] - bins.Edges[code-2] }
	for i := range values {
		code := int(s.Matrix.Columns[column][i])
		if values[i] = math.NaN(); code > 0 {
			values[i] = bins.Lower[code-1]/2 + bins.Upper[code-1]/2
			switch { // the mean of an exponential tail
			case n < 4:
			case code == 1 && inBin[2] > 0:
				values[i] = max(values[i], bins.Upper[0]-width(2)*inBin[1]/inBin[2])
			case code == n && inBin[n-1] > 0:
				values[i] = min(values[i], bins.Lower[n-1]+width(n-1)*inBin[n]/inBin[n-1])
			}
			all += d.weight(i)
		}
	}
	quantile := func(share float64) float64 {
		sorted := slices.DeleteFunc(inOrder(len(values)), func(i int) bool { return values[i] != values[i] })
		slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
		sum := 0.0
		for _, i := range sorted {
			if sum += d.weight(i); 20*sum >= 20*share*all {
				return values[i]
			}
		}
		return 0
	}
	if low, high := quantile(0.05), quantile(0.95); high > low {
		for i, v := range values {
			if v == v {
				values[i] = min(max(v, low-(high-low)), high+(high-low))
			}
		}
	}
	for i, v := range values {
		if v == v && d.weight(i) > 0 {
			most = max(most, math.Abs(v))
		}
	}
	if most == 0 {
		return
	}
	for i, v := range values {
		if values[i] /= most; v == v && d.weight(i) > 0 {
			total += d.weight(i)
			mean += d.weight(i) * values[i]
		}
	}
	mean /= total
	for i, v := range values {
		if v == v && d.weight(i) > 0 {
			variance += d.weight(i) / total * (values[i] - mean) * (values[i] - mean)
		}
	}
	if variance < 1e-20 {
		return
	}
	for i, v := range values {
		values[i] = 0
		if v == v {
			values[i] = min(max(math.RoundToEven((v-mean)/math.Sqrt(variance)*256), -2047), 2047) / 256
		}
	}
	p.columns, p.places = append(p.columns, column), append(p.places, values)
}

// solved returns the solution of linear equations, by Gaussian elimination.
func solved(matrix [][]float64, right []float64) []float64 {
	n := len(right)
	a, x := make([][]float64, n), make([]float64, n)
	for i := range a {
		a[i] = append(slices.Clone(matrix[i]), right[i])
	}
	for i := range n {
		for l := i + 1; l < n; l++ {
			by := a[l][i] / a[i][i]
			for j := i; j <= n; j++ {
				a[l][j] -= by * a[i][j]
			}
		}
	}
	for i := n - 1; i >= 0; i-- {
		x[i] = a[i][n]
		for j := i + 1; j < n; j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x
}

// part returns the term of a row's score that the factor multiplies.
func (p *plain) part(i, k int) (part float64) {
	for j, m := range p.means[k] {
		part += p.weights[k][j] * (p.places[j][i] - m/2)
	}
	return part
}

// fitFactor finds the factor with the smallest log loss. own returns the part of a row's score of its own class, without the row. The loss
// has a further row that is equally of all classes.
func (p *plain) fitFactor(d *rows, own func(i int) float64) {
	parts := make([][]float64, len(d.y))
	for i, y := range d.y {
		for k := range d.classes {
			parts[i] = append(parts[i], p.part(i, k))
		}
		parts[i][y] = own(i)
	}
	loss := func(factor float64) (sum float64) {
		for i, y := range d.y {
			scores, even := make([]float64, d.classes), 0.0
			for k := range scores {
				scores[k] = p.priors[k] + factor*parts[i][k]
				even += scores[k] / float64(d.classes)
			}
			top, total := slices.Max(scores), 0.0
			for _, s := range scores {
				total += math.Exp(s - top)
			}
			all := math.Log(total) + top
			sum += d.weight(i) * (all - scores[y] + (all-even)/float64(len(d.y)))
		}
		return sum
	}
	low, high := 0.0, 2.0
	for range 120 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if loss(a) < loss(b) {
			high = b
		} else {
			low = a
		}
	}
	if p.factor = (low + high) / 2; loss(p.factor) > loss(0)*(1-1e-9) {
		p.factor = 0
	}
}

// scores returns the scores of a row, minus their mean over the classes.
func (p *plain) scores(i int) []float64 {
	scores, mean := make([]float64, len(p.means)), 0.0
	for k := range scores {
		scores[k] = p.priors[k] + p.factor*p.part(i, k)
		mean += scores[k] / float64(len(scores))
	}
	for k := range scores {
		scores[k] -= mean
	}
	return scores
}

// scoresOf returns the linear scores of a row, minus their mean.
func scoresOf(l *model.Linear, x numbers, i int) []float64 {
	places, scores, mean := make([]float32, l.Terms()), make([]float64, len(l.Bias())), 0.0
	for t := range places {
		places[t] = l.Place(t, x[l.Column(t)][i])
	}
	scorer := l.Scorer()
	buffer := make([]float64, scorer.Stride())
	scorer.Scores(places, 1, buffer, kernel.Generic)
	copy(scores, buffer)
	for _, s := range scores {
		mean += s / float64(len(scores))
	}
	for k := range scores {
		scores[k] -= mean
	}
	return scores
}

var cases = []struct {
	name   string
	rows   *rows
	change func(*rows, *rand.Rand)
}{
	{"plain", drawn(1, 300, 4, 5), func(*rows, *rand.Rand) {}},
	{"two classes", drawn(2, 60, 3, 2), func(*rows, *rand.Rand) {}},
	{"one class", drawn(3, 50, 3, 1), func(*rows, *rand.Rand) {}},
	{"one row", drawn(4, 1, 2, 1), func(*rows, *rand.Rand) {}},
	{"a row per class", drawn(5, 40, 3, 40), func(*rows, *rand.Rand) {}},
	{"more features than rows", drawn(6, 20, 40, 3), func(*rows, *rand.Rand) {}},
	{"weights", drawn(7, 300, 4, 5), weigh},
	{"missing", drawn(8, 300, 4, 5), func(d *rows, r *rand.Rand) {
		for j := range d.x {
			for i := range d.y {
				if r.IntN(5) == 0 {
					d.x[j][i] = math.NaN()
				}
			}
		}
	}},
	{"constant columns", drawn(9, 100, 5, 4), func(d *rows, _ *rand.Rand) {
		for i := range d.y {
			d.x[1][i], d.x[2][i], d.x[3][i] = 7, math.NaN(), 0
		}
	}},
	{"a copy", drawn(10, 100, 3, 4), func(d *rows, _ *rand.Rand) { d.x[2] = d.x[0] }},
	{"a class of one row", drawn(11, 200, 3, 3), func(d *rows, _ *rand.Rand) { d.y[17], d.classes = 3, 4 }},
	{"classes without rows", drawn(12, 200, 3, 3), func(d *rows, _ *rand.Rand) { d.classes = 7 }},
	{"a class of weight zero", drawn(13, 200, 3, 4), func(d *rows, r *rand.Rand) {
		weigh(d, r)
		for i, y := range d.y {
			if y == 2 {
				d.weights[i] = 0
			}
		}
	}},
	{"one place per class, a class of weight zero", drawn(14, 60, 2, 3), func(d *rows, _ *rand.Rand) {
		d.weights = make([]float64, len(d.y))
		for i, y := range d.y {
			d.x[0][i], d.x[1][i] = float64(y%2), float64(y%2)
			if y < 2 {
				d.weights[i] = 1
			}
		}
	}},
	{"heavy tails", drawn(15, 400, 4, 4), func(d *rows, r *rand.Rand) {
		for i := range d.y {
			d.x[1][i] *= 1e-300
			d.x[2][i] *= 1e300
			if d.x[3][i] = math.Exp(d.x[3][i]); i%50 == 0 {
				d.x[3][i] = 1e30
			}
		}
	}},
	{"outliers of weight zero", drawn(21, 100, 3, 4), func(d *rows, r *rand.Rand) {
		weigh(d, r)
		for i := range d.y {
			d.x[0][i] *= 1e-300
		}
		d.x[0][5], d.x[0][6], d.x[1][5], d.weights[5], d.weights[6] = 1e300, -1e300, 1e300, 0, 0
	}},
	{"few values", drawn(16, 300, 4, 5), func(d *rows, _ *rand.Rand) {
		for j := range d.x {
			for i := range d.y {
				d.x[j][i] = math.Round(d.x[j][i])
			}
		}
	}},
	{"separable", drawn(17, 200, 2, 4), func(d *rows, _ *rand.Rand) {
		for i, y := range d.y {
			d.x[0][i] = float64(y%2) + 1e-3*d.x[0][i]
			d.x[1][i] = float64(y/2) + 1e-3*d.x[1][i]
		}
	}},
	{"labels by chance", drawn(18, 300, 3, 4), func(d *rows, r *rand.Rand) {
		for i := range d.y {
			d.y[i] = r.IntN(4)
		}
	}},
	{"categories", drawn(19, 300, 4, 5), func(d *rows, r *rand.Rand) {
		d.categorical = 2
		for i := range d.y {
			d.x[0][i], d.x[1][i] = float64(r.IntN(3)+1), float64(r.IntN(9)+1)
		}
	}},
	{"rare classes", drawn(20, 500, 3, 8), func(d *rows, r *rand.Rand) {
		for i := range d.y {
			if d.y[i] > 0 && r.IntN(10) > 0 {
				d.y[i] = 0
			}
		}
	}},
}

// weigh gives the rows random weights that float32 holds exactly.
func weigh(d *rows, r *rand.Rand) {
	d.weights = make([]float64, len(d.y))
	for i := range d.weights {
		d.weights[i] = float64(r.IntN(9)) / 8
	}
	d.weights[0] = 1
}

func init() {
	for i, c := range cases {
		c.change(c.rows, rand.New(rand.NewPCG(uint64(i), 31)))
	}
}

// TestFit compares linear scores with a restatement in float64.
func TestFit(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := c.rows.set(inOrder(len(c.rows.y)), team)
			p, l := c.rows.restate(s), Fit(s, kernel.Generic, team)
			for j := range l.Terms() {
				if !slices.Contains(p.columns, l.Column(j)) {
					t.Errorf("column %d has a term", l.Column(j))
				}
			}
			if p.factor > 0 && c.rows.classes > 1 && l.Terms() != len(p.columns) {
				t.Errorf("%d terms, want %d, with the factor %v", l.Terms(), len(p.columns), p.factor)
			}
			for i := range c.rows.y {
				want := p.scores(i)
				for k, got := range scoresOf(l, c.rows.x, i) {
					if !(math.Abs(got-want[k]) <= 1e-3*(1+math.Abs(want[k]))) {
						t.Fatalf("row %d, class %d: score %v, want %v (factor %v)", i, k, got, want[k], p.factor)
					}
				}
			}
		})
	}
}

// text returns the linear scores as a string.
func text(l *model.Linear) string {
	all := fmt.Sprint(l.Bias())
	for t := range l.Terms() {
		all += fmt.Sprint(l.Column(t), l.Edges(t), l.Places(t), l.Weights(t))
	}
	return all
}

// TestSameBits: scores depend neither on the order of the rows nor on the number of threads or ranks.
func TestSameBits(t *testing.T) {
	large := drawn(40, 40_000, 3, 600) // of which a sample has a third
	weighted := drawn(41, 20_000, 3, 5)
	weigh(weighted, rand.New(rand.NewPCG(41, 0)))
	all := map[string]*rows{"large": large, "large, weighted": weighted}
	for _, c := range cases {
		all[c.name] = c.rows
	}
	for name, d := range all {
		t.Run(name, func(t *testing.T) {
			one := par.NewTeam(1)
			defer one.Close()
			s := d.set(inOrder(len(d.y)), one)
			want := text(Fit(s, kernel.Generic, one))
			for threads := 2; threads <= 3; threads++ {
				team := par.NewTeam(threads)
				if text(Fit(s, kernel.Generic, team)) != want {
					t.Errorf("%d threads: other scores", threads)
				}
				other := d.set(rand.New(rand.NewPCG(uint64(threads), 32)).Perm(len(d.y)), team)
				if text(Fit(other, kernel.Generic, team)) != want {
					t.Error("another order: other scores")
				}
				team.Close()
			}
			for ranks := 2; ranks <= 3; ranks++ {
				r := rand.New(rand.NewPCG(uint64(ranks), 33))
				of := make([][]uint32, ranks)
				for row := range d.y {
					to := r.IntN(ranks)
					if ranks == 3 && to == 1 { // this rank has no rows
						to = 0
					}
					of[to] = append(of[to], uint32(row))
				}
				var wait sync.WaitGroup
				for i, c := range collective.NewLocal(ranks) {
					part := s.Subset(of[i], true, one)
					wait.Go(func() {
						team := par.NewTeam(1)
						defer team.Close()
						part.Ranks = collective.NewGroup(c)
						if text(Fit(part, kernel.Generic, team)) != want {
							t.Errorf("rank %d of %d: other scores", i, ranks)
						}
					})
				}
				wait.Wait()
			}
		})
	}
}

// TestMostFeatures: of many features, the ones that separate the classes are chosen.
func TestMostFeatures(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	const useful = 40
	d := drawn(50, 400, MostFeatures+100, 4)
	r := rand.New(rand.NewPCG(50, 34))
	for j := useful; j < len(d.x); j++ {
		for i := range d.y {
			d.x[j][i] = r.NormFloat64()
		}
	}
	weigh(d, r)
	l := Fit(d.set(inOrder(len(d.y)), team), kernel.Generic, team)
	if l.Terms() != MostFeatures {
		t.Fatalf("%d terms", l.Terms())
	}
	for term := range l.Terms() {
		if column := l.Column(term); term < useful && column != term || term > 0 && column <= l.Column(term-1) {
			t.Fatalf("term %d is of column %d", term, column)
		}
	}
}

// TestGaussians: on new rows of Gaussian classes, the log loss is close to the loss with the true means, also if classes have few rows.
func TestGaussians(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	for _, c := range []struct {
		rows, cols, classes int
		excess              float64
	}{{20_000, 8, 5, 0.005}, {20_000, 10, 200, 0.06}, {3000, 10, 300, 0.4}} {
		r := rand.New(rand.NewPCG(uint64(c.classes), 35))
		means := make([]float64, c.classes*c.cols)
		for i := range means {
			means[i] = r.NormFloat64()
		}
		draw := func(n int) *rows {
			d := &rows{x: make(numbers, c.cols), classes: c.classes}
			for i := range n {
				y := i % c.classes
				d.y = append(d.y, y)
				for j := range d.x {
					d.x[j] = append(d.x[j], means[y*c.cols+j]+r.NormFloat64())
				}
			}
			return d
		}
		d := draw(c.rows)
		l, fresh := Fit(d.set(inOrder(c.rows), team), kernel.Generic, team), draw(3000)
		got, want := 0.0, 0.0
		for i, y := range fresh.y {
			truth := make([]float64, c.classes)
			for k := range truth {
				for j := range fresh.x {
					d := fresh.x[j][i] - means[k*c.cols+j]
					truth[k] -= d * d / 2
				}
			}
			got, want = got+logLoss(scoresOf(l, fresh.x, i), y), want+logLoss(truth, y)
		}
		n := float64(len(fresh.y))
		t.Logf("%+v: %.4f, of the true means %.4f", c, got/n, want/n)
		if got/n > want/n+c.excess {
			t.Errorf("%+v: a log loss of %v, of the true means %v", c, got/n, want/n)
		}
	}
}

// TestOutliers: a few extreme values hardly affect linear scores.
func TestOutliers(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	d := drawn(60, 3000, 6, 20)
	lossOf := func(l *model.Linear) (sum float64) {
		for i, y := range d.y {
			sum += logLoss(scoresOf(l, d.x, i), y)
		}
		return sum / float64(len(d.y))
	}
	want := lossOf(Fit(d.set(inOrder(len(d.y)), team), kernel.Generic, team))
	for j := range d.x {
		for n, wild := range []float64{1e9, -1e30, math.MaxFloat64, 1e3} {
			d.x[j][100*j+n] = wild
		}
	}
	if got := lossOf(Fit(d.set(inOrder(len(d.y)), team), kernel.Generic, team)); got > want+0.1 {
		t.Errorf("a log loss of %v, without wild values %v", got, want)
	}
}

func logLoss(scores []float64, y int) float64 {
	top, sum := slices.Max(scores), 0.0
	for _, s := range scores {
		sum += math.Exp(s - top)
	}
	return math.Log(sum) + top - scores[y]
}

// TestWideTail: middles are finite, also if a bin without weight lies beside one that is wider than MaxFloat64.
func TestWideTail(t *testing.T) {
	const huge = math.MaxFloat64
	f := bin.Feature{Edges: []float64{-huge, huge, math.Nextafter(huge, math.Inf(1))}, Lower: []float64{-huge, -huge, huge, huge}, Upper: []float64{-huge, huge, huge, huge}}
	f.Edges[2] = huge
	for _, counts := range [][]int64{{0, 0, 1, 1, 1}, {0, 1, 1, 1, 0}, {0, 0, 1, 1, 0}, {0, 1, 1, 1, 1}, {0, 9, 1, 1, 9}} {
		of := middles(&f, counts)
		for b, x := range of[1:5] {
			if math.IsNaN(x) || x < f.Lower[b] || x > f.Upper[b] {
				t.Errorf("counts %v: bin %d has middle %v", counts, b+1, x)
			}
		}
	}
}
