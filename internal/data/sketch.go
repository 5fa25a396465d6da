package data

import (
	"math"
	"slices"
	"sort"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/par"
)

// Sketch collects what bins are fitted to when rows come in blocks: a sample of the rows, and which columns have missing values.
type Sketch struct {
	Missing []bool // by column: any row has a missing value
	sample  *Sample
	values  *RowBlocks // of the sample, and of rows that prune drops later; nil: no values are stored
	rows    []int      // by row of values: its number
	seen    int        // rows added
}

// NewSketch returns a sketch without rows. seed and size are as for [NewSample].
func NewSketch(cols int, seed uint64, size int) *Sketch {
	return &Sketch{Missing: make([]bool, cols), sample: NewSample(seed, size), values: NewRowBlocks(cols)}
}

// Add adds the rows of x. ids are as for [Sample.Add].
func (s *Sketch) Add(x bin.Source, ids []uint64, team *par.Team) {
	first := s.seen
	s.seen += x.Rows()
	s.sample.Add(first, x.Rows(), ids)
	if s.values == nil {
		return
	}
	drawn := s.sample.rows[sort.Search(len(s.sample.rows), func(i int) bool { return s.sample.rows[i].Row >= first }):]
	picked := make([]int, len(drawn))
	for i, row := range drawn {
		picked[i] = row.Row - first
		s.rows = append(s.rows, row.Row)
	}
	s.values.appendPicked(x, picked, s.Missing, team)
	if len(s.rows)/2 > s.sample.size {
		s.prune(team)
	}
}

// Rows returns the values of the sample and the numbers of its rows, in order.
func (s *Sketch) Rows(team *par.Team) (bin.Source, []int) {
	s.sample.prune()
	s.prune(team)
	return s.values, s.rows
}

// prune drops the values of rows that are no longer in the sample.
func (s *Sketch) prune(team *par.Team) {
	var rows, picked []int
	kept := s.sample.rows
	for i, row := range s.rows {
		for len(kept) > 0 && kept[0].Row < row {
			kept = kept[1:]
		}
		if len(kept) > 0 && kept[0].Row == row {
			rows, picked = append(rows, row), append(picked, i)
		}
	}
	values := NewRowBlocks(s.values.Cols())
	values.appendPicked(s.values, picked, make([]bool, s.values.Cols()), team)
	s.values, s.rows = values, rows
}

// appendPicked adds the picked rows of x, which are in rising order. It sets missing, by column, if any row of x has a missing value,
// picked or not.
func (r *RowBlocks) appendPicked(x bin.Source, picked []int, missing []bool, team *par.Team) {
	const piece = 4096 // rows whose columns are read one after the other, as in a row-major source they share cache lines
	r.reserve(len(picked))
	buffers := make([][]float64, team.Workers())
	for first := 0; first < x.Rows(); first += piece {
		n := min(piece, x.Rows()-first)
		here := picked[:sort.SearchInts(picked, first+n)]
		picked = picked[len(here):]
		team.Do(r.cols, func(worker, j int) {
			if buffers[worker] == nil {
				buffers[worker] = make([]float64, piece)
			}
			values := buffers[worker][:n]
			x.Column(j, first, values)
			missing[j] = missing[j] || slices.ContainsFunc(values, math.IsNaN)
			for i, row := range here {
				values[i] = values[row-first]
			}
			r.store(j, r.rows, values[:len(here)])
		})
		r.rows += len(here)
	}
}
