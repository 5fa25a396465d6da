package linear

import (
	"math"
	"math/bits"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/kernel"
)

// weigh rounds the weights to integers, with so few bits that no sum overflows.
func (f *fit) weigh() {
	t := &f.set.Target
	rows := t.AllRows()
	f.rows, f.unit = float64(rows), 1
	if t.Weights == nil {
		return
	}
	most := []int64{0}
	for _, w := range t.Weights {
		most[0] = max(most[0], int64(math.Float32bits(w))) // the bits compare as the numbers do, as none is negative
	}
	t.Ranks.Max(most)
	const available = 62 - 2*11 // bits, without the bits of two places
	digits := min(20, available-bits.Len(uint(rows)))
	scale := float64(int64(1)<<digits) / max(float64(math.Float32frombits(uint32(most[0]))), math.SmallestNonzeroFloat32)
	f.weights = make([]int64, len(t.Weights))
	total := []int64{0}
	for i, w := range t.Weights {
		f.weights[i] = int64(math.RoundToEven(float64(float64(w) * scale)))
		total[0] += f.weights[i]
	}
	t.Ranks.Sum(total)
	f.unit = float64(rows) / max(float64(total[0]), 1)
}

func (f *fit) weightOf(row int) int64 {
	if f.weights == nil {
		return 1
	}
	return f.weights[row]
}

// standardize lists the numeric features and computes the places of their bins.
func (f *fit) standardize() {
	x := f.set.Matrix
	columns := f.set.Columns()
	first := make([]int, len(columns)+1) // by column: the position of its codes in counts
	for i, j := range columns {
		first[i+1] = first[i] + f.set.Mapper.Features[j].Codes()
	}
	counts := make([]int64, first[len(columns)]) // by column and code: the weight of its rows
	f.team.Do(len(columns), func(_, i int) {
		counts := counts[first[i]:first[i+1]]
		if f.weights == nil {
			for _, code := range x.Columns[columns[i]] {
				counts[code]++
			}
			return
		}
		for row, code := range x.Columns[columns[i]] {
			counts[code] += f.weights[row]
		}
	})
	f.set.Ranks.Sum(counts)
	f.features = make([]feature, 0, len(columns))
	places := make([]int32, len(counts))
	for i, j := range columns {
		bins := &f.set.Mapper.Features[j]
		if bins.Categorical {
			continue
		}
		counts := counts[first[i]:first[i+1]]
		middles := middles(bins, counts)
		if feature, ok := newFeature(j, places[first[i]:first[i+1]], &middles, counts); ok {
			f.features = append(f.features, feature)
		}
	}
}

// middles returns, by code, the value that stands for the values of a bin, given the bins' weights: the middle of the bin. The first and the
// last bin may reach far out with few values there, so their value is not further out than the mean of an exponential tail that begins
// with the density of the next bin.
func middles(f *bin.Feature, counts []int64) (values [256]float64) {
	n := len(f.Lower)
	for b := range n {
		values[b+1] = f.Lower[b]/2 + f.Upper[b]/2
	}
	tail := func(at, next int) float64 {
		half := f.Edges[next-1]/2 - f.Edges[next-2]/2 // twice that may overflow, and Inf × 0 is NaN
		return 2 * (half * (float64(counts[at]) / max(float64(counts[next]), 1)))
	}
	if n > 3 {
		values[1] = max(values[1], f.Upper[0]-tail(1, 2))
		values[n] = min(values[n], f.Lower[n-1]+tail(n, n-1))
	}
	return values
}

