package aoso

import (
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/mem"
)

// compressed is a matrix stored column after column: the entries of column j are
// values[k] in row index[k] for k from start[j] up to start[j+1], rows rising.
type compressed[T Number, I ~int32 | ~int64] struct {
	start, index []I
	values       []T
	rows         int
}

// CSR returns a matrix of len(indptr)−1 rows stored row after row: row i has
// values[k] in column indices[k] for k from indptr[i] up to indptr[i+1], in
// any order, and 0 (which is not missing) elsewhere. The entries are copied
// into the order of the columns, in as much memory again.
//
// It is an error if indptr does not rise from 0 to at most the length of
// indices and of values, or if a row has a column twice or one not below cols.
func CSR[T Number, I ~int32 | ~int64](indptr, indices []I, values []T, cols int) (Features, error) {
	if err := checkCompressed(indptr, indices, values, "row", "cols", cols); err != nil {
		return nil, err
	}
	rows := len(indptr) - 1
	if int(I(rows)) != rows {
		return nil, badArgument("indptr", len(indptr), "at most %d offsets of this type", math.MaxInt32)
	}
	s := &compressed[T, I]{rows: rows}
	s.start, s.index, s.values = transpose(indptr, indices, values, cols)
	if j, i, ok := rising(s.start, s.index); !ok {
		return nil, badArgument("indices", j, "no column twice, as in row %d", i)
	}
	return s, nil
}

// CSC returns a matrix of len(indptr)−1 columns stored column after column: column
// j has values[k] in row indices[k] for k from indptr[j] up to indptr[j+1],
// and 0 (which is not missing) elsewhere. The slices are used as they are if
// the rows of each column rise; else the entries are copied and sorted.
//
// It is an error if indptr does not rise from 0 to at most the length of
// indices and of values, or if a column has a row twice or one not below rows.
func CSC[T Number, I ~int32 | ~int64](indptr, indices []I, values []T, rows int) (Features, error) {
	if err := checkCompressed(indptr, indices, values, "column", "rows", rows); err != nil {
		return nil, err
	}
	s := &compressed[T, I]{indptr, indices, values, rows}
	if _, _, ok := rising(s.start, s.index); ok {
		return s, nil
	}
	cols := len(indptr) - 1
	if int(I(cols)) != cols {
		return nil, badArgument("indptr", len(indptr), "at most %d offsets of this type", math.MaxInt32)
	}
	s.start, s.index, s.values = transpose(indptr, indices, values, rows)
	s.start, s.index, s.values = transpose(s.start, s.index, s.values, cols)
	if j, i, ok := rising(s.start, s.index); !ok {
		return nil, badArgument("indices", i, "no row twice, as in column %d", j)
	}
	return s, nil
}

// checkCompressed checks what is stored part after part, parts being rows or
// columns, with indices below size.
func checkCompressed[T Number, I ~int32 | ~int64](indptr, indices []I, values []T, part, sizeName string, size int) error {
	if size < 0 {
		return badArgument(sizeName, size, "at least 0")
	}
	if most := mem.Plannable() / 32; float64(size) > most { // of two lists of offsets, and one of columns
		return badArgument(sizeName, size, "at most %.0f, in the memory there is", most)
	}
	if len(indptr) == 0 {
		return badArgument("indptr", "empty", "an offset for each %s, and the end", part)
	}
	if indptr[0] != 0 {
		return badArgument("indptr[0]", indptr[0], "0")
	}
	entries := min(len(indices), len(values))
	for p, start := range indptr[:len(indptr)-1] {
		end := indptr[p+1]
		if end < start || int64(end) > int64(entries) {
			return badArgument("indptr", end, "%d to %d, the number of entries, at the end of %s %d", start, entries, part, p)
		}
		for _, i := range indices[start:end] {
			if i < 0 || int64(i) >= int64(size) {
				return badArgument("indices", i, "at least 0 and below %d, as in %s %d", size, part, p)
			}
		}
	}
	return nil
}

// transpose puts entries stored part after part in the order of their
// indices, which are below size and become the parts.
func transpose[T Number, I ~int32 | ~int64](start, index []I, values []T, size int) (start2, index2 []I, values2 []T) {
	last := start[len(start)-1]
	start2, index2, values2 = make([]I, size+1), make([]I, last), make([]T, last)
	for _, i := range index[:last] {
		start2[int(i)+1]++
	}
	for i := range size {
		start2[i+1] += start2[i]
	}
	next := slices.Clone(start2)
	for p := range len(start) - 1 {
		for k := start[p]; k < start[p+1]; k++ {
			at := next[index[k]]
			next[index[k]]++
			index2[at], values2[at] = I(p), values[k]
		}
	}
	return start2, index2, values2
}

// rising reports whether the indices of each part rise; else it finds one that
// does not.
func rising[I ~int32 | ~int64](start, index []I) (part int, i I, ok bool) {
	for p := range len(start) - 1 {
		for k := int(start[p]) + 1; k < int(start[p+1]); k++ {
			if index[k] <= index[k-1] {
				return p, index[k], false
			}
		}
	}
	return 0, 0, true
}

func (s *compressed[T, I]) Rows() int { return s.rows }
func (s *compressed[T, I]) Cols() int { return len(s.start) - 1 }

func (s *compressed[T, I]) Column(j, first int, dst []float64) {
	clear(dst)
	index, values := s.index[s.start[j]:s.start[j+1]], s.values[s.start[j]:s.start[j+1]]
	for k := firstEntry(index, first); k < len(index); k++ {
		i := int(index[k]) - first
		if i >= len(dst) {
			break
		}
		dst[i] = float64(values[k])
	}
}

func (s *compressed[T, I]) Integers(j, first int, dst []int64) bool {
	values := wholes(s.values)
	if values == nil {
		return false
	}
	scatter(s.index[s.start[j]:s.start[j+1]], values[s.start[j]:s.start[j+1]], first, dst)
	return true
}

// scatter writes the values of a column from row first on, with zeros where it has none.
func scatter[I ~int32 | ~int64](index []I, values []int64, first int, dst []int64) {
	clear(dst)
	for k := firstEntry(index, first); k < len(index); k++ {
		i := int(index[k]) - first
		if i >= len(dst) {
			break
		}
		dst[i] = values[k]
	}
}

// firstEntry returns the position of the first entry in row first or below.
func firstEntry[I ~int32 | ~int64](index []I, first int) (k int) {
	if first > 0 {
		k, _ = slices.BinarySearch(index, I(first))
	}
	return k
}
