package loss

import (
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// entries is the probabilities of rows in a form that does not grow with the number of
// classes. The softmax does not see a step that all classes share, so a leaf moves its
// best classes by steps relative to those of all others. A row has an entry for each
// class that a leaf has moved: its odds against a class that none has moved. All
// classes without an entry have the probability rest.
type entries struct {
	table[float32]
	labels  []int32
	classes int
	rows    []rowSums
	width   int // mean entries of a row, and one
}

// rowSums is what the entries of a row sum up to.
type rowSums struct {
	rest  float64 // probability of each class without an entry
	own   float64 // p_y
	other float64 // 1 − p_y, as the sum of the others
}

// Odds stay in these bounds, so that no sum overflows.
const leastOdds, mostOdds = 1e-30, 1e30

func multiplyOdds[N number](odds N, by float64) N {
	return N(min(max(float64(odds)*by, leastOdds), mostOdds))
}

// NewSparse is NewResiduals in the form for many classes.
func NewSparse(labels []int32, weights []float32, classes, stride int) *Residuals {
	e := &entries{table: newTable(len(labels), 1, multiplyOdds[float32]), labels: labels, classes: classes, rows: make([]rowSums, len(labels)), width: 1}
	k := float64(classes)
	for i := range e.rows {
		e.rows[i] = rowSums{rest: 1 / k, own: 1 / k, other: (k - 1) / k}
	}
	r := &Residuals{
		entries: e, Stride: stride, Classes: classes, Labels: labels, Weights: weights,
		memory: mem.New(0), rows: len(labels), maxWeight: 1,
	}
	if len(weights) > 0 {
		r.maxWeight = slices.Max(weights)
	}
	r.SetUnits(float32((k - 1) / k))
	return r
}

// Sparse tells whether the residuals have the form for many classes.
func (r *Residuals) Sparse() bool { return r.entries != nil }

// Width is how many numbers a row has, or about as many: a measure of the work with it.
func (r *Residuals) Width() int {
	if r.Sparse() {
		return r.entries.width
	}
	return r.Stride
}

// copy is entries of the same rows that share nothing with e.
func (e *entries) copy() *entries {
	return &entries{table: e.table.copy(), labels: e.labels, classes: e.classes, rows: slices.Clone(e.rows), width: e.width}
}

func (e *entries) free() {
	e.table.free()
	e.rows = nil
}

// Move multiplies the odds of each row by a step, given its number, −1 for none. It
// returns Σ (1 − p_y) over all rows and the greatest of these.
func (r *Residuals) Move(steps []Step, of []int32, team *par.Team) (sum float64, most float32) {
	e := r.entries
	e.move(steps, of, team, e.sumRow)
	e.width = e.mean() + 1
	for i := range e.rows {
		sum += e.rows[i].other
		most = max(most, float32(e.rows[i].other))
	}
	return sum, most
}

// sumRow sums up the odds of a row.
func (e *entries) sumRow(row int, classes []uint32, odds []float32) {
	e.rows[row] = sumOdds(classes, odds, uint32(e.labels[row]), e.classes)
}

// sumOdds is the sums of a row of class y.
func sumOdds[N number](classes []uint32, odds []N, y uint32, all int) rowSums {
	own, without, at := 1.0, all-len(odds), below(classes, y)
	after := at
	if at < len(classes) && classes[at] == y {
		own, after = float64(odds[at]), at+1
	} else {
		without--
	}
	others := float64(without) + (sumLanes(odds[:at]) + sumLanes(odds[after:]))
	z := others + own
	return rowSums{rest: 1 / z, own: own / z, other: others / z}
}

// sumLanes adds numbers up in four lanes.
func sumLanes[N number](numbers []N) float64 {
	var a, b, c, d float64
	for ; len(numbers) >= 4; numbers = numbers[4:] {
		a, b, c, d = a+float64(numbers[0]), b+float64(numbers[1]), c+float64(numbers[2]), d+float64(numbers[3])
	}
	for _, x := range numbers {
		a += float64(x)
	}
	return (a + b) + (c + d)
}
