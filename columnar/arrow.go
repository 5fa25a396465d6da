package columnar

import (
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/data"
)

// kindOf returns what the values of an Arrow type become.
func kindOf(t arrow.DataType) Kind {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return kindOf(t.StorageType())
	case *arrow.DictionaryType:
		switch kindOf(t.ValueType) {
		case Unsupported:
			return Unsupported
		}
		if _, nested := t.ValueType.(*arrow.DictionaryType); nested {
			return Unsupported
		}
		return Categories
	}
	switch t.ID() {
	case arrow.NULL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256,
		arrow.TIME32, arrow.TIME64, arrow.DURATION:
		return Numbers
	case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		return Dates
	case arrow.BOOL:
		return Booleans
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return Categories
	}
	return Unsupported
}

// second returns how many of a unit are a second.
func second(unit arrow.TimeUnit) int64 { return int64(time.Second / unit.Multiplier()) }

const day = 24 * 60 * 60

// numbersOf writes values of an array to dst, from the first one on; NaN for nulls.
func numbersOf(a arrow.Array, first int, dst []float64) {
	switch a := a.(type) {
	case *array.Null:
		for i := range dst {
			dst[i] = math.NaN()
		}
	case *array.Boolean:
		for i := range dst {
			dst[i] = 0
			if a.Value(first + i) {
				dst[i] = 1
			}
		}
	case *array.Int8:
		widen(dst, a.Int8Values()[first:])
	case *array.Int16:
		widen(dst, a.Int16Values()[first:])
	case *array.Int32:
		widen(dst, a.Int32Values()[first:])
	case *array.Int64:
		widen(dst, a.Int64Values()[first:])
	case *array.Uint8:
		widen(dst, a.Uint8Values()[first:])
	case *array.Uint16:
		widen(dst, a.Uint16Values()[first:])
	case *array.Uint32:
		widen(dst, a.Uint32Values()[first:])
	case *array.Uint64:
		widen(dst, a.Uint64Values()[first:])
	case *array.Float16:
		for i, v := range a.Values()[first:][:len(dst)] {
			dst[i] = float64(v.Float32())
		}
	case *array.Float32:
		widen(dst, a.Float32Values()[first:])
	case *array.Float64:
		widen(dst, a.Float64Values()[first:])
	case *array.Date32:
		for i, v := range a.Date32Values()[first:][:len(dst)] {
			dst[i] = float64(v) * day
		}
	case *array.Date64:
		seconds(dst, a.Date64Values()[first:], 1e3)
	case *array.Time32:
		seconds(dst, a.Time32Values()[first:], second(a.DataType().(*arrow.Time32Type).Unit))
	case *array.Time64:
		seconds(dst, a.Time64Values()[first:], second(a.DataType().(*arrow.Time64Type).Unit))
	case *array.Timestamp:
		seconds(dst, a.TimestampValues()[first:], second(a.DataType().(*arrow.TimestampType).Unit))
	case *array.Duration:
		seconds(dst, a.DurationValues()[first:], second(a.DataType().(*arrow.DurationType).Unit))
	default:
		decimalsOf(a, first, dst)
	}
	if a.NullN() > 0 {
		for i := range dst {
			if a.IsNull(first + i) {
				dst[i] = math.NaN()
			}
		}
	}
}

func widen[T aoso.Number](dst []float64, values []T) {
	for i, v := range values[:len(dst)] {
		dst[i] = float64(v)
	}
}

func seconds[T ~int32 | ~int64](dst []float64, values []T, per int64) {
	for i, v := range values[:len(dst)] {
		dst[i] = data.Seconds(int64(v), per)
	}
}

func decimalsOf(a arrow.Array, first int, dst []float64) {
	scale := int(a.DataType().(arrow.DecimalType).GetScale())
	for i := range dst {
		var v *big.Int
		switch a := a.(type) {
		case *array.Decimal32:
			v = big.NewInt(int64(a.Value(first + i)))
		case *array.Decimal64:
			v = big.NewInt(int64(a.Value(first + i)))
		case *array.Decimal128:
			v = a.Value(first + i).BigInt()
		case *array.Decimal256:
			v = a.Value(first + i).BigInt()
		}
		dst[i] = data.Decimal(v, scale)
	}
}

// nameOf returns the category that a value of an array stands for, as text; "": missing.
func nameOf(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return ""
	}
	switch a := a.(type) {
	case array.StringLike:
		return a.Value(i)
	case *array.Int64:
		return strconv.FormatInt(a.Value(i), 10)
	case *array.Uint64:
		return strconv.FormatUint(a.Value(i), 10)
	}
	var v [1]float64
	if numbersOf(a, i, v[:]); v[0] != v[0] {
		return ""
	}
	return category.Name(v[0])
}

// storage returns an array without its extension type.
func storage(a arrow.Array) arrow.Array {
	for {
		e, ok := a.(array.ExtensionArray)
		if !ok {
			return a
		}
		a = e.Storage()
	}
}

// arrowColumn reads a column from arrays.
type arrowColumn struct {
	*column
	dictionary arrow.ArrayData // the one read last
	positions  []float64       // of its values in the column's list
}

// read reads rows of an array.
func (c *arrowColumn) read(a arrow.Array, first, rows int) error {
	dst := c.room(rows)
	a = storage(a)
	switch {
	case c.Kind != Categories:
		numbersOf(a, first, dst)
		c.readWhole(a, first, rows)
		return nil
	case a.DataType().ID() == arrow.DICTIONARY:
		return c.readDictionary(a.(*array.Dictionary), first, dst)
	}
	texts := a.(array.StringLike)
	for i := range dst {
		dst[i] = math.NaN()
		if !a.IsNull(first + i) {
			var err error
			if dst[i], err = c.code(bytesOf(texts.Value(first + i))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *arrowColumn) readDictionary(a *array.Dictionary, first int, dst []float64) error {
	names := storage(a.Dictionary())
	if c.dictionary != names.Data() {
		c.positions = make([]float64, names.Len())
		for k := range c.positions {
			var err error
			if c.positions[k], err = c.code([]byte(nameOf(names, k))); err != nil {
				return err
			}
		}
		c.dictionary = names.Data()
	}
	for i := range dst {
		dst[i] = math.NaN()
		if a.IsNull(first + i) {
			continue
		}
		k := a.GetValueIndex(first + i)
		if k < 0 || k >= len(c.positions) {
			return c.failf("the dictionary has no position %d; allowed: 0 to %d", k, len(c.positions)-1)
		}
		dst[i] = c.positions[k]
	}
	return nil
}

// readWhole reads integers that are labels or row ids.
func (c *arrowColumn) readWhole(a arrow.Array, first, rows int) {
	if !c.isWhole() {
		return
	}
	switch a.DataType().ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		c.number = signed
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		c.number = unsigned
	case arrow.FLOAT16, arrow.FLOAT32:
		c.number = float32s
	case arrow.FLOAT64:
		c.number = float64s
	}
	if c.number != signed && c.number != unsigned {
		return
	}
	c.whole = make([]int64, rows)
	for i := range c.whole {
		switch a := a.(type) {
		case *array.Int64:
			c.whole[i] = a.Value(first + i)
		case *array.Uint64:
			c.whole[i] = int64(a.Value(first + i))
		default:
			c.whole[i] = int64(c.values[i])
		}
	}
}
