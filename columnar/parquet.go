package columnar

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// parquetSource is a Parquet file.
type parquetSource struct {
	file  *file.Reader
	nodes []schema.Node             // the top-level columns
	leaf  []int                     // of each, its number among the columns that have values
	units map[string]arrow.TimeUnit // of durations, by column: only the Arrow schema tells
}

// pageBuffer is how much of each column of a row group is read at once.
const pageBuffer = 1 << 18

func newParquet(r parquet.ReaderAtSeeker, size int64) (*parquetSource, error) {
	properties := parquet.NewReaderProperties(newAllocator(size))
	properties.BufferedStreamEnabled, properties.BufferSize = true, pageBuffer
	f, err := file.NewParquetReader(r, file.WithReadProps(properties))
	if err != nil {
		return nil, err
	}
	s := &parquetSource{file: f, units: map[string]arrow.TimeUnit{}}
	root := f.MetaData().Schema.Root()
	leaves := 0
	for j := range root.NumFields() {
		s.nodes, s.leaf = append(s.nodes, root.Field(j)), append(s.leaf, leaves)
		leaves += countLeaves(root.Field(j))
	}
	s.readUnits()
	return s, nil
}

func countLeaves(n schema.Node) (leaves int) {
	group, ok := n.(*schema.GroupNode)
	if !ok {
		return 1
	}
	for j := range group.NumFields() {
		leaves += countLeaves(group.Field(j))
	}
	return leaves
}

// readUnits finds the units of durations in the Arrow schema that Arrow's writers
// add to a file. Parquet has no durations: there they are integers.
func (s *parquetSource) readUnits() {
	text := s.file.MetaData().KeyValueMetadata().FindValue("ARROW:schema")
	if text == nil {
		return
	}
	message, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		return
	}
	r, err := newStreamReader(bytes.NewReader(message), int64(len(message)))
	if err != nil {
		return
	}
	defer r.Release()
	for _, f := range r.Schema().Fields() {
		if d, ok := f.Type.(*arrow.DurationType); ok {
			s.units[f.Name] = d.Unit
		}
	}
}

func (s *parquetSource) rows() int64 { return s.file.NumRows() }

func (s *parquetSource) pandas() string {
	if text := s.file.MetaData().KeyValueMetadata().FindValue(pandasKey); text != nil {
		return *text
	}
	return ""
}

func (s *parquetSource) columns() []Column {
	var columns []Column
	for _, n := range s.nodes {
		c := Column{Name: n.Name(), Type: "struct", Kind: Unsupported}
		p, ok := n.(*schema.PrimitiveNode)
		switch {
		case ok && n.RepetitionType() == parquet.Repetitions.Repeated:
			c.Type = "list"
		case ok:
			c.Type, c.Kind = s.typeName(p), s.kind(p)
		case n.LogicalType() != nil && !n.LogicalType().IsNone():
			c.Type = strings.ToLower(n.LogicalType().String())
		}
		columns = append(columns, c)
	}
	return columns
}

// typeName returns the type of a column for people.
func (s *parquetSource) typeName(p *schema.PrimitiveNode) string {
	if unit, ok := s.units[p.Name()]; ok && p.PhysicalType() == parquet.Types.Int64 {
		return fmt.Sprintf("duration[%s]", unit)
	}
	if logical := p.LogicalType(); logical != nil && !logical.IsNone() {
		return logical.String()
	}
	return p.PhysicalType().String()
}

// kind returns what the values of a column become.
func (s *parquetSource) kind(p *schema.PrimitiveNode) Kind {
	logical := p.LogicalType()
	switch logical.(type) {
	case schema.NullLogicalType:
		return Numbers
	case schema.DateLogicalType, schema.TimestampLogicalType:
		return Dates
	}
	switch p.PhysicalType() {
	case parquet.Types.Boolean:
		return Booleans
	case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.Float, parquet.Types.Double:
		return Numbers
	case parquet.Types.Int96:
		return Dates
	}
	switch logical.(type) {
	case schema.DecimalLogicalType, schema.Float16LogicalType:
		return Numbers
	case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
		if p.PhysicalType() == parquet.Types.ByteArray {
			return Categories
		}
	}
	return Unsupported
}

func (s *parquetSource) read(columns []*column, most int, give func(rows int) error) error {
	readers := make([]*parquetColumn, len(columns))
	for i, c := range columns {
		if c.Kind == Categories {
			c.list = newList()
		}
		readers[i] = s.newColumn(c)
	}
	for g := range s.file.NumRowGroups() {
		if err := s.readGroup(g, readers, most, give); err != nil {
			return err
		}
	}
	return nil
}

// readGroup reads a row group.
func (s *parquetSource) readGroup(g int, columns []*parquetColumn, most int, give func(rows int) error) error {
	group := s.file.RowGroup(g)
	for _, c := range columns {
		chunk, err := group.Column(s.leaf[c.index])
		if err != nil {
			return c.fail(err)
		}
		defer chunk.Close()
		c.chunk = chunk
	}
	left := group.NumRows()
	for left > 0 {
		rows := int(min(int64(most), left))
		for _, c := range columns {
			if err := c.readRows(rows); err != nil {
				return c.fail(err)
			}
		}
		left -= int64(rows)
		if err := give(rows); err != nil {
			return err
		}
	}
	return nil
}

// batch is some values of a column chunk: their definition levels, by which nulls
// are told, and those that are not null.
type batch[T any] struct {
	levels []int16
	values []T
}

// chunkReader is a reader of values of a type.
type chunkReader[T any] interface {
	ReadBatchInPage(size int64, values []T, definition, repetition []int16) (rows int64, read int, err error)
	HasNext() bool
	Err() error
	Descriptor() *schema.Column
}

// readInto reads as many rows as dst has; convert writes values as numbers.
func readInto[T any](b *batch[T], r chunkReader[T], dst []float64, convert func(dst []float64, values []T) error) error {
	if len(b.values) < len(dst) {
		b.values, b.levels = make([]T, len(dst)), make([]int16, len(dst))
	}
	highest := r.Descriptor().MaxDefinitionLevel()
	for len(dst) > 0 {
		rows, read, err := r.ReadBatchInPage(int64(len(dst)), b.values[:len(dst)], b.levels[:len(dst)], nil)
		if err != nil {
			return err
		}
		if rows <= 0 {
			return fmt.Errorf("the values end %d rows before the row group does", len(dst))
		}
		if rows > int64(len(dst)) || read > int(rows) {
			return fmt.Errorf("there are %d values in %d rows", read, rows)
		}
		part := dst[:rows]
		dst = dst[rows:]
		if err := convert(part[:read], b.values[:read]); err != nil {
			return err
		}
		if read < len(part) {
			spread(part, read, b.levels[:rows], highest)
		}
	}
	return nil
}

// spread moves the first values of dst to the rows that are not null.
func spread(dst []float64, values int, levels []int16, highest int16) {
	for i := len(dst) - 1; i >= 0; i-- {
		if levels[i] == highest && values > 0 {
			values--
			dst[i] = dst[values]
		} else {
			dst[i] = math.NaN()
		}
	}
}
