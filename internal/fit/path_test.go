package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// drawn returns rows of two classes whose log odds are known, and scores that are those odds
// times a factor.
func drawn(rows int, noise, factor float64) (*data.Target, []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	t := &data.Target{Classes: []string{"a", "b"}}
	var scores []float64
	for range rows {
		odds := 2 * r.NormFloat64()
		y := int32(0)
		if r.Float64()*(1+math.Exp(odds)) < 1 {
			y = 1
		}
		t.Labels = append(t.Labels, y)
		odds += noise * r.NormFloat64()
		scores = append(scores, odds*factor/2, -odds*factor/2)
	}
	return t, scores
}

func follow(t *testing.T, target *data.Target) *path {
	team := par.NewTeam(2)
	t.Cleanup(team.Close)
	return newPath(target, true, kernel.Generic, team)
}

// TestTemperature: the path finds the factor that scores were multiplied by.
func TestTemperature(t *testing.T) {
	for _, factor := range []float64{0.1, 1, 7} {
		target, scores := drawn(50_000, 0, factor)
		p := follow(t, target)
		p.addPoint(10, scores)
		if got := 1 / p.last().factor; math.Abs(got/factor-1) > 0.03 {
			t.Errorf("temperature %g, want %g", got, factor)
		}
		p.temper = false
		p.addPoint(20, scores)
		tempered, raw := p.pointAt(10), p.last()
		if want := metric.Evaluate(scores, 1, target, kernel.Generic, nil); raw.evaluation != *want || raw.evaluation.Errors != tempered.evaluation.Errors ||
			tempered.loss != tempered.evaluation.LogLoss || tempered.loss > want.LogLoss+1e-12 {
			t.Errorf("%+v, tempered %+v; want %+v", raw, tempered, want)
		}
	}
}

// TestCertain: rows that are all predicted right do not make probabilities of 1.
func TestCertain(t *testing.T) {
	target := &data.Target{Classes: []string{"a", "b"}}
	var scores []float64
	for i := range 100 {
		target.Labels = append(target.Labels, int32(i%2))
		scores = append(scores, float64(1-i%2), float64(i%2))
	}
	p := follow(t, target)
	p.addPoint(1, scores)
	if probability := 1 / (1 + math.Exp(-p.last().factor)); !(probability > 0.98 && probability < 0.999) {
		t.Errorf("after 100 right rows, a probability of %g", probability)
	}
}

// TestPick: the last of the points that are about as good as the best.
func TestPick(t *testing.T) {
	target, _ := drawn(2000, 0, 1)
	p := follow(t, target)
	for _, step := range []struct {
		iteration int
		noise     float64
	}{{10, 2}, {20, 1}, {40, 0.2}, {50, -0.15}, {80, 1.5}, {200, 3}} {
		_, scores := drawn(2000, step.noise, 1)
		p.addPoint(step.iteration, scores)
		if over := p.over(); over != (step.iteration >= 80) {
			t.Errorf("after %d iterations: over is %t", step.iteration, over)
		}
	}
	if best, picked := p.points[p.least].iteration, p.points[p.pick].iteration; best != 40 || picked != 50 {
		t.Errorf("best after %d, picked %d", best, picked)
	}
	if at := p.pointAt(79); at.iteration != 50 {
		t.Errorf("after 79 iterations, the point of %d", at.iteration)
	}
	if at := p.pointAt(3); at.iteration != 0 || at.factor != 1 {
		t.Errorf("before the first point: %+v", at)
	}
}

// TestSetLinear: a path accepts linear scores if they predict better than the class frequencies.
func TestSetLinear(t *testing.T) {
	target, scores := drawn(3000, 0, 1)
	p := follow(t, target)
	if !p.setLinear(scores) || p.linear <= 0 || p.linear > p.entropy() {
		t.Errorf("good scores: a loss of %v, %v of the shares", p.linear, p.entropy())
	}
	p.points = append(p.points, point{loss: 0.91 * p.linear})
	p.least = 1
	if !p.weak {
		t.Errorf("a loss of %v of %v is explained well", p.linear, p.entropy())
	}
	if p.improved() {
		t.Error("a loss that is a little less has improved by much")
	}
	if p.points[1].loss *= 0.98; !p.improved() {
		t.Error("a loss that is much less has not improved")
	}
	p.points, p.excess = append(p.points, point{iteration: linearWarmUp - 1}), 3
	if p.over() {
		t.Error("a path is over before trees have had a chance")
	}
	if p.last().iteration++; !p.over() {
		t.Error("a path that rises is not over")
	}
	for i := range scores {
		scores[i] *= 0.1 // a temperature makes them good
	}
	if p = follow(t, target); !p.setLinear(scores) {
		t.Error("good scores times a factor know nothing")
	}
	for i := range target.Labels {
		if target.Labels[i] = 0; scores[2*i+1] > scores[2*i] {
			target.Labels[i] = 1
		}
	}
	if p = follow(t, target); !p.setLinear(scores) || p.weak {
		t.Errorf("scores of clear labels: a loss of %v of %v is explained badly", p.linear, p.entropy())
	}

	rare := &data.Target{Classes: []string{"a", "b", "c"}, Weights: []float32{}}
	scores = nil
	for i := range 3000 {
		rare.Labels, rare.Weights = append(rare.Labels, int32(i%15/14)), append(rare.Weights, 0.5)
		scores = append(scores, math.Log(14), 0, math.Log(1e-3))
	}
	rare.Labels[0], rare.Unknown = -1, 1
	p = follow(t, rare)
	if want := math.Log(15) - 14.0/15*math.Log(14); math.Abs(p.entropy()-want) > 0.01 {
		t.Errorf("the shares have a loss of %v, want %v", p.entropy(), want)
	}
	if p.setLinear(scores) {
		t.Errorf("the shares know more than themselves: a loss of %v", p.linear)
	}
}

