package memory

import (
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/mem"
)

// dataset bounds the memory of a dataset of that many rows.
func dataset(s data.Shape, rows int) (m Memory) {
	if rows == 0 {
		return m
	}
	codes := float64(s.Columns()) * float64(bin.ColumnBytes(rows))
	if s.Mapped {
		m.Files = wholeBytes(codes + targetBytes*float64(rows))
	} else {
		m.Matrix, m.Rows = wholeBytes(codes), wholeBytes(targetBytes*float64(rows))
	}
	m.Rows += wholeBytes(data.StoredBytes(rows, s.Features))
	return m.Plus(encodings(&s, float64(rows)))
}

// encodings returns the memory of the sparse and joint encodings of columns.
func encodings(s *data.Shape, rows float64) (m Memory) {
	if !s.Dense {
		m.Sparse = wholeBytes((float64(s.Columns()) + 8*math.Ceil(float64(s.Columns())/256)) * rows)
	}
	return m
}

// copied returns the memory of the codes of copied rows. If they are many and the dataset lies
// in a file, they do, too.
func copied(s *data.Shape, rows int) (m Memory) {
	codes := float64(s.Columns()) * float64(bin.ColumnBytes(rows))
	if s.Mapped && codes >= float64(mem.FileMin) {
		m.Files = wholeBytes(codes)
	} else {
		m.Matrix = wholeBytes(codes)
	}
	return m.Plus(encodings(s, float64(rows)))
}

// subset bounds the memory of rows that are copied from a dataset, with their ids; with
// train, ready to train on.
func subset(s data.Shape, rows int, train bool) Memory {
	s.Dense = s.Dense || !train
	m := copied(&s, rows)
	target := float64(targetBytes+8) * float64(rows)
	if s.Mapped && target >= float64(mem.FileMin) {
		m.Files += wholeBytes(target)
	} else {
		m.Rows += wholeBytes(target)
	}
	return m
}

// building bounds the memory of building the datasets of a training run, including the
// datasets, without Runtime. Bins are fitted to at most sampleRows rows.
func building(s data.Shape, p boost.Params, sampleRows int) int64 {
	e := newEstimate(s, &p)
	sample, rows := min(e.rows, float64(sampleRows)), max(e.rows, e.valid)
	sorters := min(e.threads, math.Ceil(e.columns/4))
	work := sortedBytes * sorters * sample
	if e.rows > sample { // rows are drawn before columns are sorted
		work = max(work, drawBytes*sample)
	}
	work += bin.CoderBytes(s.Bins()) * e.columns
	if s.Rated > 0 { // target encodings, categories, and the random order of the rows
		work += (4*(e.columns-float64(s.Features)) + 2*4 + 4) * rows
	}
	if s.Mapped { // kept between the passes over the rows, and buffers
		work += (targetBytes+1)*rows + 3*8*sample*e.columns + 64<<20
	}
	sets := dataset(s, s.Rows).Plus(dataset(s, s.ValidRows))
	return sets.Total + wholeBytes(work)
}
