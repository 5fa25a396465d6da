package columnar

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
)

// role is what a column is read for.
type role uint8

const (
	feature role = iota
	label
	weight
	rowID
	text
)

// column is a column that is read, and its values in the current block.
type column struct {
	Column
	index  int // in the file
	role   role
	values []float64 // numbers, or positions in list
	list   *list     // nil: numbers

	// Of a label, a row id or a text that is a number:
	number numberType
	whole  []int64 // the integers, which float64 may round; unsigned ones as their bits
}

// numberType is the type of the numbers of a column.
type numberType uint8

const (
	otherNumber numberType = iota
	signed
	unsigned
	float32s
	float64s
)

// columnError is what is wrong with a column.
type columnError struct {
	column string
	err    error
}

func (e *columnError) Error() string { return fmt.Sprintf("column %q: %v", e.column, e.err) }
func (e *columnError) Unwrap() error { return e.err }

// failf returns an error in the column.
func (c *column) failf(format string, args ...any) error {
	return c.fail(fmt.Errorf(format, args...))
}

// fail adds the name of the column to an error, unless it has it.
func (c *column) fail(err error) error {
	if _, named := err.(*columnError); err == nil || named {
		return err
	}
	return &columnError{c.Name, err}
}

// check checks that the column can have its role.
func (c *column) check() error {
	switch {
	case c.Kind == Unsupported:
		return c.failf("is of type %s; allowed: numbers, decimals, booleans, texts, dictionaries of these, dates, timestamps, times and durations", c.Type)
	case c.role == weight && c.Kind != Numbers:
		return c.failf("is of type %s; allowed: numbers, because they are weights", c.Type)
	case c.role == label && c.Kind == Dates:
		return c.failf("is of type %s; allowed: texts, integers, floats and booleans, because they are labels", c.Type)
	}
	return nil
}

// room returns the values of a block of this many rows, to be written.
func (c *column) room(rows int) []float64 {
	if cap(c.values) < rows {
		c.values = make([]float64, rows)
	}
	c.values = c.values[:rows]
	return c.values
}

// labelsOf returns the labels of a block, before which this many rows were read.
func (c *column) labelsOf(rows, before int) (aoso.Labels, error) {
	values := c.values[:rows]
	if err := c.complete(rows, before, "label"); err != nil {
		return nil, err
	}
	switch {
	case c.list != nil:
		codes := make([]int32, rows)
		for i, v := range values {
			codes[i] = int32(v)
		}
		return aoso.CodedLabels(codes, c.list.names)
	case c.Kind == Booleans:
		codes := make([]int8, rows)
		for i, v := range values {
			codes[i] = int8(v)
		}
		return aoso.CodedLabels(codes, []string{"False", "True"})
	case c.number == signed:
		return aoso.IntLabels(c.whole[:rows]), nil
	case c.number == unsigned:
		bits := make([]uint64, rows)
		for i, v := range c.whole[:rows] {
			bits[i] = uint64(v)
		}
		return aoso.IntLabels(bits), nil
	case c.number == float32s:
		narrow := make([]float32, rows)
		for i, v := range values {
			narrow[i] = float32(v)
		}
		return aoso.FloatLabels(narrow)
	case c.number == float64s:
		return aoso.FloatLabels(values)
	}
	return nil, c.failf("is of type %s; allowed: texts, integers, floats and booleans, because they are labels", c.Type)
}

// idsOf returns the row ids of a block, before which this many rows were read.
func (c *column) idsOf(rows, before int) ([]uint64, error) {
	if c.number != signed && c.number != unsigned {
		return nil, c.failf("is of type %s; allowed: integers, because they are row ids", c.Type)
	}
	if err := c.complete(rows, before, "row id"); err != nil {
		return nil, err
	}
	ids := make([]uint64, rows)
	for i, v := range c.whole[:rows] {
		ids[i] = uint64(v)
	}
	return ids, nil
}

// complete checks that no value of a block is missing.
func (c *column) complete(rows, before int, what string) error {
	for i, v := range c.values[:rows] {
		if v != v {
			return c.failf("row %d: the %s is missing", before+i, what)
		}
	}
	return nil
}

// isWhole reports whether integers of the column are to be kept as they are.
func (c *column) isWhole() bool { return c.role == label || c.role == rowID || c.role == text }

// texts returns the values of a block as texts; "" for a missing one.
func (c *column) texts(rows int) []string {
	texts, whole := make([]string, rows), c.whole
	for i, v := range c.values[:rows] {
		var n int64
		if len(whole) > 0 && (v == v || len(c.whole) == rows) { // whole may leave out missing values
			n, whole = whole[0], whole[1:]
		}
		switch {
		case v != v:
		case c.list != nil:
			texts[i] = c.list.names[int(v)]
		case c.Kind == Booleans:
			texts[i] = map[bool]string{false: "false", true: "true"}[v == 1]
		case c.Kind == Dates:
			texts[i] = dateText(v)
		case c.number == signed:
			texts[i] = strconv.FormatInt(n, 10)
		case c.number == unsigned:
			texts[i] = strconv.FormatUint(uint64(n), 10)
		case c.number == float32s:
			texts[i] = numberText(v, 32)
		default:
			texts[i] = numberText(v, 64)
		}
	}
	return texts
}

// numberText returns a number of this many bits, with all digits unless it is very long.
func numberText(v float64, bits int) string {
	const long, short = 1e15, 1e-6
	if size := math.Abs(v); size != 0 && (size >= long || size < short) {
		return strconv.FormatFloat(v, 'g', -1, bits)
	}
	return strconv.FormatFloat(v, 'f', -1, bits)
}

// dateText returns seconds since 1970 as a date, with the time of day unless it is midnight.
func dateText(seconds float64) string {
	t := time.UnixMicro(int64(math.Round(seconds * 1e6))).UTC()
	if t.Truncate(24 * time.Hour).Equal(t) {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999999Z")
}

// list is the categories of a column, in order of first sight.
type list struct {
	names []string
	codes map[string]int32
}

func newList() *list { return &list{[]string{}, map[string]int32{}} }

// code returns the position of a category in the list, which takes it up if it is new;
// NaN for the empty text, which is missing. The text is copied.
func (c *column) code(text []byte) (float64, error) {
	code, known := c.list.codes[string(text)]
	switch {
	case known:
		return float64(code), nil
	case len(text) == 0:
		return math.NaN(), nil
	case len(c.list.names) == category.MaxCategories:
		return 0, c.failf("there are more than %d categories", category.MaxCategories)
	case !utf8.Valid(text):
		return 0, c.failf("the text %q is not UTF-8", shortened(text))
	case strings.IndexByte(string(text), 0) >= 0:
		return 0, c.failf("the text %q has a zero byte", shortened(text))
	}
	code = int32(len(c.list.names))
	name := string(text)
	c.list.names = append(c.list.names, name)
	c.list.codes[name] = code
	return float64(code), nil
}

func shortened(text []byte) []byte {
	const most = 40
	return text[:min(most, len(text))]
}
