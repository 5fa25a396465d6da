package columnar

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/libaoso/aoso/internal/data"
)

// parquetColumn reads a column from chunks, one for each row group.
type parquetColumn struct {
	*column
	chunk file.ColumnChunkReader
	read  func(dst []float64) error // reads this many rows of the chunk
}

// readRows reads the next rows of the chunk.
func (c *parquetColumn) readRows(rows int) error {
	c.whole = c.whole[:0]
	return c.read(c.room(rows))
}

// newColumn chooses how the values of a column become numbers.
func (s *parquetSource) newColumn(of *column) *parquetColumn {
	c := &parquetColumn{column: of}
	p := s.nodes[of.index].(*schema.PrimitiveNode)
	switch p.PhysicalType() {
	case parquet.Types.Boolean:
		c.read = reading(c, booleans)
	case parquet.Types.Int32:
		c.read = reading(c, integers[int32, uint32](c, s, p))
	case parquet.Types.Int64:
		c.read = reading(c, integers[int64, uint64](c, s, p))
	case parquet.Types.Int96:
		c.read = reading(c, int96s)
	case parquet.Types.Float:
		c.number = float32s
		c.read = reading(c, plain[float32])
	case parquet.Types.Double:
		c.number = float64s
		c.read = reading(c, plain[float64])
	case parquet.Types.ByteArray:
		if c.list != nil {
			c.read = reading(c, c.texts)
		} else {
			c.read = reading(c, decimals[parquet.ByteArray](scaleOf(p)))
		}
	default:
		if isDecimal(p) {
			c.read = reading(c, decimals[parquet.FixedLenByteArray](scaleOf(p)))
		} else {
			c.number = float32s
			c.read = reading(c, halves)
		}
	}
	return c
}

// reading reads values of a type with a function that converts them.
func reading[T any](c *parquetColumn, convert func(dst []float64, values []T) error) func(dst []float64) error {
	b := &batch[T]{}
	return func(dst []float64) error {
		r, ok := c.chunk.(chunkReader[T])
		if !ok {
			return fmt.Errorf("its values are of type %s, the schema says another", c.chunk.Type())
		}
		return readInto(b, r, dst, convert)
	}
}

func plain[T int32 | int64 | float32 | float64](dst []float64, values []T) error {
	widen(dst, values)
	return nil
}

func booleans(dst []float64, values []bool) error {
	for i, v := range values {
		if dst[i] = 0; v {
			dst[i] = 1
		}
	}
	return nil
}

// integers converts integers of a signed type S, which may be times, decimals or
// stand for those of the unsigned type U.
func integers[S int32 | int64, U uint32 | uint64](c *parquetColumn, s *parquetSource, p *schema.PrimitiveNode) func([]float64, []S) error {
	per := int64(0)
	if unit, ok := s.units[p.Name()]; ok && p.PhysicalType() == parquet.Types.Int64 {
		per = second(unit)
	}
	switch logical := p.LogicalType().(type) {
	case schema.NullLogicalType:
		return func(dst []float64, _ []S) error {
			for i := range dst {
				dst[i] = math.NaN()
			}
			return nil
		}
	case schema.DateLogicalType:
		return func(dst []float64, values []S) error {
			for i, v := range values {
				dst[i] = float64(v) * day
			}
			return nil
		}
	case schema.TimestampLogicalType:
		per = perSecond(logical.TimeUnit())
	case schema.TimeLogicalType:
		per = perSecond(logical.TimeUnit())
	case schema.DecimalLogicalType:
		scale := int(logical.Scale())
		return func(dst []float64, values []S) error {
			for i, v := range values {
				dst[i] = data.Decimal(big.NewInt(int64(v)), scale)
			}
			return nil
		}
	case schema.IntLogicalType:
		if !logical.IsSigned() {
			c.number = unsigned
			return func(dst []float64, values []S) error {
				for i, v := range values {
					dst[i] = float64(U(v))
				}
				if c.isWhole() {
					for _, v := range values {
						c.whole = append(c.whole, int64(U(v)))
					}
				}
				return nil
			}
		}
	}
	if per > 0 {
		return func(dst []float64, values []S) error {
			seconds(dst, values, per)
			return nil
		}
	}
	c.number = signed
	return func(dst []float64, values []S) error {
		widen(dst, values)
		if c.isWhole() {
			for _, v := range values {
				c.whole = append(c.whole, int64(v))
			}
		}
		return nil
	}
}

func perSecond(unit schema.TimeUnitType) int64 {
	return map[schema.TimeUnitType]int64{schema.TimeUnitMillis: 1e3, schema.TimeUnitMicros: 1e6, schema.TimeUnitNanos: 1e9}[unit]
}

// int96s converts timestamps of old writers: nanoseconds of a day, and its Julian
// number.
func int96s(dst []float64, values []parquet.Int96) error {
	const epoch = 2_440_588 // the Julian number of 1970-01-01
	for i, v := range values {
		nanoseconds, julian := int64(binary.LittleEndian.Uint64(v[:8])), int64(binary.LittleEndian.Uint32(v[8:]))
		dst[i] = data.Seconds((julian-epoch)*day*1e9+nanoseconds, 1e9)
	}
	return nil
}

func halves(dst []float64, values []parquet.FixedLenByteArray) error {
	for i, v := range values {
		dst[i] = float64(float16.FromLEBytes(v).Float32())
	}
	return nil
}

func decimals[T ~[]byte](scale int) func([]float64, []T) error {
	return func(dst []float64, values []T) error {
		for i, v := range values {
			dst[i] = data.Decimal(data.BigEndian(v), scale)
		}
		return nil
	}
}

// texts converts texts to positions in the column's list.
func (c *parquetColumn) texts(dst []float64, values []parquet.ByteArray) (err error) {
	for i, v := range values {
		if dst[i], err = c.code(v); err != nil {
			return err
		}
	}
	return nil
}

func isDecimal(p *schema.PrimitiveNode) bool {
	_, ok := p.LogicalType().(schema.DecimalLogicalType)
	return ok
}

func scaleOf(p *schema.PrimitiveNode) int {
	if d, ok := p.LogicalType().(schema.DecimalLogicalType); ok {
		return int(d.Scale())
	}
	return 0
}
