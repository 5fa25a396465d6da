package predict

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Scored is a class of a row and its probability.
type Scored struct {
	Class int
	Proba float64
	score float64
}

// compareScored orders classes by falling score, and classes with equal scores by class.
func compareScored(a, b Scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Class, b.Class))
}

// sortTop sorts all and returns the first n.
func sortTop(all []Scored, n int) []Scored {
	slices.SortFunc(all, compareScored)
	return all[:n]
}

// topper finds the classes with the greatest scores of rows.
type topper struct {
	n       int
	kernels *kernel.Funcs
	compare kernel.CompareJob[float64]
	least   [1]float64 // of the n greatest so far
	above   [kernel.PredictWords]uint64
}

// append appends the n classes with the greatest scores, in order. scores has a score for each class.
func (t *topper) append(best []Scored, scores []float64) []Scored {
	const few = 32 // up to this many classes are selected faster than all are sorted
	if t.n > few {
		all := make([]Scored, len(scores))
		for k, score := range scores {
			all[k] = Scored{Class: k, score: score}
		}
		return append(best, sortTop(all, t.n)...)
	}
	begin := len(best)
	for k := 0; k < len(scores); {
		// Once the first scores are in order, the kernel finds the few of the others that may be greater.
		if words := min(len(scores)-k, kernel.PredictRows) / 64; words > 0 && len(best) == begin+t.n {
			t.least[0] = best[len(best)-1].score
			t.compare.Values, t.compare.Thresholds, t.compare.Right = scores[k:k+64*words], t.least[:], t.above[:]
			t.kernels.Compare(&t.compare)
			for _, word := range t.above[:words] {
				for ; word != 0; word &= word - 1 {
					at := k + bits.TrailingZeros64(word)
					best = t.insert(best, begin, Scored{Class: at, score: scores[at]})
				}
				k += 64
			}
			continue
		}
		for end := min(k+64, len(scores)); k < end; k++ {
			best = t.insert(best, begin, Scored{Class: k, score: scores[k]})
		}
	}
	return best
}

// insert inserts a class into those from begin on, which are in order, unless there are n with at least its score.
func (t *topper) insert(best []Scored, begin int, s Scored) []Scored {
	at := len(best)
	if at < begin+t.n {
		best = append(best, s)
	} else if at--; !(s.score > best[at].score) {
		return best
	}
	for ; at > begin && s.score > best[at-1].score; at-- {
		best[at] = best[at-1]
	}
	best[at] = s
	return best
}

// Top calls use with the n most likely classes of each row. The rows come in any order, and the classes are valid until use returns. With
// sparse leaves, time and memory depend on the number of classes that the leaves change, not on the number of all classes.
func (p *Predictor) Top(j *Job, n int, temperature float64, use func(row int, top []Scored)) {
	if p.sparse() {
		p.eachSparse(j, n, func(row int, e *sparseScores) {
			e.probabilities(temperature)
			use(row, sortTop(e.list, n))
		})
		return
	}
	classes := p.values().classes
	ofScores, ofSoftmax := p.divide(j, temperature)
	p.scores(j, ofScores, nil, func(first int, scores []float64) {
		best, t := make([]Scored, 0, len(scores)/classes*n), topper{n: n, kernels: j.Kernels}
		for row := range slices.Chunk(scores, classes) {
			best = t.append(best, row)
		}
		j.Kernels.Softmax(&kernel.SoftmaxJob{Scores: scores, Classes: classes, Temperature: ofSoftmax})
		for row := range slices.Chunk(scores, classes) {
			top := best[:n]
			for i := range top {
				top[i].Proba = row[top[i].Class]
			}
			use(first, top)
			first, best = first+1, best[n:]
		}
	})
}

// sparse reports whether the model has sparse leaves, and initial scores that are the same for all rows, so that a class that no leaf
// changes has one score.
func (p *Predictor) sparse() bool {
	return p.forest.Named() > 0 && p.values().full == nil && !varies(p.forest.Linear())
}

