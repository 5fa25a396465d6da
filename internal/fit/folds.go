package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/model"
)

// never is the fold of rows that are not held out.
const never = -1

// assignFolds splits the rows into parts, of which the first few are folds to hold out in turn,
// and returns the fold of each row. Every class is spread evenly. A row's fold depends only on
// the seed, on its id, and on the labels and ids of the others. Rows without weight are never
// held out, nor is the only row of a class, without which training would not know the class.
func assignFolds(t *data.Target, parts, folds int, seed uint64) []int8 {
	d := folder{target: t, seed: seed, folds: folds}
	d.count(parts)
	fold := make([]int8, t.Rows())
	for i := range fold {
		fold[i] = never
	}
	for _, row := range d.held() {
		if row.row >= 0 {
			fold[row.row] = row.fold
		}
	}
	return fold
}

// folder finds the rows that folds hold out: of each class, the rows whose ids have the least
// hashes.
type folder struct {
	target *data.Target
	seed   uint64
	folds  int
	rows   []int   // by class: rows with weight
	quota  [][]int // by class and fold: number of rows to hold out
}

// count counts the rows and how many of them each fold holds out: as if the classes, one after
// another, were dealt out.
func (d *folder) count(parts int) {
	counts := make([]int64, len(d.target.Classes))
	for row, y := range d.target.Labels {
		if d.target.Weight(row) > 0 {
			counts[y]++
		}
	}
	d.target.Ranks.Sum(counts)
	dealt := 0
	for _, n := range counts {
		quota := make([]int, d.folds)
		if n >= 2 {
			for i := range quota {
				quota[i] = multiples(dealt+int(n)-1-i, parts) - multiples(dealt-1-i, parts)
			}
			dealt += int(n)
		}
		d.rows, d.quota = append(d.rows, int(n)), append(d.quota, quota)
	}
}

// multiples returns how many numbers from 0 up to n are multiples of m.
func multiples(n, m int) int {
	if n < 0 {
		return 0
	}
	return n/m + 1
}

// heldRow is a row that is held out in a fold.
type heldRow struct {
	hash uint64
	row  int // −1: on another machine
	fold int8
}

// held lists the rows that the folds hold out.
func (d *folder) held() []heldRow {
	const deviations = 6
	bounds := make([]uint64, len(d.rows))
	for y, n := range d.rows {
		share := float64(total(d.quota[y])) / float64(max(n, 1))
		bounds[y] = hash.Fraction(share + deviations*math.Sqrt(share/float64(max(n, 1))))
	}
	least := d.gather(bounds)
	for y, quota := range d.quota {
		if len(least[y]) < total(quota) { // by a chance of one in a billion
			bounds[y] = math.MaxUint64
			return d.distribute(d.gather(bounds))
		}
	}
	return d.distribute(least)
}

func total(quota []int) (sum int) {
	for _, n := range quota {
		sum += n
	}
	return sum
}

// gather lists, by class, the rows of all machines whose hashes are at most the class's bound.
func (d *folder) gather(bounds []uint64) [][]heldRow {
	least := make([][]heldRow, len(bounds))
	var mine []uint64
	for row, y := range d.target.Labels {
		if d.rows[y] < 2 || d.target.Weight(row) == 0 {
			continue
		}
		if h := hash.Row(d.seed, d.target.ID(row)); h <= bounds[y] {
			least[y] = append(least[y], heldRow{h, row, never})
			if d.target.Ranks != nil {
				mine = append(mine, h, uint64(y))
			}
		}
	}
	if d.target.Ranks == nil {
		return least
	}
	for rank, b := range d.target.Ranks.Gather(collective.Pack(mine), 16) {
		if rank == d.target.Ranks.Rank() {
			continue
		}
		for row := range slices.Chunk(collective.Unpack(b), 2) {
			least[row[1]] = append(least[row[1]], heldRow{row[0], -1, never})
		}
	}
	return least
}

