package fit

import (
	"math"
	"testing"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/metric"
)

// follower returns a run of a number of iterations, with the error rate and refined loss of its
// best one.
func follower(errorRate, loss float64, best, iterations int) *run {
	return &run{path: &path{least: 1, pick: 1, points: []point{
		{loss: math.Inf(1)},
		{iteration: best, factor: 1, loss: loss, evaluation: metric.Evaluation{ErrorRate: errorRate}},
		{iteration: iterations, loss: loss + 1, evaluation: metric.Evaluation{ErrorRate: errorRate}},
	}}}
}

// TestTryNext: other settings are tried after those that overfit or whose scores are far too large, and in a thorough
// training after those that predict many rows wrong.
func TestTryNext(t *testing.T) {
	const clearLabels, noisyLabels = 0.02, 0.3
	late, early := func(rate float64) *run { return follower(rate, 1, 400, 500) }, func(rate float64) *run { return follower(rate, 1, 20, 500) }
	sure, stopped := late(clearLabels), late(noisyLabels)
	sure.path.points[1].factor = 0.5
	stopped.stopped = boost.StoppedByTimeLimit
	for _, test := range []struct {
		name     string
		run      *run
		setting  int
		thorough bool
		want     bool
	}{
		{"clear labels", late(clearLabels), 0, true, false},
		{"noisy labels", late(noisyLabels), 0, true, true},
		{"noisy labels and many rows", late(noisyLabels), 0, false, false},
		{"overfit", early(clearLabels), 0, false, true},
		{"scores far too large", sure, 0, false, true},
		{"noisy labels, second settings", late(noisyLabels), 1, true, true},
		{"noisy labels, last settings", late(noisyLabels), 2, true, false},
		{"no time left", stopped, 0, true, false},
	} {
		f := &Fit{job: Job{Settings: make([]boost.Params, 3), Thorough: test.thorough, Choose: true}, phase: HoldOut, run: test.run, setting: test.setting}
		if got := f.tryNext(); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestFitsNoise: large steps from class frequencies end, and others follow, where in the first half of their iterations labels are very noisy, scores are
// too large, and the loss falls slowly.
func TestFitsNoise(t *testing.T) {
	for _, test := range []struct {
		name                    string
		start                   string
		factor, half, errorRate float64 // refined loss after half the iterations; after all so far, 1
		iteration, next         int     // next: trees of the settings that follow
		want                    bool
	}{
		{"noise", "prior", 0.85, 1.15, 0.4, 50, 90, true},
		{"other scores", "linear", 0.8, 1.05, 0.4, 50, 90, false},
		{"scores that are right", "prior", 0.95, 1.05, 0.4, 50, 90, false},
		{"it falls", "prior", 0.8, 1.3, 0.4, 50, 90, false},
		{"few errors", "prior", 0.8, 1.05, 0.3, 50, 90, false},
		{"nearly all trees", "prior", 0.8, 1.05, 0.4, 52, 90, false},
		{"settings that take long follow", "prior", 0.8, 1.05, 0.4, 50, 900, false},
	} {
		r := &run{began: boost.Params{Start: test.start, NEstimators: 100}, iteration: test.iteration, path: &path{least: 1, pick: 1, points: []point{
			{iteration: test.iteration / 2, loss: test.half},
			{iteration: test.iteration, factor: test.factor, loss: 1, evaluation: metric.Evaluation{ErrorRate: test.errorRate}},
		}}}
		follow := boost.Params{NEstimators: test.next}
		f := &Fit{job: Job{Settings: []boost.Params{r.began, follow}, Choose: true}, phase: HoldOut, run: r}
		if got := f.tryNext(); got != test.want || f.fitsNoise() != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestTryNextLinear: settings without linear scores are tried after trees that improved much on
// linear scores, whatever else holds for them.
func TestTryNextLinear(t *testing.T) {
	for _, test := range []struct {
		name    string
		linear  float64 // loss before any tree
		weak    bool
		setting int
		stopped boost.StopReason
		want    bool
	}{
		{"trees do nothing", 1.05, false, 0, "", false},
		{"trees do nothing, linear scores little", 1.05, true, 0, "", true},
		{"trees improve", 1.2, false, 0, "", true},
		{"no time left", 1.2, false, 0, boost.StoppedByTimeLimit, false},
		{"at zero, overfit", 0, false, 1, "", true},
		{"last settings", 0, false, 2, "", false},
	} {
		r := follower(0.3, 1, 20, 500)
		r.path.linear, r.path.weak, r.stopped = test.linear, test.weak, test.stopped
		f := &Fit{job: Job{Settings: make([]boost.Params, 3), Thorough: true, Choose: true, Linear: true}, phase: HoldOut, run: r, setting: test.setting}
		if got := f.tryNext(); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestTryNextFlat: with many classes, other settings of about as many trees are tried where half the trees would have done as well.
func TestTryNextFlat(t *testing.T) {
	for _, test := range []struct {
		name            string
		half, errorRate float64 // refined loss after half the trees; of all trees, 1
		stopped         boost.StopReason
		next            int
		want            bool
	}{
		{"flat", 1.005, 0.3, boost.StoppedByTrees, 160, true},
		{"it still falls", 1.02, 0.3, boost.StoppedByTrees, 160, false},
		{"clear labels", 1.005, 0.02, boost.StoppedByTrees, 160, false},
		{"abandoned", 1.005, 0.3, boost.StoppedByEarlyStopping, 160, false},
		{"the next have many trees", 1.005, 0.3, boost.StoppedByTrees, 200, false},
	} {
		r := &run{began: boost.Params{NEstimators: 100}, stopped: test.stopped, path: &path{least: 1, pick: 1, points: []point{
			{iteration: 50, loss: test.half},
			{iteration: 100, factor: 1, loss: 1, evaluation: metric.Evaluation{ErrorRate: test.errorRate}},
		}}}
		f := &Fit{job: Job{Settings: []boost.Params{{}, r.began, {NEstimators: test.next}}, Choose: true, Linear: true}, phase: HoldOut, run: r, setting: 1}
		if got := f.tryNext(); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestScout: a run that starts from linear scores ends where the scout predicts better with as many trees, and settings without
// them follow. What follows a scout does not depend on it.
func TestScout(t *testing.T) {
	for _, test := range []struct {
		name          string
		scout, linear float64 // least refined losses
		iterations    int
		fall          float64 // of the scout's loss, by the second half of its trees
		want          bool
	}{
		{"the scout is better", 1, 1.01, scoutTrees, 0, true},
		{"the scout has more trees", 1, 1.01, scoutTrees - 1, 0, false},
		{"linear scores are better", 1.01, 1, scoutTrees, 0, false},
		{"the scout soon will be better", 1.01, 1, scoutTrees, 0.02, true},
		{"the scout will not catch up", 1.03, 1, scoutTrees, 0.02, false},
	} {
		falling := func(loss, fall float64, n int) *run {
			return &run{path: &path{points: []point{{loss: loss + fall}, {iteration: (n + 1) / 2, loss: loss + fall}, {iteration: n, loss: loss}}, least: 2}}
		}
		scout, linear := falling(test.scout, test.fall, scoutTrees), falling(test.linear, 0, test.iterations)
		scout.iteration, linear.iteration, linear.path.linear = scoutTrees, test.iterations, test.linear
		p := boost.Params{NEstimators: 80}
		f := &Fit{job: Job{Settings: []boost.Params{{NEstimators: 500}, p}, Choose: true, Linear: true}, phase: HoldOut, run: scout, scouting: true}
		if got := f.settings(); got.NEstimators != scoutTrees || !f.tryNext() || f.startsLinear() {
			t.Errorf("%s: the scout has %+v", test.name, got)
		}
		f.advance()
		f.best, f.run = scout, linear
		if !f.startsLinear() || f.settings() != f.job.Settings[0] {
			t.Errorf("%s: %+v follow the scout", test.name, f.settings())
		}
		if f.beatsLinear() != test.want || f.tryNext() != test.want {
			t.Errorf("%s: %t, others are tried: %t", test.name, f.beatsLinear(), f.tryNext())
		}
		if f.advance(); f.settings() != p || f.beatsLinear() {
			t.Errorf("%s: at the end, %+v", test.name, f.settings())
		}
	}
	for want, third := range map[int]int{1: 500, 2: 80} {
		f := &Fit{job: Job{Settings: []boost.Params{{}, {NEstimators: 80}, {NEstimators: third}}}, baffled: true}
		if f.advance(); f.setting != want {
			t.Errorf("after a scout that explained little, settings %d in place of %d follow linear scores", f.setting, want)
		}
		f.setting, f.job.Thorough = 0, true
		if f.advance(); f.setting != 1 {
			t.Errorf("few rows: settings %d follow linear scores", f.setting)
		}
	}
	few := Fit{job: Job{Settings: []boost.Params{{}, {NEstimators: 2}}}, scouting: true}
	if n := few.settings().NEstimators; n != 2 {
		t.Errorf("a scout of %d trees of 2", n)
	}
}

// TestStartsWeakly: after a scout that explained little, linear scores that do the same have a few trees to improve.
func TestStartsWeakly(t *testing.T) {
	for _, test := range []struct {
		name          string
		baffled, weak bool
		iterations    int
		linear        float64 // loss before any tree
		want          bool
	}{
		{"nothing helps", true, true, weakTrees, 1.05, true},
		{"too early to tell", true, true, weakTrees - 1, 1.05, false},
		{"trees help", true, true, weakTrees, 1.2, false},
		{"linear scores help", true, false, weakTrees, 1.05, false},
		{"the scout helps", false, true, weakTrees, 1.05, false},
	} {
		r := follower(0.3, 1, 20, 500)
		r.path.linear, r.path.weak, r.iteration = test.linear, test.weak, test.iterations
		f := &Fit{job: Job{Linear: true}, baffled: test.baffled, run: r}
		if got := f.startsWeakly(); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
		if f.setting = 1; f.startsWeakly() {
			t.Errorf("%s: a run without linear scores starts weakly", test.name)
		}
	}
}

// TestBetter: the best of several runs wins, wherever it stands.
func TestBetter(t *testing.T) {
	for best := range 3 {
		var winner *run
		runs := []*run{follower(0, 2, 1, 2), follower(0, 2, 1, 2), follower(0, 2, 1, 2)}
		runs[best].path.best().loss = 1
		for _, r := range runs {
			winner = better(winner, r, 1)
		}
		if winner != runs[best] {
			t.Errorf("run %d is not the winner", best)
		}
	}
}