// eachSparse calls use with the sparse class scores of each row. The rows come in any order. The scores include the first `more` classes that
// no leaf changes.
func (p *Predictor) eachSparse(j *Job, more int, use func(row int, e *sparseScores)) {
	v := p.values()
	initial := newCommonScores(v.linear, v.classes)
	threads, size := j.plan(min(kernel.PredictRows, scoreBytes/(4*max(1, j.Trees)))) // leaf numbers dominate the memory
	team := par.NewTeam(threads)
	defer team.Close()
	j.run(p.blocks(), team, size, func(b *block, first int) {
		if b.sparse == nil {
			b.sparse = &sparseScores{values: v, initial: initial, scores: make([]float64, v.classes), touched: make([]bool, v.classes)}
		}
		e := b.sparse
		e.leaves = slices.Grow(e.leaves[:0], b.rows*j.Trees)[:b.rows*j.Trees]
		b.writeLeaves(e.leaves)
		for i := range b.rows {
			e.load(e.leaves[i*j.Trees:][:j.Trees], more)
			use(first+i, e)
		}
	})
}

// sparseScores has the scores of the classes that the leaves of a row change.
type sparseScores struct {
	*values
	initial *commonScores
	leaves  []int32   // rows × trees, of a block
	scores  []float64 // by class; 0 unless touched
	touched []bool    // by class: a leaf changes it
	list    []Scored  // the classes that leaves change, then others, which have their initial score
	moved   int       // number of classes that leaves change
	at      float64   // temperature of the last row with probabilities; 0: there was none
	total   float64   // at this temperature, the sum over all classes of e to the power of the initial score, less the greatest
}

// commonScores are the initial scores of all rows.
type commonScores struct {
	of    []float64 // by class
	order []int     // the classes by falling score, those with equal scores by class
}

// newCommonScores returns those of initial scores without terms; nil: all are zero.
func newCommonScores(l *model.Linear, classes int) *commonScores {
	c := &commonScores{of: make([]float64, classes), order: make([]int, classes)}
	for k := range c.of {
		if c.order[k] = k; l != nil {
			c.of[k] = model.Round(float64(l.Bias()[k]))
		}
	}
	slices.SortStableFunc(c.order, func(a, b int) int { return cmp.Compare(c.of[b], c.of[a]) })
	return c
}

// exp returns e to the power of a score, where that is not negligible.
func exp(score float64) float64 {
	if score >= kernel.SoftmaxLeast {
		return kernel.Exp(score)
	}
	return 0
}

// load computes the scores of a row with these leaves, by tree, and adds the first `more` classes that no leaf changes.
func (e *sparseScores) load(leaves []int32, more int) {
	e.list = e.list[:0]
	for t, leaf := range leaves {
		at := (int(e.firstLeaf[t]) + int(leaf)) * e.perLeaf
		for i := range e.perLeaf {
			if e.wide != nil {
				e.add(int(e.wide[at+i].r), e.wide[at+i].step)
			} else {
				e.add(int(e.pairs[at+i].R), float64(e.pairs[at+i].Step))
			}
		}
	}
	e.moved = len(e.list)
	for i := range e.list {
		e.list[i].score = e.scores[e.list[i].Class]
	}
	for i := 0; more > 0 && i < e.classes; i++ {
		if k := e.initial.order[i]; !e.touched[k] {
			e.list, more = append(e.list, Scored{Class: k, score: e.initial.of[k]}), more-1
		}
	}
	for _, s := range e.list[:e.moved] {
		e.scores[s.Class], e.touched[s.Class] = 0, false
	}
}

func (e *sparseScores) add(class int, step float64) {
	if class == e.classes { // padding class
		return
	}
	if !e.touched[class] {
		e.touched[class], e.scores[class] = true, e.initial.of[class]
		e.list = append(e.list, Scored{Class: class})
	}
	e.scores[class] += step
}

// probabilities sets the probabilities of the classes in the list.
func (e *sparseScores) probabilities(temperature float64) {
	if temperature == 0 {
		temperature = 1
	}
	most := slices.MaxFunc(e.list, func(a, b Scored) int { return cmp.Compare(a.score, b.score) }).score
	of := func(score float64) float64 { return exp((score - most) / temperature) }
	greatest := e.initial.of[e.initial.order[0]]
	if e.at != temperature {
		e.at, e.total = temperature, 0
		for _, score := range e.initial.of {
			e.total += exp((score - greatest) / temperature)
		}
	}
	unmoved, sum := float64(e.total*of(greatest)), 0.0
	for i := range e.list {
		e.list[i].Proba = of(e.list[i].score)
		if i < e.moved {
			sum += e.list[i].Proba
			unmoved -= of(e.initial.of[e.list[i].Class])
		}
	}
	sum += max(unmoved, 0) // what is left of numbers that were greater may be less than 0
	for i := range e.list {
		e.list[i].Proba /= sum
	}
}
