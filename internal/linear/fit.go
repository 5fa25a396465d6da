// Package linear fits the linear scores from which training can start: a linear discriminant
// analysis of binned features, in closed form.
//
// It models the rows of each class as a Gaussian with its own mean, all with one covariance. The
// log odds of such classes are linear. The means of classes with few rows are shrunk to the
// common mean, by an empirical Bayes estimate (B. Efron and C. Morris, Stein's estimation rule
// and its competitors, 1973). One factor for all weights then minimizes the log loss on a sample
// of rows whose own class has its mean without them. It corrects the overconfidence of rows that
// are not Gaussian.
//
// All sums over rows are of integers, so the scores do not depend on the order of the rows, the
// number of threads or of machines.
package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
)

// MostFeatures is the most features that scores are fitted to: if there are more, those that
// separate the classes best. Their covariance has MostFeatures² numbers.
const MostFeatures = 512

// MostMeans is the most numbers in the means of all classes.
const MostMeans = 1 << 26

// Fits reports whether scores can be fitted to that many features and classes.
func Fits(features, classes int) bool { return min(features, MostFeatures) <= MostMeans/classes }

// Fit fits linear scores to a training set.
func Fit(set *data.Set, team *par.Team) *model.Linear {
	f := &fit{set: set, team: team, classes: len(set.Classes)}
	f.weigh()
	f.standardize()
	f.sumUp()
	f.solve()
	factor := f.factor()
	return f.scores(factor)
}

// fit computes linear scores.
type fit struct {
	set     *data.Set
	team    *par.Team
	classes int

	weights []int64 // by row, in units; nil: all one
	unit    float64 // rows of mean weight per unit

	features []feature
	counts   []int64 // by class: weight of its rows
	sums     []int64 // features × classes: sums of places × weights
	products []int64 // features × features, the second not before the first: sums of places × places × weights

	rows       float64   // all weight, in rows
	within     []float64 // features × features: Cholesky factor of the covariance within classes
	commonRows float64   // rows of the common mean that a class's own mean is mixed with
	weight     []float64 // classes × features
	offsets    []float64 // by class: half the product of its mean and its weights
	priors     []float64 // by class: log of its share
}

// feature is a column whose bins have places: whole numbers of steps from its mean, at steps to
// a standard deviation.
type feature struct {
	column     int
	places     []int32 // by code
	separation float64 // sum of squares between classes, if features are to be chosen
}

// A standard deviation has steps steps, and places are at most mostSteps from the mean.
const steps, mostSteps = 256, 2047

// mean returns the mean of a class with weight, in standard deviations.
func (f *fit) mean(feature, class int) float64 {
	return float64(f.sums[feature*f.classes+class]) / (steps * float64(f.counts[class]))
}

// classRows returns the weight of a class in rows.
func (f *fit) classRows(class int) float64 { return float64(f.counts[class]) * f.unit }

// solve finds the weights of the classes.
func (f *fit) solve() {
	n := len(f.features)
	between := f.covariances()
	trace, common := 0.0, 0.0
	for j := range n {
		trace += f.within[j*n+j]
		common += between[j]
	}
	// distance of the means that equal classes would show by chance
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

// scores returns the model, its weights and biases relative to the means of all classes.
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

func relative(numbers []float64, mean float64) []float32 {
	all := make([]float32, len(numbers))
	for k, x := range numbers {
		all[k] = float32(x - mean)
	}
	return all
}

// model returns the edges and places of a feature, joining bins of equal places.
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

// best keeps the features that separate the classes best, in their order.
func best(features []feature, most int) []feature {
	if len(features) <= most {
		return features
	}
	slices.SortStableFunc(features, func(a, b feature) int { return cmp.Compare(b.separation, a.separation) })
	features = features[:most]
	slices.SortFunc(features, func(a, b feature) int { return cmp.Compare(a.column, b.column) })
	return features
}

// cholesky replaces the lower triangle of a symmetric matrix by its factor.
func cholesky(a []float64, n int) {
	for j := range n {
		row := a[j*n:][:j+1]
		for i := range j {
			row[i] = (row[i] - dot(row[:i], a[i*n:][:i])) / a[i*n+i]
		}
		row[j] = math.Sqrt(max(row[j]-dot(row[:j], row[:j]), 1e-12))
	}
}

// substitute solves the equations of a matrix with the given factor, in place.
func substitute(factor, x []float64) {
	n := len(x)
	for j := range n {
		x[j] = (x[j] - dot(factor[j*n:][:j], x[:j])) / factor[j*n+j]
	}
	for j := n - 1; j >= 0; j-- {
		x[j] /= factor[j*n+j]
		for i := range j {
			x[i] -= float64(factor[j*n+i] * x[j])
		}
	}
}

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}
