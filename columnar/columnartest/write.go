// Package columnartest writes small Parquet and Arrow IPC files for tests.
package columnartest

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// ArrowFile writes an Arrow IPC file of record batches.
func ArrowFile(t testing.TB, o []ipc.Option, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, append(o, ipc.WithSchema(batches[0].Schema()))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// ArrowStream writes an Arrow IPC stream of record batches.
func ArrowStream(t testing.TB, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(batches[0].Schema()))
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Batch makes a record batch of columns in JSON.
func Batch(t testing.TB, columns ...JSONColumn) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range columns {
		a, _, err := array.FromJSON(memory.DefaultAllocator, c.Of, bytes.NewReader([]byte(c.Values)))
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		fields, arrays = append(fields, arrow.Field{Name: c.Name, Type: c.Of, Nullable: true}), append(arrays, a)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}

// JSONColumn is a column with values in JSON, such as "[1, null]".
type JSONColumn struct {
	Name   string
	Of     arrow.DataType
	Values string
}

// ParquetColumn is a column of a Parquet file.
type ParquetColumn struct {
	Node   schema.Node
	Values any     // a slice of those that are not null
	Levels []int16 // by row: 1, or 0 for a null
}

// Node returns a column of a Parquet schema.
func Node(t testing.TB, name string, logical schema.LogicalType, physical parquet.Type, length int) schema.Node {
	t.Helper()
	n, err := schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Optional, logical, physical, length, -1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Parquet writes a Parquet file with row groups of this many rows, with or
// without dictionaries, and with key-value metadata.
func Parquet(t testing.TB, rowsPerGroup int, dictionary bool, codec compress.Compression, metadata map[string]string, columns ...ParquetColumn) []byte {
	t.Helper()
	var nodes schema.FieldList
	for _, c := range columns {
		nodes = append(nodes, c.Node)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(parquet.NewWriterProperties(
		parquet.WithDictionaryDefault(dictionary), parquet.WithCompression(codec), parquet.WithDataPageSize(1<<10), parquet.WithBatchSize(50))))
	for key, value := range metadata {
		if err := w.AppendKeyValueMetadata(key, value); err != nil {
			t.Fatal(err)
		}
	}
	rows := len(columns[0].Levels)
	for first := 0; first < rows; first += rowsPerGroup {
		group, err := w.AppendRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range columns {
			chunk, err := group.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			end := min(first+rowsPerGroup, rows)
			before, n := Present(c.Levels[:first]), Present(c.Levels[first:end])
			if err := writeValues(chunk, c.Values, c.Levels[first:end], before, before+n); err != nil {
				t.Fatal(err)
			}
			if err := chunk.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := group.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Present counts the values that are not null.
func Present(levels []int16) (n int) {
	for _, level := range levels {
		n += int(level)
	}
	return n
}

func writeValues(w file.ColumnChunkWriter, values any, levels []int16, from, to int) (err error) {
	switch w := w.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(values.([]bool)[from:to], levels, nil)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(values.([]int32)[from:to], levels, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(values.([]int64)[from:to], levels, nil)
	case *file.Int96ColumnChunkWriter:
		_, err = w.WriteBatch(values.([]parquet.Int96)[from:to], levels, nil)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(values.([]float32)[from:to], levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(values.([]float64)[from:to], levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(values.([]parquet.ByteArray)[from:to], levels, nil)
	case *file.FixedLenByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(values.([]parquet.FixedLenByteArray)[from:to], levels, nil)
	}
	return err
}
