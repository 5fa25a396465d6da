package predict

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/metric"
	"github.com/libaoso/aoso/kernel"
)

// Row predicts one row after the other without allocating memory. Only one goroutine may use it at a time.
type Row struct {
	*walks
	adder
	trees  int      // number of trees to use
	keys   []uint64 // by slot: of the row's values
	walk   kernel.WalkJob
	leaves [runTrees]uint16 // of a run
	scores []float64
	sums   []int32 // of the short values of a run
	linear linear  // initial scores

	// By stage: bounds of what this stage and all later ones add. walks has the bounds of single stages.
	restLow, restHigh, restSize []float64
	rounding                    float64 // bound of the rounding error of a sum, relative to the sum of its terms' absolute values
}

// newRow returns a Row that the kernels k predict with the first trees.
func (w *walks) newRow(k *kernel.Funcs, trees int) *Row {
	r := &Row{
		walks:  w,
		adder:  w.values.newAdder(k),
		trees:  trees,
		keys:   make([]uint64, max(w.memberSlots+len(w.slots), w.values.most)),
		scores: make([]float64, w.values.stride()),
		linear: newLinear(w.values, k),
	}
	if r.short != nil {
		r.sums = make([]int32, r.short.classes)
	}
	r.walk = kernel.WalkJob{Branches: w.branches, Keys: r.keys, Leaves: r.leaves[:]}
	r.boundRests()
	return r
}

func (r *Row) runs() int { return (r.trees + runTrees - 1) / runTrees }

// boundRests adds up the bounds of stages, from the last one backwards. The bounds of a stage also hold if only its first trees are used, as
// they include 0.
func (r *Row) boundRests() {
	stages, classes := (r.runs()+r.stage-1)/r.stage, r.classes
	r.restLow, r.restHigh = make([]float64, (stages+1)*classes), make([]float64, (stages+1)*classes)
	r.restSize = make([]float64, stages+1)
	for stage := stages - 1; stage >= 0; stage-- {
		for k := stage * classes; k < (stage+1)*classes; k++ {
			r.restLow[k] = r.restLow[k+classes] + r.low[k]
			r.restHigh[k] = r.restHigh[k+classes] + r.high[k]
		}
		r.restSize[stage] = r.restSize[stage+1] + r.size[stage]
	}
	// Half an ulp for each addition to either score and to either bound. Twice that covers the rounding of the rounding errors.
	additions := r.trees*(2*r.perLeaf+2) + 8
	r.rounding = float64(4*additions) * 0x1p-53
}

// least and greatest are the keys of the largest finite numbers. Infinite values count as these.
var least, greatest = bin.Key(-math.MaxFloat64), bin.Key(math.MaxFloat64)

// Load sets the row to predict.
func (r *Row) Load(row []float64) {
	keys := r.keys[r.memberSlots:]
	for i, s := range r.slots {
		x := row[s.feature]
		switch {
		case x == x:
			keys[i] = max(least, min(bin.Key(x), greatest))
		case s.missingRight:
			keys[i] = math.MaxUint64
		default:
			keys[i] = 0
		}
	}
	for _, m := range r.members {
		m.load(row[m.feature], r.keys)
	}
	if r.linear.Linear != nil {
		r.linear.loadRow(row)
	}
	r.linear.write(0, r.scores, 1, r.kernels)
}

// walkRun finds the leaves of the row in the trees of a run. Of these, the trees from first up to last are used.
func (r *Row) walkRun(run int) (first, last int) {
	first, last = run*runTrees, min((run+1)*runTrees, r.trees)
	end := min((run+1)*runTrees, len(r.walks.walks))
	r.walk.Walks = r.walks.walks[first:end]
	r.walk.Depths = r.depths[first/kernel.WalkLanes : end/kernel.WalkLanes]
	r.kernels.Walk(&r.walk)
	return first, last
}

// addRun adds the values of a run of trees to the scores.
func (r *Row) addRun(run int) {
	first, last := r.walkRun(run)
	if r.short == nil {
		r.add(r.scores, 1, first, last, r.leaves[:], 1)
		return
	}
	r.addShort(r.sums, 1, first, last, r.leaves[:], 1, false)
	r.short.addScores(r.scores[:r.classes], r.sums)
}

// Scores returns the raw scores of the row, valid until the next Load.
func (r *Row) Scores() []float64 {
	for run := range r.runs() {
		r.addRun(run)
	}
	return r.scores[:r.classes]
}

// ScoresOf writes the raw scores of some classes to scores.
func (r *Row) ScoresOf(classes []int, scores []float64) {
	if r.full == nil || r.classes <= fewClasses*len(classes) {
		all := r.Scores()
		for i, k := range classes {
			scores[i] = all[k]
		}
		return
	}
	for i, k := range classes {
		scores[i] = r.scores[k]
	}
	for run := range r.runs() {
		first, last := r.walkRun(run)
		for t, leaf := range r.leaves[:last-first] {
			steps := r.full[(int(r.firstLeaf[first+t])+int(leaf))*r.classes:][:r.classes]
			for i, k := range classes {
				scores[i] += float64(steps[k])
			}
		}
	}
}

// fewClasses is the number of scores that a kernel adds up in the time that ScoresOf needs for one.
const fewClasses = 12

// Class returns the class with the greatest score, and the number of trees used: it stops when the remaining trees cannot change the class.
// Of equal scores, the lowest class wins.
func (r *Row) Class() (class, trees int) {
	if r.linear.Linear != nil {
		class = r.greatest()
	}
	for run := range r.runs() {
		if run > 0 && run%r.stage == 0 && r.decided(class, run/r.stage) {
			return class, run * runTrees
		}
		r.addRun(run)
		class = r.greatest()
	}
	return class, r.trees
}

// greatest returns the class with the greatest score so far.
func (r *Row) greatest() int { return metric.Argmax(r.scores[:r.classes]) }

// decided reports whether a class will have the greatest score alone after the trees from a stage on, however their sums are rounded.
func (r *Row) decided(class, stage int) bool {
	low, high := r.restLow[stage*r.classes:][:r.classes], r.restHigh[stage*r.classes:][:r.classes]
	own := r.scores[class]
	for k, score := range r.scores[:r.classes] {
		size := math.Abs(own) + math.Abs(score) + r.restSize[stage]
		if k != class && own+low[class]-score-high[k] <= r.rounding*size {
			return false
		}
	}
	return true
}
