package aoso

import (
	"fmt"
	"time"

	"github.com/libaoso/aoso/internal/collective"
)

// pace compares the time of ranks with the time that one of them would take alone: at most what all of them compute, because what they do
// in common would be done once.
type pace struct {
	ranks   *collective.Group
	warn    func(error)
	steps   int
	compare int           // number of steps after which they compare next
	took    time.Duration // of the steps
	waited  time.Duration // in calls of the collective
	done    bool
}

const (
	comparedFirst = 8           // steps; then twice as many each time
	comparedTime  = time.Second // a training run that ends earlier needs no advice
	comparedRatio = 1.25        // ranks that are slower by less than that are not worth a word
)

func newPace(ranks *collective.Group, warn func(error)) *pace {
	if ranks == nil {
		return nil
	}
	return &pace{ranks: ranks, warn: warn, compare: comparedFirst}
}

// step returns a function that ends a step, to be called if all ranks have done it. It warns once.
func (p *pace) step() func() {
	if p == nil || p.done {
		return func() {}
	}
	began, waited := time.Now(), p.ranks.Waited()
	return func() {
		p.steps++
		p.took += time.Since(began)
		p.waited += p.ranks.Waited() - waited
		if p.steps < p.compare {
			return
		}
		p.compare *= 2
		// The least time of all: others may have waited for what a callback of one rank did.
		alone, least := []int64{int64(p.took - p.waited)}, []int64{-int64(p.took)}
		p.ranks.SumMax(alone, least)
		if took := time.Duration(-least[0]); p.ranks.Err() == nil && took >= comparedTime {
			p.done = true
			p.judge(took, time.Duration(alone[0]))
		}
	}
}

func (p *pace) judge(took, alone time.Duration) {
	if p.ranks.Rank() == 0 && p.warn != nil && float64(took) > comparedRatio*float64(alone) {
		p.warn(fmt.Errorf("%d ranks took %.1f s for %d trees; one of them alone would take about %.1f s if it had the memory for all rows, because it sends no messages",
			p.ranks.Size(), took.Seconds(), p.steps, alone.Seconds()))
	}
}
