// Package linear fits linear scores, which can be the initial scores of a model: a linear discriminant analysis (LDA) of binned features,
// in closed form.
//
// It models each class as a Gaussian with its own mean and a covariance that all classes share. Then the log odds of the classes are linear
// in the features. The means of classes with few rows are shrunk towards the common mean, by an empirical Bayes estimate (B. Efron and
// C. Morris, Stein's estimation rule and its competitors, 1973). Finally, all weights are multiplied by one factor, which minimizes the log
// loss of a sample of rows; each is scored with the mean of the other rows of its class. The factor corrects the overconfidence of the
// model on rows that are not Gaussian.
//
// All sums over rows are sums of integers, so the scores depend neither on the order of the rows nor on the number of threads or ranks.
package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// MostFeatures is the largest number of features in the scores. If there are more, the ones that separate the classes best are chosen. Their
// covariance has MostFeatures² numbers.
const MostFeatures = 512

// MostMeans bounds features × classes, the size of the means of all classes.
const MostMeans = 1 << 26

// Fits reports whether [Fit] can fit scores to this many features and classes.
func Fits(features, classes int) bool { return min(features, MostFeatures) <= MostMeans/classes }

// Fit fits linear scores to a training set.
func Fit(set *data.Set, kernels *kernel.Funcs, team *par.Team) *model.Linear {
	f := &fit{set: set, kernels: kernels, team: team, classes: len(set.Classes)}
	f.weigh()
	f.count()
	f.standardize()
	f.sumUp()
	f.solve()
	factor := f.factor()
	return f.scores(factor)
}

// fit computes linear scores.
type fit struct {
	set     *data.Set
	kernels *kernel.Funcs
	team    *par.Team
	classes int

	weights []int64 // by row, in units; nil: each is 1
	unit    float64 // a unit of weight, as a fraction of the mean weight of a row

	features []feature
	counts   []int64 // by class: the weight of its rows, in units
	sums     []int64 // features × classes: sums of places × weights
	products []int64 // features × features, lower triangle: sums of places × places × weights

	rows       float64   // the number of rows
	within     []float64 // features × features: covariance within classes, later its Cholesky factor
	commonRows float64   // how many rows of the common mean are added to the mean of a class
	weight     []float64 // classes × features: the weights of the scores
	offsets    []float64 // by class: half the dot product of its mean and its weights
	priors     []float64 // by class: log of its share among all rows
}

// feature is a standardized column. The place of a bin is the difference between its value and the column's mean, in steps of 1/256
// standard deviation.
type feature struct {
	column     int
	places     []int32 // by code
	separation float64 // sum of squares between classes, if features must be chosen
}

// A standard deviation has `steps` steps. Places are limited to ±mostSteps.
const steps, mostSteps = 256, kernel.MostPlace

// mean returns the mean of a feature in a class, whose weight must not be 0, in standard deviations.
func (f *fit) mean(feature, class int) float64 {
	return float64(f.sums[feature*f.classes+class]) / (steps * float64(f.counts[class]))
}

// classRows returns the weight of a class in rows of mean weight.
func (f *fit) classRows(class int) float64 { return float64(f.counts[class]) * f.unit }

// solve computes the weights, offsets and priors of the classes.
func (f *fit) solve() {
	n := len(f.features)
	between := f.covariances()
	trace, common := 0.0, 0.0
	for j := range n {
		trace += f.within[j*n+j]
		common += between[j]
	}
	// the variance between the means that classes with equal means would have by chance
	noise := float64(trace*float64(f.classes-1)) / max(f.rows, 1)
	f.commonRows = trace / max(common-noise, 1e-9*trace+1e-30)
	ridge := float64(n) / max(f.rows, 1) * (trace/max(float64(n), 1) + 1e-9)
	for j := range n {
		f.within[j*n+j] += ridge + 1e-6
	}
	cholesky(f.within, n)

	means := make([]float64, f.team.Workers()*n)
	f.weight, f.offsets, f.priors = make([]float64, f.classes*n), make([]float64, f.classes), make([]float64, f.classes)
	f.team.Do(f.classes, func(worker, k int) {
		mean, weight := means[worker*n:][:n], f.weight[k*n:][:n]
		rows := f.classRows(k)
		for j := range mean {
			if mean[j] = 0; rows > 0 {
				mean[j] = f.mean(j, k) * (rows / (rows + f.commonRows))
			}
		}
		copy(weight, mean)
		substitute(f.within, weight)
		f.offsets[k] = dot(mean, weight) / 2
		f.priors[k] = loss.Log((rows + 0.5) / (f.rows + 0.5*float64(f.classes)))
	})
}