// newFeature computes the places of a column's bins, given the middles and weights of the bins, all by code. It returns false if all values
// are about the same.
func newFeature(column int, places []int32, middles *[256]float64, counts []int64) (f feature, ok bool) {
	codes := len(places)
	drawIn(middles[1:codes], counts[1:codes])
	total, most := 0.0, 0.0
	for b := 1; b < codes; b++ {
		if counts[b] > 0 { // the middle of an empty bin may be far out
			total += float64(counts[b])
			most = max(most, math.Abs(middles[b]))
		}
	}
	if total == 0 || most == 0 {
		return f, false
	}
	mean, variance := 0.0, 0.0
	for b := 1; b < codes; b++ {
		if middles[b] /= most; counts[b] > 0 { // scaled so that no square overflows
			mean += float64(float64(counts[b]) / total * middles[b])
		}
	}
	for b := 1; b < codes; b++ {
		if d := middles[b] - mean; counts[b] > 0 {
			variance += float64(float64(counts[b]) / total * float64(d*d))
		}
	}
	if variance < 1e-20 {
		return f, false
	}
	f.column, f.places = column, places
	scale := steps / math.Sqrt(variance)
	for b := 1; b < codes; b++ {
		f.places[b] = int32(min(max(math.RoundToEven(float64((middles[b]-mean)*scale)), -mostSteps), mostSteps))
	}
	return f, true
}

// drawIn clamps outliers: with [low, high] the range between the 5th and the 95th percentile, to [low − (high − low), high + (high − low)].
// Otherwise a single extreme value could make all other values nearly equal.
func drawIn(middles []float64, counts []int64) {
	total, sum := int64(0), int64(0)
	for _, n := range counts {
		total += n
	}
	low, high := -1, -1
	for b, n := range counts {
		if sum += n; low < 0 && 20*sum >= total {
			low = b
		}
		if high < 0 && 20*sum >= 19*total {
			high = b
		}
	}
	if low == high {
		return
	}
	first, last := middles[low]/4, middles[high]/4 // divided so that nothing overflows
	width := last - first
	for b, x := range middles {
		middles[b] = min(max(x, 4*(first-width)), 4*(last+width))
	}
}

// count adds up the weights of the rows of each class.
func (f *fit) count() {
	t := &f.set.Target
	f.counts = make([]int64, f.classes)
	for row, y := range t.Labels {
		f.counts[y] += f.weightOf(row)
	}
	t.Ranks.Sum(f.counts)
}

// sumUp computes the sums for the means of the classes and for the covariance.
func (f *fit) sumUp() {
	t := &f.set.Target
	if len(f.features) > MostFeatures {
		f.choose()
	}
	f.sums = make([]int64, len(f.features)*f.classes)
	f.team.Do(len(f.features), func(_, j int) { f.sumColumn(&f.features[j], f.sums[j*f.classes:][:f.classes]) })
	t.Ranks.Sum(f.sums)
	f.sumProducts()
	t.Ranks.Sum(f.products)
}

// sumColumn adds up places × weights of a feature by class.
func (f *fit) sumColumn(feature *feature, sums []int64) {
	labels := f.set.Labels
	column := f.set.Matrix.Columns[feature.column][:len(labels)]
	if f.weights == nil {
		for row, y := range labels {
			sums[y] += int64(feature.places[column[row]])
		}
		return
	}
	for row, y := range labels {
		sums[y] += f.weights[row] * int64(feature.places[column[row]])
	}
}

// choosing is the number of features whose sums choose computes at once.
const choosing = 256

// choose reduces f.features to the MostFeatures that separate the classes best, each by itself.
func (f *fit) choose() {
	sums := make([]int64, min(choosing, len(f.features))*f.classes)
	for first := 0; first < len(f.features); first += choosing {
		part := f.features[first:min(first+choosing, len(f.features))]
		sums := sums[:len(part)*f.classes]
		clear(sums)
		f.team.Do(len(part), func(_, j int) { f.sumColumn(&part[j], sums[j*f.classes:][:f.classes]) })
		f.set.Ranks.Sum(sums)
		for j := range part {
			between := 0.0
			for k, sum := range sums[j*f.classes:][:f.classes] {
				if f.counts[k] > 0 {
					between += float64(float64(sum) / float64(f.counts[k]) * float64(sum))
				}
			}
			part[j].separation = between // comparable, as the variance of each feature is 1
		}
	}
	f.features = best(f.features, MostFeatures)
}

