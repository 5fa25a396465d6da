package aoso

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/libaoso/aoso/internal/category"
)

// CategoricalFeatures is a table some of whose columns are categorical, such as
// [NewTable] makes. A value of a categorical column is a position in its
// categories, or NaN if it is missing.
type CategoricalFeatures interface {
	Features
	// Categories lists the categories of column j. Nil means that the column holds
	// numbers.
	Categories(j int) []string
}

var _ category.Table = CategoricalFeatures(nil)

// Column is a column of a table: [Numbers], [Texts] or [Codes].
type Column struct {
	rows       int
	read       func(first int, dst []float64)
	integers   []int64  // the numbers, if they are integers of 64 bits; else nil
	categories []string // nil: numbers
	err        error
}

// Numbers returns a column of numbers. NaN is missing. The values are not copied.
func Numbers[T Number](values []T) Column {
	c := Column{rows: len(values), read: func(first int, dst []float64) {
		for i, v := range values[first:][:len(dst)] {
			dst[i] = float64(v)
		}
	}}
	c.integers = wholes(values)
	return c
}

// Texts returns a categorical column. Each different text is a category. The empty
// text is missing.
func Texts(values []string) Column {
	list, codes := category.NewList(), make([]int32, len(values))
	for i, text := range values {
		if codes[i] = -1; text != "" {
			codes[i] = list.Code(text)
		}
	}
	return Codes(codes, list.Names)
}

// Codes returns a categorical column: value i is the category categories[codes[i]]. A
// negative code is missing. Neither slice is copied.
func Codes[T Integer](codes []T, categories []string) Column {
	c := Column{rows: len(codes), categories: categories, read: func(first int, dst []float64) {
		for i, code := range codes[first:][:len(dst)] {
			if dst[i] = float64(code); code < 0 {
				dst[i] = math.NaN()
			}
		}
	}}
	if categories == nil {
		c.categories = []string{}
	}
	if len(categories) > category.MaxCategories {
		c.err = badArgument("categories", len(categories), "at most %d", category.MaxCategories)
	}
	for i, name := range categories {
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			c.err = badArgument(fmt.Sprintf("categories[%d]", i), name, "text in UTF-8 without zero bytes")
		}
	}
	for i, code := range codes {
		if code >= 0 && uint64(code) >= uint64(len(categories)) {
			c.err = badArgument(fmt.Sprintf("codes[%d]", i), code, "below %d, the number of categories", len(categories))
			break
		}
	}
	return c
}

type columnTable []Column

// NewTable returns a table of columns, which must be equally long. Datasets and
// models know categories by their names, so their order in a column does not
// matter.
func NewTable(columns ...Column) (CategoricalFeatures, error) {
	for j, c := range columns {
		if c.err != nil {
			return nil, fmt.Errorf("column %d: %w", j, c.err)
		}
		if c.rows != columns[0].rows {
			return nil, badArgument("columns", c.rows, "%d values in column %d, as in column 0", columns[0].rows, j)
		}
	}
	return columnTable(columns), nil
}

func (t columnTable) Cols() int { return len(t) }

func (t columnTable) Rows() int {
	if len(t) == 0 {
		return 0
	}
	return t[0].rows
}

func (t columnTable) Column(j, first int, dst []float64) { t[j].read(first, dst) }

func (t columnTable) Integers(j, first int, dst []int64) bool {
	if t[j].integers == nil {
		return false
	}
	copy(dst, t[j].integers[first:])
	return true
}

func (t columnTable) Categories(j int) []string { return t[j].categories }
