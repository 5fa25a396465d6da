package odds

import (
	"cmp"
	"slices"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/kernel"
)

// commonOdds are the odds of the classes before the first tree where all rows have the same,
// against the most likely class. A nil pointer stands for odds of one.
type commonOdds struct {
	odds  []float64 // by class
	order []uint32  // the classes from the most likely one on, the lowest where some tie
	sum   float64
}

func newCommonOdds(of InitialScores, classes int) *commonOdds {
	scores := make([]float64, of.Stride())
	of.Scores(0, 1, scores)
	scores = scores[:classes]
	c, most := &commonOdds{odds: scores, order: make([]uint32, classes)}, slices.Max(scores)
	for k, score := range scores {
		c.odds[k], c.order[k] = oddsOf(score-most), uint32(k)
		c.sum += c.odds[k]
	}
	slices.SortStableFunc(c.order, func(i, j uint32) int { return cmp.Compare(c.odds[j], c.odds[i]) })
	return c
}

// at returns the odds of scores that are divided by the temperature.
func (c *commonOdds) at(temperature float64) *commonOdds {
	if c == nil || temperature == 1 {
		return c
	}
	t := &commonOdds{odds: make([]float64, len(c.odds)), order: c.order}
	for k, odds := range c.odds {
		t.odds[k] = kernel.Exp(loss.Log(odds) / temperature)
		t.sum += t.odds[k]
	}
	return t
}

// of returns the odds of a class.
func (c *commonOdds) of(class uint32) float64 {
	if c == nil {
		return 1
	}
	return c.odds[class]
}

// ranked returns the class of a rank. Rank 0 is the most likely class.
func (c *commonOdds) ranked(rank int) uint32 {
	if c == nil {
		return uint32(rank)
	}
	return c.order[rank]
}

// total returns the sum of the odds of all classes.
func (c *commonOdds) total(classes int) float64 {
	if c == nil {
		return float64(classes)
	}
	return c.sum
}