// scores returns the linear scores. Weights and biases are relative to their means over the classes.
func (f *fit) scores(factor float64) *model.Linear {
	n, classes := len(f.features), float64(f.classes)
	bias := make([]float64, f.classes)
	sum := 0.0
	for k := range bias {
		bias[k] = f.priors[k] - float64(factor*f.offsets[k])
		sum += bias[k]
	}
	l := model.NewLinear(relative(bias, sum/classes))
	if factor == 0 {
		return l
	}
	for j := range f.features {
		weights, sum := make([]float64, f.classes), 0.0
		for k := range weights {
			weights[k] = float64(factor * f.weight[k*n+j])
			sum += weights[k]
		}
		edges, places := f.features[j].model(f.set)
		l.Add(f.features[j].column, edges, places, relative(weights, sum/classes))
	}
	return l
}

// relative returns the numbers minus mean.
func relative(numbers []float64, mean float64) []float32 {
	all := make([]float32, len(numbers))
	for k, x := range numbers {
		all[k] = float32(x - mean)
	}
	return all
}

// model returns the edges and the places, in standard deviations, of the feature's bins, after joining adjacent bins with equal places.
func (f *feature) model(set *data.Set) (edges []float64, places []float32) {
	bins := &set.Mapper.Features[f.column]
	for b := 1; b < bins.Codes(); b++ {
		place := float32(f.places[b]) / steps
		if b > 1 && place == places[len(places)-1] {
			continue
		}
		if b > 1 {
			edges = append(edges, bins.Edges[b-2])
		}
		places = append(places, place)
	}
	return edges, places
}

// best returns the `most` features that separate the classes best, in the order of their columns.
func best(features []feature, most int) []feature {
	if len(features) <= most {
		return features
	}
	// Both sorts are stable, so that the library has the code of one only.
	slices.SortStableFunc(features, func(a, b feature) int { return cmp.Compare(b.separation, a.separation) })
	features = features[:most]
	slices.SortStableFunc(features, func(a, b feature) int { return cmp.Compare(a.column, b.column) })
	return features
}

// cholesky replaces the lower triangle of a symmetric n × n matrix by its Cholesky factor.
func cholesky(a []float64, n int) {
	for j := range n {
		row := a[j*n:][:j+1]
		for i := range j {
			row[i] = (row[i] - dot(row[:i], a[i*n:][:i])) / a[i*n+i]
		}
		row[j] = math.Sqrt(max(row[j]-dot(row[:j], row[:j]), 1e-12))
	}
}

// substitute replaces x by the solution of A·y = x, given the Cholesky factor of A.
func substitute(factor, x []float64) {
	n := len(x)
	forward(factor, x)
	for j := n - 1; j >= 0; j-- {
		x[j] /= factor[j*n+j]
		for i := range j {
			x[i] -= float64(factor[j*n+i] * x[j])
		}
	}
}

// forward replaces x by the solution of L·y = x, given the Cholesky factor L.
func forward(factor, x []float64) {
	n := len(x)
	for j := range n {
		x[j] = (x[j] - dot(factor[j*n:][:j], x[:j])) / factor[j*n+j]
	}
}

// dot has four sums, so that no addition waits for the one before.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var x, y, z, w float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x += float64(a[i] * b[i])
		y += float64(a[i+1] * b[i+1])
		z += float64(a[i+2] * b[i+2])
		w += float64(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		x += float64(a[i] * b[i])
	}
	return (x + y) + (z + w)
}