// distribute assigns the rows of each class to the folds.
func (d *folder) distribute(least [][]heldRow) (held []heldRow) {
	for y, rows := range least {
		slices.SortFunc(rows, func(a, b heldRow) int { return cmp.Compare(a.hash, b.hash) })
		for fold, n := range d.quota[y] {
			n = min(n, len(rows)) // fewer after an error of the collective
			for i := range rows[:n] {
				rows[i].fold = int8(fold)
			}
			held, rows = append(held, rows[:n]...), rows[n:]
		}
	}
	return held
}

// part is a dataset split in two: the rows to train on, and the held-out rows.
type part struct {
	train, held *data.Set
	rows        []uint32      // held-out rows, by their numbers in the dataset
	member      int           // of an ensemble
	params      *boost.Params // of such a member; nil: the run's
	linear      *model.Linear // of the rows to train on; nil: not fitted yet

	start      *boost.Start // of a run that continues a model, on the rows to train on
	heldScores []float64    // and the model's scores of the held-out rows
}

// newPart holds out the rows of some folds.
func newPart(j *Job, folds []int8, out []int8) part {
	memory := mem.New(4 * len(folds))
	defer memory.Free()
	rows, trained, held := mem.View[uint32](memory), 0, len(folds)
	for row, f := range folds { // from both ends
		if slices.Contains(out, f) {
			held--
			rows[held] = uint32(row)
		} else {
			rows[trained] = uint32(row)
			trained++
		}
	}
	slices.Reverse(rows[held:])
	p := part{
		train: j.Train.Subset(rows[:trained], true, j.Team), held: j.Train.Subset(rows[held:], false, j.Team),
		rows: slices.Clone(rows[held:]),
	}
	if s, classes := j.Start, len(j.Train.Classes); s != nil {
		p.start = &boost.Start{Params: s.Params, Forest: s.Forest, Scores: scoresOf(s.Scores, rows[:trained], classes)}
		p.heldScores = scoresOf(s.Scores, p.rows, classes)
	}
	return p
}

// scoresOf returns the scores of some rows, of a number of classes.
func scoresOf(scores []float64, rows []uint32, classes int) []float64 {
	some := make([]float64, 0, len(rows)*classes)
	for _, row := range rows {
		some = append(some, scores[int(row)*classes:][:classes]...)
	}
	return some
}

// folds returns the fold of each row of the job; nil: there are too few rows.
func (j *Job) folds() []int8 {
	t, seed, parts := &j.Train.Target, j.Settings[0].Seed, Parts(j.Train.AllRows(), j.Folds, len(j.Train.Classes))
	var folds []int8
	switch {
	case j.Split.Groups != nil:
		folds = j.Split.Groups.assign(t, parts, j.Folds, j.Scouts > 0, seed)
	case j.Split.Latest != nil:
		folds = j.Split.Latest
	default:
		folds = assignFolds(t, parts, j.Folds, seed)
	}
	for i := range int8(j.Folds) {
		if !j.Train.Ranks.Any(slices.Contains(folds, i)) {
			return nil
		}
	}
	return folds
}

// newParts returns the parts whose held-out rows judge the settings: one for each fold, or one for each scout of
// an ensemble; nil: there are too few rows.
func newParts(j *Job) (made []part) {
	folds := j.folds()
	switch {
	case folds == nil:
	case j.Scouts > 0:
		made = memberParts(j, folds, 0, j.Scouts)
	default:
		for i := range int8(j.Folds) {
			made = append(made, newPart(j, folds, []int8{i}))
		}
	}
	return made
}

func freeParts(parts []part) {
	for i := range parts {
		parts[i].free()
	}
}

func (p *part) free() {
	p.train.Free()
	p.held.Matrix.Free() // its labels are still in use
}

// pool joins the targets of the held-out rows.
func pool(parts []part) *data.Target {
	first := &parts[0].held.Target
	if len(parts) == 1 {
		return first
	}
	t := &data.Target{Ranks: first.Ranks, Classes: first.Classes}
	for i := range parts {
		t.Labels = append(t.Labels, parts[i].held.Labels...)
		t.Weights = append(t.Weights, parts[i].held.Weights...)
		t.IDs = append(t.IDs, parts[i].held.IDs...)
		t.Soft = t.Soft.Join(parts[i].held.Soft)
	}
	return t
}
