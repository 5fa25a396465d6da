package conformal

import (
	"cmp"
	"math"
	"slices"
)

// Method is how well a class conforms to the probabilities of a row.
type Method string

// The methods. LAC makes the smallest sets on average. APS makes larger ones where
// the model is unsure, and RAPS does so with fewer classes that are unlikely.
const (
	LAC  Method = "lac"  // M. Sadinle, J. Lei and L. Wasserman, Least ambiguous set-valued classifiers with bounded error levels, 2019
	APS  Method = "aps"  // Y. Romano, M. Sesia and E. Candès, Classification with valid and adaptive coverage, 2020
	RAPS Method = "raps" // A. Angelopoulos, S. Bates, J. Malik and M. Jordan, Uncertainty sets for image classifiers using conformal prediction, 2021
)

// Methods are all of them.
var Methods = []Method{LAC, APS, RAPS}

// Rule says which classes are in the set of a row.
type Rule struct {
	scores   *Scores
	method   Method
	limits   []float64 // by class: the worst score of a class in a set
	NonEmpty bool      // sets that would be empty have the most likely class
}

// NewRule returns a rule by which sets miss the class of a row with a probability of
// alpha; of a row of any class alike, if byClass.
func (s *Scores) NewRule(m Method, alpha float64, byClass bool) *Rule {
	first := 0
	if m == RAPS {
		first = s.Tuning
	}
	groups := make([][]ranked, s.Classes)
	for i := first; i < s.Rows(); i++ {
		group := 0
		if byClass {
			group = int(s.Labels[i])
		}
		groups[group] = append(groups[group], ranked{s.score(m, i), s.weight(i)})
	}
	r := &Rule{scores: s, method: m, limits: make([]float64, s.Classes)}
	for k := range r.limits {
		if r.limits[k] = r.limits[0]; byClass || k == 0 {
			r.limits[k] = threshold(groups[k], alpha)
		}
	}
	return r
}

func (s *Scores) score(m Method, row int) float64 {
	switch m {
	case LAC:
		return float64(s.LAC[row])
	case APS:
		return float64(s.APS[row])
	}
	return float64(s.APS[row]) + s.of(int(s.Ranks[row]))
}

// ranked is a score with its weight.
type ranked struct{ score, weight float64 }

// threshold returns the least score that is not exceeded by 1 − alpha of the weight of
// all rows and of one more row, which has their mean weight. It is infinite if there
// are too few rows. Scores are sorted in place.
func threshold(scores []ranked, alpha float64) float64 {
	slices.SortFunc(scores, func(a, b ranked) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return cmp.Compare(a.weight, b.weight)
	})
	total := 0.0
	for _, s := range scores {
		total += s.weight
	}
	n := float64(len(scores))
	need := (1 - alpha) * total * ((n + 1) / n) * (1 - 1e-12) // less what the products round
	sum := 0.0
	for _, s := range scores {
		if sum += s.weight; sum >= need {
			return s.score
		}
	}
	return math.Inf(1)
}

// Sets writes which classes the sets of rows have, from their probabilities; both
// are rows × classes.
func (r *Rule) Sets(proba []float64, sets []bool) {
	classes := r.scores.Classes
	order := make([]int, classes)
	for i := 0; i < len(proba); i += classes {
		r.set(newRow(proba[i:][:classes]), order, sets[i:][:classes])
	}
}

func (r *Rule) set(row row, order []int, set []bool) {
	if r.method == LAC {
		for k := range set {
			set[k] = float64(row.lac(k)) <= r.limits[k]
		}
	} else {
		row.ranked(order, func(k, rank int, above uint64) {
			score := float64(row.aps(row.p[k], above))
			if r.method == RAPS {
				score += r.scores.of(rank)
			}
			set[k] = score <= r.limits[k]
		})
	}
	if r.NonEmpty && !slices.Contains(set, true) {
		set[row.best] = true
	}
}
