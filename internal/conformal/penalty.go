package conformal

import "slices"

// The rows that choose the penalty: one in tuningShare, but at most maxTuning, and with many classes, which take time to
// sort, those of enoughTuning scores or manyTuning rows.
const tuningShare, maxTuning, manyTuning, enoughTuning = 5, 1000, 200, 1 << 18

// tuningAlpha is the alpha for which the penalty makes sets small.
const tuningAlpha = 0.1

// lambdas are the penalties to choose from, those of A. Angelopoulos et al.,
// Uncertainty sets for image classifiers using conformal prediction (2021).
var lambdas = [...]float64{0.001, 0.01, 0.1, 0.2, 0.5}

// tuning is what rows tell about penalties: the APS scores of all their classes,
// the most likely first.
type tuning struct {
	rows, classes int
	aps           []float32 // rows × classes
}

// newTuning is for the first of this many rows.
func newTuning(rows, classes int) *tuning {
	n := min(rows/tuningShare, maxTuning, max(manyTuning, enoughTuning/classes))
	return &tuning{n, classes, make([]float32, n*classes)}
}

// add takes a row if it is among the first.
func (t *tuning) add(number int, r row) {
	if number >= t.rows {
		return
	}
	sorted := slices.Clone(r.p) // quicker than ranked, which sorts classes
	slices.Sort(sorted)
	slices.Reverse(sorted)
	above := uint64(0)
	for rank, p := range sorted {
		t.aps[number*t.classes+rank] = r.aps(p, above)
		above += mass(p)
	}
}

// penalty frees as many of the most likely classes as hold the classes of all but
// tuningAlpha of the rows. Of lambdas it takes the one that makes their sets
// smallest, the least where some tie.
func (t *tuning) penalty(s *Scores) Penalty {
	best := Penalty{Free: 1}
	if t.rows == 0 {
		return best
	}
	all := make([]ranked, t.rows)
	for i := range all {
		all[i] = ranked{float64(s.Ranks[i]), s.weight(i)}
	}
	free := min(threshold(all, tuningAlpha), float64(t.classes-1))
	least := t.rows*t.classes + 1
	for _, lambda := range lambdas {
		p := Penalty{lambda, int(free) + 1}
		for i := range all {
			all[i] = ranked{float64(s.APS[i]) + p.of(int(s.Ranks[i])), s.weight(i)}
		}
		if size := t.size(p, threshold(all, tuningAlpha)); size < least {
			best, least = p, size
		}
	}
	return best
}

// size returns the number of classes in the sets of the rows.
func (t *tuning) size(p Penalty, limit float64) (size int) {
	for i, aps := range t.aps {
		if float64(aps)+p.of(i%t.classes) <= limit {
			size++
		}
	}
	return size
}