// TestOver: where labels are noisy, a path that rises is over sooner, and so is one that hardly falls any more. Any path is over after three
// times the iterations of the point picked; of scouts, after 1.6 times.
func TestOver(t *testing.T) {
	for _, test := range []struct {
		scouts            bool
		errorRate, excess float64
		best, last        int
		loss              float64 // the last one; that of the best is 1
		want              bool
	}{
		{false, 0.2, 1.1, 100, 124, 0.9, false},
		{false, 0.2, 1.1, 100, 125, 0.9, true},
		{false, 0.2, 0.9, 100, 299, 0.9, false},
		{false, 0.2, 0.9, 100, 300, 0.9, true},
		{false, 0.2, 1.1, 5, 19, 0.9, false},
		{false, 0.2, 1.1, 5, 20, 0.9, true},
		{false, 0.2, 0.9, 80, 199, 0.998, false},
		{false, 0.2, 0.9, 80, 200, 0.998, true},
		{false, 0.2, 0.9, 80, 200, 0.996, false},
		{false, 0.02, 0.9, 80, 200, 0.998, false},
		{false, 0.02, 1.1, 100, 299, 0.9, false},
		{false, 0.02, 1.1, 100, 300, 0.9, true},
		{false, 0.02, 2.1, 100, 199, 0.9, false},
		{false, 0.02, 2.1, 100, 200, 0.9, true},
		{false, 0.02, 2.1, 5, 49, 0.9, false},
		{true, 0.2, 1.1, 100, 124, 0.9, false},
		{true, 0.2, 1.1, 100, 125, 0.9, true},
		{true, 0.2, 0.9, 100, 159, 0.9, false},
		{true, 0.2, 0.9, 100, 160, 0.9, true},
		{true, 0.2, 0.9, 5, 79, 0.9, false},
		{true, 0.2, 0.9, 5, 80, 0.9, true},
		{true, 0.02, 2.1, 100, 124, 0.9, false},
		{true, 0.02, 2.1, 100, 125, 0.9, true},
		{true, 0.02, 2.1, 5, 49, 0.9, false},
		{true, 0.02, 2.1, 5, 50, 0.9, true},
	} {
		p := follower(test.errorRate, 1, test.best, test.last).path
		p.scouts, p.excess, p.last().loss = test.scouts, test.excess, test.loss
		if got := p.over(); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

// TestExtrapolate: each doubling lowers the loss by as much as the last one.
func TestExtrapolate(t *testing.T) {
	p := &path{points: []point{{loss: math.Inf(1)}, {iteration: 45, loss: 1.5}, {iteration: 60, loss: 1.2}, {iteration: 100, loss: 1}}}
	for iterations, want := range map[int]float64{100: 1, 150: 0.5, 200: 0.5, 400: 0, 500: -0.5} {
		if got := p.extrapolate(iterations); got != want {
			t.Errorf("after %d iterations %g, want %g", iterations, got, want)
		}
	}
	slower := &path{points: []point{{loss: math.Inf(1)}, {iteration: 25, loss: 7}, {iteration: 50, loss: 3}, {iteration: 100, loss: 2}}}
	if got := slower.extrapolate(400); got != 1.25 {
		t.Errorf("where a doubling lowers the loss by a quarter of the one before: %g, want 1.25", got)
	}
}

// TestBeaten: after a fifth of the iterations, a path knows whether it may still reach another.
func TestBeaten(t *testing.T) {
	other := &path{points: []point{{loss: 0.6}}}
	for _, test := range []struct {
		name       string
		iterations int
		half, now  float64
		want       bool
	}{
		{"too far behind", 100, 1.1, 1, true},
		{"may catch up", 100, 1.2, 1, false},
		{"ahead", 100, 1, 0.5, false},
		{"was ahead", 100, 0.5, 1, false},
		{"too early to tell", 99, 1.1, 1, false},
	} {
		p := &path{points: []point{{loss: math.Inf(1)}, {iteration: 50, loss: test.half}, {iteration: test.iterations, loss: test.now}}, least: 2}
		if test.half < test.now {
			p.least = 1
		}
		if got := p.beaten(other.lowest(), 500); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestUnknown: there is no path on rows without known classes or weight.
func TestUnknown(t *testing.T) {
	for _, target := range []*data.Target{
		{Classes: []string{"a", "b"}},
		{Classes: []string{"a", "b"}, Labels: []int32{-1, -1}, Unknown: 2},
		{Classes: []string{"a", "b"}, Labels: []int32{0, -1}, Weights: []float32{0, 1}, Unknown: 1},
	} {
		if p := follow(t, target); p != nil {
			t.Errorf("%+v: %+v", target, p)
		}
	}
}
