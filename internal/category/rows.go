package category

import "github.com/libaoso/aoso/internal/bin"

// Rows returns a table with n rows of x, from row first on.
func Rows(x bin.Source, first, n int) Table { return &rows{x, first, n} }

type rows struct {
	bin.Source
	first, n int
}

func (r *rows) Rows() int { return r.n }

func (r *rows) Column(j, first int, dst []float64) { r.Source.Column(j, r.first+first, dst) }

func (r *rows) Integers(j, first int, dst []int64) bool {
	return IntegersOf(r.Source, j, r.first+first, dst)
}

func (r *rows) Categories(j int) []string { return Categories(r.Source, j) }

// Picked returns a table with the columns of x at the given positions.
func Picked(x bin.Source, positions []int) Table { return &picked{x, positions} }

type picked struct {
	bin.Source
	positions []int
}

func (p *picked) Cols() int { return len(p.positions) }

func (p *picked) Column(j, first int, dst []float64) { p.Source.Column(p.positions[j], first, dst) }

func (p *picked) Integers(j, first int, dst []int64) bool {
	return IntegersOf(p.Source, p.positions[j], first, dst)
}

func (p *picked) Categories(j int) []string { return Categories(p.Source, p.positions[j]) }

// EncodeRows encodes some rows of a table as columns, which [Fit] or [Encoder.Encode] made of the table, encodes them. x has the rows,
// with the same lists of categories as the table; row returns the position in the table of a row of x.
func EncodeRows(columns, x bin.Source, row func(i int) int) bin.Source {
	switch c := columns.(type) {
	case *encoded:
		return &encoded{x, c.columns}
	case *crossed:
		return &crossed{EncodeRows(c.Source, x, row), c.encoder}
	case *ratedSource:
		return &ratedRows{EncodeRows(c.Source, x, row), c, row}
	}
	return x
}

// ratedRows has some rows of a ratedSource.
type ratedRows struct {
	bin.Source
	rated *ratedSource
	row   func(i int) int
}

func (r *ratedRows) Column(j, first int, dst []float64) {
	rates, ok := r.rated.rows[j]
	if !ok {
		r.Source.Column(j, first, dst)
		return
	}
	for i := range dst {
		dst[i] = float64(rates[r.row(first+i)])
	}
}
