package linear

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/exact"
	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/kernel"
)

// The factor is fitted to a sample of about sampleScores scores, but at least leastSample and at most mostSample rows.
const sampleScores, leastSample, mostSample = 1 << 23, 256, 1 << 14

// scored has the scores of the sample. A score is prior + factor × part.
type scored struct {
	rows  []int
	parts []float64 // rows × classes
}

// factor returns the factor of the weights that minimizes the log loss of the sample.
func (f *fit) factor() float64 {
	if len(f.features) == 0 || f.rows == 0 {
		return 0
	}
	s := f.sample()
	low, high := 0.0, 2.0
	if slope, _ := f.slope(s, 0); !(slope < 0) {
		return 0
	}
	factor := 1.0
	for range 50 {
		slope, curvature := f.slope(s, factor)
		if slope > 0 {
			high = factor
		} else {
			low = factor
		}
		next := factor - slope/curvature
		if !(next > low && next < high) {
			next = low/2 + high/2
		}
		done := math.Abs(next-factor) < 1e-4*factor
		if factor = next; done {
			break
		}
	}
	return factor
}

// sample draws rows by their ids, so that their order does not matter, and computes their scores. A row's score of its own class uses the
// mean of the class's other rows.
func (f *fit) sample() *scored {
	t, n := &f.set.Target, len(f.features)
	size := min(max(sampleScores/f.classes, leastSample), mostSample)
	below := hash.Fraction(float64(size) / max(f.rows, 1))
	all := t.AllRows() <= size
	s := &scored{}
	for row := range t.Rows() {
		if all || hash.Row(sampleSeed, t.ID(row)) < below {
			s.rows = append(s.rows, row)
		}
	}
	s.parts = make([]float64, len(s.rows)*f.classes)
	memory := make([][]float64, f.team.Workers())
	f.team.Do(len(s.rows), func(worker, i int) {
		if memory[worker] == nil {
			memory[worker] = make([]float64, n)
		}
		x, row, parts := memory[worker], s.rows[i], s.parts[i*f.classes:][:f.classes]
		for j := range x {
			feature := &f.features[j]
			x[j] = float64(feature.places[f.set.Matrix.Columns[feature.column][row]]) / steps
		}
		for k := range parts {
			parts[k] = dot(x, f.weight[k*n:][:n]) - f.offsets[k]
		}
		y := int(t.Labels[row])
		parts[y] = f.partWithout(x, parts[y], f.weightOf(row), y)
	})
	return s
}

const sampleSeed = 0x9d5c0fb9

// partWithout returns the part of a row's score of its own class, using the mean of the class's other rows; part is the one that uses all.
// x has the row's features in standard deviations, and is overwritten.
//
// The mean without the row is m' = a·m − b·x. With the covariance C, the part is x·C⁻¹m' − m'·C⁻¹m'/2, for which x·C⁻¹x is needed beside what
// is known.
func (f *fit) partWithout(x []float64, part float64, weight int64, class int) float64 {
	left := f.counts[class] - weight
	if left <= 0 {
		return 0
	}
	shrunk := func(rows float64) float64 { return rows / (rows + f.commonRows) }
	to := shrunk(float64(left)*f.unit) / float64(left)
	a, b := to/(shrunk(f.classRows(class))/float64(f.counts[class])), to*float64(weight)
	forward(f.within, x)
	xx, xm, mm := dot(x, x), part+f.offsets[class], 2*f.offsets[class]
	return float64(a*xm) - float64(b*xx) - (float64(float64(a*a)*mm)-float64(float64(2*float64(a*b))*xm)+float64(float64(b*b)*xx))/2
}

// slope returns the first and second derivative of the sample's log loss by the factor. The loss has a further row that is equally of all
// classes, which bounds the factor if all rows of the sample are predicted right: other rows may not be.
func (f *fit) slope(s *scored, factor float64) (slope, curvature float64) {
	unknown := 1 / max(f.rows, 1) // the share of the further row that is added to each row
	type sums struct{ slope, curvature exact.Sum }
	memory, parts := make([][]float64, f.team.Workers()), make([]sums, f.team.Workers())
	f.team.Do(len(s.rows), func(worker, i int) {
		if memory[worker] == nil {
			memory[worker] = make([]float64, f.classes)
		}
		p, rowParts := memory[worker], s.parts[i*f.classes:][:f.classes]
		y := f.set.Labels[s.rows[i]]
		for k, part := range rowParts {
			p[k] = f.priors[k] + float64(factor*part)
		}
		most, total := slices.Max(p), 0.0
		for k, score := range p {
			p[k] = 0
			if d := score - most; d >= kernel.SoftmaxLeast {
				p[k] = kernel.Exp(d)
			}
			total += p[k]
		}
		mean, square, even := 0.0, 0.0, 0.0
		for k, p := range p {
			above := rowParts[k] - rowParts[y]
			mean += float64(p / total * above)
			square += float64(p / total * float64(above*above))
			even += above
		}
		even /= float64(f.classes)
		w := float64(f.weightOf(s.rows[i])) * f.unit
		parts[worker].slope.Add(w * (mean + float64(unknown*(mean-even))))
		parts[worker].curvature.Add(w * (1 + unknown) * (square - float64(mean*mean)))
	})
	var all sums
	for i := range parts {
		all.slope.Merge(&parts[i].slope)
		all.curvature.Merge(&parts[i].curvature)
	}
	f.set.Ranks.Add(&all.slope, &all.curvature)
	return all.slope.Float64(), all.curvature.Float64()
}
