package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/kernel"
)

// Suspect is a held-out row as models that were trained without it see its label.
type Suspect struct {
	Row              int // in the dataset
	Label, Other     int // the class of the row, and the most likely other class
	Probability      float64
	OtherProbability float64
	Suspected        bool // the other class is likelier than the label, and reaches its threshold
}

// views are what a path keeps of its rows at a point.
type views struct {
	losses   []float64      // −log of the probability of the row's class
	rivals   []metric.Rival // nil: those of the point's raw scores
	suspects []Suspect      // once they are known
}

// suspects returns the held-out rows at a point, those first whose label is least likely. The threshold of a class is the
// mean of its probability on the rows that have it as label, of all machines (C. Northcutt, L. Jiang and I. Chuang, Confident
// learning, 2021). All machines make the first call for a point at once.
func (p *path) suspects(at *point) []Suspect {
	v := at.views
	if v == nil {
		return nil
	}
	if v.suspects != nil {
		return v.suspects
	}
	if v.rivals == nil {
		v.rivals = p.rivals(at.raw, at.factor)
	}
	const one = 1 << 32 // probabilities as integers have exact sums
	classes := len(p.target.Classes)
	sums := make([]int64, 2*classes) // of probabilities, and of rows
	v.suspects = make([]Suspect, len(p.from))
	for i, y := range p.target.Labels {
		own, rival := -v.losses[i], v.rivals[i]
		s := &v.suspects[i]
		*s = Suspect{Row: int(p.from[i]), Label: int(y), Other: int(rival.Class), Probability: kernel.Exp(own)}
		s.OtherProbability = kernel.Exp(min(0, own+float64(rival.Ahead)))
		sums[y] += int64(math.Round(one * s.Probability))
		sums[classes+int(y)]++
	}
	p.target.Ranks.Sum(sums)
	for i := range v.suspects {
		s := &v.suspects[i]
		s.Suspected = s.OtherProbability > s.Probability && one*s.OtherProbability*float64(sums[classes+s.Other]) >= float64(sums[s.Other])
	}
	slices.SortFunc(v.suspects, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(a.Probability, b.Probability), cmp.Compare(a.Row, b.Row))
	})
	return v.suspects
}
