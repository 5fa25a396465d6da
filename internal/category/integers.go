package category

import (
	"math"
	"strconv"

	"github.com/libaoso/aoso/internal/bin"
)

// Integers is a source with columns of 64-bit integers, which float64 would round beyond 2⁵³.
type Integers interface {
	bin.Source
	// Integers writes the values of column j to dst, from row first on, and reports whether the column has such integers. A uint64
	// is written as its bits: beyond 2⁶³ it is negative here and positive in Column.
	Integers(j, first int, dst []int64) bool
}

// IntegersOf calls [Integers.Integers] if x has it, and returns false otherwise.
func IntegersOf(x bin.Source, j, first int, dst []int64) bool {
	i, ok := x.(Integers)
	return ok && i.Integers(j, first, dst)
}

// Coded returns x with each different number of the listed columns as a category. Integers keep all digits. Unless all is true, it
// changes only columns of integers.
func Coded(x bin.Source, listed func(j int) bool, all bool) bin.Source {
	var c *coded
	for j := range x.Cols() {
		whole := listed(j) && Categories(x, j) == nil && IntegersOf(x, j, 0, nil)
		if !whole && !(all && listed(j) && Categories(x, j) == nil) {
			continue
		}
		if c == nil {
			c = &coded{x, make([]*numbering, x.Cols())}
		}
		c.columns[j] = newNumbering(x, j, whole)
	}
	if c == nil {
		return x
	}
	return c
}

// coded is a table with some columns of numbers as categories.
type coded struct {
	bin.Source
	columns []*numbering // by column; nil: unchanged
}

func (c *coded) Categories(j int) []string {
	if n := c.columns[j]; n != nil {
		return n.names
	}
	return Categories(c.Source, j)
}

func (c *coded) Column(j, first int, dst []float64) {
	c.Source.Column(j, first, dst)
	if n := c.columns[j]; n != nil {
		n.each(c.Source, j, first, dst, func(i int, key number) { dst[i] = n.positions[key] })
	}
}

func (c *coded) Integers(j, first int, dst []int64) bool {
	return c.columns[j] == nil && IntegersOf(c.Source, j, first, dst)
}

// isNumber reports whether the categories of column j were numbers.
func isNumber(x bin.Source, j int) bool {
	c, ok := x.(*coded)
	return ok && c.columns[j] != nil
}

// number is a value of a column: an int64, the bits of a uint64, or the bits of a float64.
type number struct {
	bits     int64
	unsigned bool
}

// numbering numbers the different values of a column, as positions in names.
type numbering struct {
	whole     bool // the values are integers
	positions map[number]float64
	names     []string
}

func newNumbering(x bin.Source, j int, whole bool) *numbering {
	n := &numbering{whole, map[number]float64{}, []string{}}
	for first, values := range blocks(x, j) {
		n.each(x, j, first, values, func(i int, key number) {
			if _, known := n.positions[key]; known {
				return
			}
			n.positions[key] = float64(len(n.names))
			switch {
			case !whole:
				n.names = append(n.names, Name(values[i]))
			case key.unsigned:
				n.names = append(n.names, strconv.FormatUint(uint64(key.bits), 10))
			default:
				n.names = append(n.names, strconv.FormatInt(key.bits, 10))
			}
		})
	}
	return n
}

// each calls do with every value, from row first on, that is not missing. values has the rows' values as float64.
func (n *numbering) each(x bin.Source, j, first int, values []float64, do func(i int, key number)) {
	var integers [1024]int64
	for start := 0; start < len(values); start += len(integers) {
		part := values[start:min(start+len(integers), len(values))]
		if n.whole {
			IntegersOf(x, j, first+start, integers[:len(part)])
		}
		for i, v := range part {
			switch {
			case v != v:
			case n.whole:
				do(start+i, number{integers[i], v > 0 && integers[i] < 0})
			default:
				do(start+i, number{int64(math.Float64bits(v + 0)), false})
			}
		}
	}
}