// blockRows is the number of rows whose products sumProducts adds up at once.
const blockRows = kernel.ProductRows

// sumProducts adds up products of places × weights of all pairs of features.
func (f *fit) sumProducts() {
	if f.weights == nil {
		f.sumUnweighted()
		return
	}
	n, rows := len(f.features), f.set.Rows()
	type workspace struct{ places, weighted, sums []int64 }
	workspaces := make([]workspace, f.team.Workers())
	f.team.Do((rows+blockRows-1)/blockRows, func(worker, b int) {
		w := &workspaces[worker]
		if w.sums == nil {
			*w = workspace{make([]int64, n*blockRows), make([]int64, n*blockRows), make([]int64, n*n)}
		}
		first := b * blockRows
		last := min(first+blockRows, rows)
		for j := range f.features {
			feature := &f.features[j]
			for i, code := range f.set.Matrix.Columns[feature.column][first:last] {
				place := int64(feature.places[code])
				w.places[j*blockRows+i], w.weighted[j*blockRows+i] = place, place*f.weightOf(first+i)
			}
		}
		for j := range n {
			for l := range j + 1 {
				w.sums[j*n+l] += integerDot(w.places[j*blockRows:][:last-first], w.weighted[l*blockRows:][:last-first])
			}
		}
	})
	f.products = make([]int64, n*n)
	for _, w := range workspaces {
		for i, sum := range w.sums {
			f.products[i] += sum
		}
	}
}

// sumUnweighted is sumProducts for rows that all weigh the same, by a kernel.
func (f *fit) sumUnweighted() {
	n, rows := len(f.features), f.set.Rows()
	all := (n + 3) / 4 * 4
	jobs := make([]kernel.ProductsJob, f.team.Workers())
	f.team.Do((rows+blockRows-1)/blockRows, func(worker, b int) {
		j := &jobs[worker]
		if j.Sums == nil {
			*j = kernel.ProductsJob{Places: make([]int16, all*blockRows), Features: all, Sums: make([]int64, all*all)}
		}
		first := b * blockRows
		last := min(first+blockRows, rows)
		for i := range f.features {
			feature, places := &f.features[i], j.Places[i*blockRows:][:blockRows]
			for row, code := range f.set.Matrix.Columns[feature.column][first:last] {
				places[row] = int16(feature.places[code])
			}
			clear(places[last-first:])
		}
		f.kernels.Products(j)
	})
	f.products = make([]int64, n*n)
	for _, j := range jobs {
		for i := range n {
			for l := 0; l <= i && j.Sums != nil; l++ {
				f.products[i*n+l] += j.Sums[i*all+l]
			}
		}
	}
}

func integerDot(a, b []int64) int64 {
	b = b[:len(a)]
	var x, y, z, w int64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x += a[i] * b[i]
		y += a[i+1] * b[i+1]
		z += a[i+2] * b[i+2]
		w += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		x += a[i] * b[i]
	}
	return (x + y) + (z + w)
}

// covariances sets f.within to the covariance within classes, and returns the variance of each feature's class means.
func (f *fit) covariances() (between []float64) {
	n := len(f.features)
	total := max(float64(f.rows)/f.unit, 1) // in units
	f.within, between = make([]float64, n*n), make([]float64, n)
	f.team.Do(n, func(_, j int) {
		for l := range j + 1 {
			all, classes := float64(f.products[j*n+l])/(steps*steps), 0.0
			for k, count := range f.counts {
				if count > 0 {
					classes += float64(float64(float64(f.sums[j*f.classes+k])/steps) * (float64(f.sums[l*f.classes+k]) / (steps * float64(count))))
				}
			}
			f.within[j*n+l] = (all - classes) / total
			if j == l {
				between[j] = classes / total
			}
		}
	})
	return between
}
