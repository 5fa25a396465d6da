package columnar

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/columnar/columnartest"
	"github.com/libaoso/aoso/internal/data"
)

// The columns of files to write.
type (
	jsonColumn      columnartest.JSONColumn
	parquetColumnOf columnartest.ParquetColumn
)

func batchOf(t testing.TB, columns ...jsonColumn) arrow.RecordBatch {
	var all []columnartest.JSONColumn
	for _, c := range columns {
		all = append(all, columnartest.JSONColumn(c))
	}
	return columnartest.Batch(t, all...)
}

func parquetFile(t testing.TB, rowsPerGroup int, dictionary bool, codec compress.Compression, metadata map[string]string, columns ...parquetColumnOf) []byte {
	var all []columnartest.ParquetColumn
	for _, c := range columns {
		all = append(all, columnartest.ParquetColumn(c))
	}
	return columnartest.Parquet(t, rowsPerGroup, dictionary, codec, metadata, all...)
}

// contents is what a file has: each cell as text, NaN as "".
type contents struct {
	names   []string
	cells   [][]string // by column and row
	labels  []string
	weights []float64
	ids     []uint64
	blocks  int
}

func read(t testing.TB, b []byte, r Roles) (*contents, error) {
	t.Helper()
	f, err := New(bytes.NewReader(b), int64(len(b)), "f")
	if err != nil {
		return nil, err
	}
	return readFile(f, r)
}

func readFile(f *File, r Roles) (*contents, error) {
	a, err := f.Assign(r)
	if err != nil {
		return nil, err
	}
	c := &contents{cells: make([][]string, len(a.Features))}
	for _, j := range a.Features {
		c.names = append(c.names, f.Columns()[j].Name)
	}
	for b, err := range f.Blocks(r) {
		if err != nil {
			return nil, err
		}
		c.blocks++
		values := make([]float64, b.Features.Rows())
		for j := range c.cells {
			b.Features.Column(j, 0, values)
			for _, v := range values {
				text := ""
				if names := b.Features.(aoso.CategoricalFeatures).Categories(j); names != nil && v == v {
					text = names[int(v)] + "!"
				} else if v == v {
					text = fmt.Sprint(v)
				}
				c.cells[j] = append(c.cells[j], text)
			}
		}
		for _, l := range b.Labels {
			c.labels = append(c.labels, l.Value())
		}
		c.weights, c.ids = append(c.weights, b.Weights...), append(c.ids, b.RowIDs...)
	}
	return c, nil
}

// must reads a file without faults.
func must(t testing.TB, b []byte, r Roles) *contents {
	t.Helper()
	c, err := read(t, b, r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestArrowTypes reads a column of each type, with a null, from files and streams,
// plain and compressed, of one batch and of two.
func TestArrowTypes(t *testing.T) {
	dictionary := func(value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: value}
	}
	var columns []jsonColumn
	var want [][]string
	for _, c := range []struct {
		of     arrow.DataType
		values string
		want   []string
	}{
		{arrow.Null, `[null, null, null]`, []string{"", "", ""}},
		{arrow.FixedWidthTypes.Boolean, `[true, null, false]`, []string{"1", "", "0"}},
		{arrow.PrimitiveTypes.Int8, `[-128, null, 127]`, []string{"-128", "", "127"}},
		{arrow.PrimitiveTypes.Int16, `[-300, null, 300]`, []string{"-300", "", "300"}},
		{arrow.PrimitiveTypes.Int32, `[-70000, null, 70000]`, []string{"-70000", "", "70000"}},
		{arrow.PrimitiveTypes.Int64, `[-5, null, 9007199254740993]`, []string{"-5", "", "9.007199254740992e+15"}},
		{arrow.PrimitiveTypes.Uint8, `[255, null, 1]`, []string{"255", "", "1"}},
		{arrow.PrimitiveTypes.Uint16, `[65535, null, 1]`, []string{"65535", "", "1"}},
		{arrow.PrimitiveTypes.Uint32, `[4294967295, null, 1]`, []string{"4.294967295e+09", "", "1"}},
		{arrow.PrimitiveTypes.Uint64, `[18446744073709551615, null, 1]`, []string{"1.8446744073709552e+19", "", "1"}},
		{arrow.FixedWidthTypes.Float16, `[0.5, null, -2]`, []string{"0.5", "", "-2"}},
		{arrow.PrimitiveTypes.Float32, `[0.1, null, 3]`, []string{"0.10000000149011612", "", "3"}},
		{arrow.PrimitiveTypes.Float64, `[0.1, null, 1e300]`, []string{"0.1", "", "1e+300"}},
		{&arrow.Decimal32Type{Precision: 9, Scale: 2}, `["-1.25", null, "7.10"]`, []string{"-1.25", "", "7.1"}},
		{&arrow.Decimal64Type{Precision: 18, Scale: 2}, `["-1.25", null, "7.10"]`, []string{"-1.25", "", "7.1"}},
		{&arrow.Decimal128Type{Precision: 38, Scale: 3}, `["-1.125", null, "12345678901234567890.1"]`, []string{"-1.125", "", "1.2345678901234567e+19"}},
		{&arrow.Decimal256Type{Precision: 50, Scale: 1}, `["-0.1", null, "7.1"]`, []string{"-0.1", "", "7.1"}},
		{arrow.FixedWidthTypes.Date32, `[1, null, -1]`, []string{"86400", "", "-86400"}},
		{arrow.FixedWidthTypes.Date64, `[86400000, null, 0]`, []string{"86400", "", "0"}},
		{&arrow.TimestampType{Unit: arrow.Second}, `[7, null, -1]`, []string{"7", "", "-1"}},
		{&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Asia/Tokyo"}, `[1500, null, -1500]`, []string{"1.5", "", "-1.5"}},
		{&arrow.TimestampType{Unit: arrow.Microsecond}, `[1500000, null, 1]`, []string{"1.5", "", "1e-06"}},
		{&arrow.TimestampType{Unit: arrow.Nanosecond}, `[1500000000, null, 1]`, []string{"1.5", "", "1e-09"}},
		{arrow.FixedWidthTypes.Time32ms, `[1500, null, 0]`, []string{"1.5", "", "0"}},
		{arrow.FixedWidthTypes.Time64us, `[1500000, null, 0]`, []string{"1.5", "", "0"}},
		{arrow.FixedWidthTypes.Duration_ms, `[1500, null, -1000]`, []string{"1.5", "", "-1"}},
		{arrow.BinaryTypes.String, `["b", null, "ä"]`, []string{"b!", "", "ä!"}},
		{arrow.BinaryTypes.LargeString, `["", null, "b"]`, []string{"", "", "b!"}},
		{arrow.BinaryTypes.StringView, `["a text of more than twelve bytes", null, "b"]`, []string{"a text of more than twelve bytes!", "", "b!"}},
		{dictionary(arrow.BinaryTypes.String), `["x", null, "y"]`, []string{"x!", "", "y!"}},
		{dictionary(arrow.PrimitiveTypes.Int64), `[9007199254740993, null, 2]`, []string{"9007199254740993!", "", "2!"}},
		{dictionary(arrow.PrimitiveTypes.Float64), `[2.5, null, 2]`, []string{"2.5!", "", "2!"}},
		{dictionary(arrow.FixedWidthTypes.Date32), `[1, null, 2]`, []string{"86400!", "", "172800!"}},
	} {
		columns = append(columns, jsonColumn{fmt.Sprintf("%d %s", len(columns), c.of), c.of, c.values})
		want = append(want, c.want)
	}
	batch := batchOf(t, columns...)
	two := []arrow.RecordBatch{batch.NewSlice(0, 1), batch.NewSlice(1, 3)}
	for name, b := range map[string][]byte{
		"file": columnartest.ArrowFile(t, nil, batch), "LZ4": columnartest.ArrowFile(t, []ipc.Option{ipc.WithLZ4()}, batch), "ZSTD": columnartest.ArrowFile(t, []ipc.Option{ipc.WithZstd()}, batch),
		"two batches": columnartest.ArrowFile(t, nil, two...), "stream": columnartest.ArrowStream(t, batch), "stream of two batches": columnartest.ArrowStream(t, two...),
	} {
		got := must(t, b, Roles{Label: "none"})
		for j, cells := range want {
			if !slices.Equal(got.cells[j], cells) {
				t.Errorf("%s: column %q is %q, want %q", name, columns[j].Name, got.cells[j], cells)
			}
		}
	}
}

// TestParquetTypes reads a column of each type, with nulls, of several row groups
// and pages.
func TestParquetTypes(t *testing.T) {
	const rows = 700
	levels := make([]int16, rows)
	for i := range levels {
		if levels[i] = 1; i%7 == 3 {
			levels[i] = 0
		}
	}
	n := columnartest.Present(levels)
	// of makes the values and what is wanted of them.
	var columns []parquetColumnOf
	var want [][]string
	add := func(name string, logical schema.LogicalType, physical parquet.Type, length int, values any, cell func(k int) string) {
		columns = append(columns, parquetColumnOf{columnartest.Node(t, name, logical, physical, length), values, levels})
		cells, k := make([]string, rows), 0
		for i := range cells {
			if levels[i] == 1 {
				cells[i] = cell(k)
				k++
			}
		}
		want = append(want, cells)
	}
	number := func(v float64) string { return fmt.Sprint(v) }
	int32s, int64s := valuesOf(n, func(k int) int32 { return int32(k - 100) }), valuesOf(n, func(k int) int64 { return int64(k-100) * 1_000_003 })
	none := schema.NoLogicalType{}
	add("bool", none, parquet.Types.Boolean, -1, valuesOf(n, func(k int) bool { return k%3 == 0 }), func(k int) string { return map[bool]string{true: "1", false: "0"}[k%3 == 0] })
	add("int32", none, parquet.Types.Int32, -1, int32s, func(k int) string { return number(float64(int32s[k])) })
	add("int8", schema.NewIntLogicalType(8, true), parquet.Types.Int32, -1, int32s, func(k int) string { return number(float64(int32s[k])) })
	add("uint32", schema.NewIntLogicalType(32, false), parquet.Types.Int32, -1, int32s, func(k int) string { return number(float64(uint32(int32s[k]))) })
	add("date", schema.DateLogicalType{}, parquet.Types.Int32, -1, int32s, func(k int) string { return number(float64(int32s[k]) * 86400) })
	add("time ms", schema.NewTimeLogicalType(true, schema.TimeUnitMillis), parquet.Types.Int32, -1, int32s, func(k int) string { return number(data.Seconds(int64(int32s[k]), 1000)) })
	add("decimal32", schema.NewDecimalLogicalType(9, 2), parquet.Types.Int32, -1, int32s, func(k int) string { return number(float64(int32s[k]) / 100) })
	add("null", schema.NullLogicalType{}, parquet.Types.Int32, -1, int32s, func(int) string { return "" })
	add("int64", none, parquet.Types.Int64, -1, int64s, func(k int) string { return number(float64(int64s[k])) })
	add("uint64", schema.NewIntLogicalType(64, false), parquet.Types.Int64, -1, int64s, func(k int) string { return number(float64(uint64(int64s[k]))) })
	add("decimal64", schema.NewDecimalLogicalType(18, 3), parquet.Types.Int64, -1, int64s, func(k int) string { return number(float64(int64s[k]) / 1000) })
	add("timestamp us", schema.NewTimestampLogicalType(false, schema.TimeUnitMicros), parquet.Types.Int64, -1, int64s, func(k int) string {
		return number(data.Seconds(int64s[k], 1e6))
	})
	add("duration", none, parquet.Types.Int64, -1, valuesOf(n, func(k int) int64 { return int64(k) * 500 }), func(k int) string { return number(float64(k) / 2) })
	add("int96", none, parquet.Types.Int96, -1, valuesOf(n, func(k int) (v parquet.Int96) {
		v.SetNanoSeconds(int64(k) * 1e9)
		v[8], v[9], v[10] = 0x8c, 0x3d, 0x25 // the day 2440588
		return v
	}), func(k int) string { return number(float64(k)) })
	add("float", none, parquet.Types.Float, -1, valuesOf(n, func(k int) float32 { return float32(k) / 8 }), func(k int) string { return number(float64(k) / 8) })
	add("double", none, parquet.Types.Double, -1, valuesOf(n, func(k int) float64 { return float64(k) * 0.1 }), func(k int) string { return number(float64(k) * 0.1) })
	add("float16", schema.Float16LogicalType{}, parquet.Types.FixedLenByteArray, 2, valuesOf(n, func(k int) parquet.FixedLenByteArray { return []byte{0, byte(0x3c + k%2*4)} }),
		func(k int) string { return number(float64(1 + k%2)) })
	add("decimal fixed", schema.NewDecimalLogicalType(20, 1), parquet.Types.FixedLenByteArray, 9,
		valuesOf(n, func(k int) parquet.FixedLenByteArray {
			return []byte{255, 255, 255, 255, 255, 255, 255, 255, byte(255 - k%100)}
		}),
		func(k int) string { return number(float64(-1-k%100) / 10) })
	add("text", schema.StringLogicalType{}, parquet.Types.ByteArray, -1, valuesOf(n, func(k int) parquet.ByteArray { return []byte(fmt.Sprint("t", k%50)) }),
		func(k int) string { return fmt.Sprint("t", k%50, "!") })
	durations := columnartest.ArrowStream(t, batchOf(t, jsonColumn{"duration", arrow.FixedWidthTypes.Duration_ms, "[1]"}))
	metadata := map[string]string{"ARROW:schema": base64.StdEncoding.EncodeToString(durations)}
	for name, b := range map[string][]byte{
		"one group":     parquetFile(t, rows, false, compress.Codecs.Uncompressed, metadata, columns...),
		"dictionaries":  parquetFile(t, rows, true, compress.Codecs.Snappy, metadata, columns...),
		"three groups":  parquetFile(t, 300, true, compress.Codecs.Zstd, metadata, columns...),
		"groups of one": parquetFile(t, 1, false, compress.Codecs.Gzip, metadata, columns[:3]...),
	} {
		got := must(t, b, Roles{Label: "none"})
		for j, cells := range got.cells {
			if !slices.Equal(cells, want[j]) {
				t.Errorf("%s: column %q is %.200q, want %.200q", name, got.names[j], cells, want[j])
			}
		}
	}
}

func valuesOf[T any](n int, of func(k int) T) []T {
	values := make([]T, n)
	for k := range values {
		values[k] = of(k)
	}
	return values
}

// TestRoles finds columns by name and index, and reads labels of every type.
func TestRoles(t *testing.T) {
	b := columnartest.ArrowFile(t, nil, batchOf(t,
		jsonColumn{"a", arrow.PrimitiveTypes.Float64, "[1, 2]"},
		jsonColumn{"0", arrow.PrimitiveTypes.Float64, "[3, 4]"},
		jsonColumn{"w", arrow.PrimitiveTypes.Float32, "[0.5, 1.5]"},
		jsonColumn{"id", arrow.PrimitiveTypes.Int64, "[-1, 9007199254740993]"},
		jsonColumn{"", arrow.BinaryTypes.String, `["x", "y"]`},
		jsonColumn{"y", arrow.BinaryTypes.String, `["no", "yes"]`}))
	c := must(t, b, Roles{Weight: "w", RowID: "id", Ignore: []string{"4"}})
	if !slices.Equal(c.names, []string{"a", "0"}) || !slices.Equal(c.labels, []string{"no", "yes"}) || !slices.Equal(c.weights, []float64{0.5, 1.5}) ||
		!slices.Equal(c.ids, []uint64{math.MaxUint64, 1<<53 + 1}) {
		t.Errorf("%+v", c)
	}
	c = must(t, b, Roles{Label: "0", Ignore: []string{"w", "id"}})
	if !slices.Equal(c.names, []string{"a", "f4", "y"}) || !slices.Equal(c.labels, []string{"3", "4"}) || c.weights != nil {
		t.Errorf("%+v", c)
	}
	for want, r := range map[string]Roles{
		`f: label: no column "z"`:                                                        {Label: "z"},
		`f: weight: column 6 is out of range: the columns are 0..5`:                      {Weight: "6"},
		`f: ignore: no column "z"`:                                                       {Ignore: []string{"z"}},
		`f: ignore: column "y" is the label`:                                             {Ignore: []string{"y"}},
		`f: column "a": is of type float64; allowed: integers, because they are row ids`: {RowID: "a"},
		`f: weight: column "y" is the label`:                                             {Weight: "y"},
		`f: column "f4": is of type utf8; allowed: numbers, because they are weights`:    {Weight: "f4"},
	} {
		if _, err := read(t, b, r); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %q", r, err, want)
		}
	}
	for _, l := range []struct {
		of     arrow.DataType
		values string
		want   []string
	}{
		{arrow.PrimitiveTypes.Int64, "[9007199254740993, -1]", []string{"9007199254740993", "-1"}},
		{arrow.PrimitiveTypes.Uint64, "[18446744073709551615, 1]", []string{"18446744073709551615", "1"}},
		{arrow.PrimitiveTypes.Int8, "[-3, 1]", []string{"-3", "1"}},
		{arrow.PrimitiveTypes.Float32, "[0.1, 1]", []string{"0.1", "1"}},
		{arrow.PrimitiveTypes.Float64, "[0.1, 1e-5]", []string{"0.1", "1e-05"}},
		{arrow.FixedWidthTypes.Boolean, "[true, false]", []string{"True", "False"}},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["q", "p"]`, []string{"q", "p"}},
	} {
		b := columnartest.ArrowFile(t, nil, batchOf(t, jsonColumn{"a", arrow.PrimitiveTypes.Float64, "[1, 2]"}, jsonColumn{"y", l.of, l.values}))
		if c := must(t, b, Roles{}); !slices.Equal(c.labels, l.want) {
			t.Errorf("labels of %s are %q, want %q", l.of, c.labels, l.want)
		}
	}
}

// TestUnsupported: the error names a column that cannot be read, and its type.
func TestUnsupported(t *testing.T) {
	numbers := jsonColumn{"a", arrow.PrimitiveTypes.Float64, "[1, 2]"}
	list := jsonColumn{"l", arrow.ListOf(arrow.PrimitiveTypes.Int8), "[[1], [2]]"}
	for want, columns := range map[string][]jsonColumn{
		`f: column "l": is of type list<item: int8, nullable>; allowed: numbers,`: {numbers, list},
		`f: column "l": is of type binary; allowed: numbers,`:                     {numbers, {"l", arrow.BinaryTypes.Binary, `["YQ==", "Yg=="]`}},
		`f: column "y": row 1: the label is missing`:                              {numbers, {"y", arrow.BinaryTypes.String, `["a", null]`}},
		`f: column "d": is of type date32; allowed: texts, integers, floats`:      {numbers, {"d", arrow.FixedWidthTypes.Date32, "[1, 2]"}},
		`f: columns 0 and 1 have the same name "a"; allowed: each name once`:      {numbers, numbers},
		`f: column "z": the text "a\x00b" has a zero byte`:                        {{"z", arrow.BinaryTypes.String, `["a\u0000b", "b"]`}, numbers},
	} {
		for name, b := range map[string][]byte{"file": columnartest.ArrowFile(t, nil, batchOf(t, columns...)), "stream": columnartest.ArrowStream(t, batchOf(t, columns...))} {
			if _, err := read(t, b, Roles{}); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	if c := must(t, columnartest.ArrowFile(t, nil, batchOf(t, list, numbers)), Roles{Ignore: []string{"l"}}); c.names != nil || len(c.labels) != 2 {
		t.Errorf("%+v: a list that is left out should do no harm", c)
	}
	item, err := schema.NewPrimitiveNode("element", parquet.Repetitions.Required, parquet.Types.Int32, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	nested, err := schema.ListOf(item, parquet.Repetitions.Required, -1)
	if err != nil {
		t.Fatal(err)
	}
	x := columnartest.Node(t, "x", schema.NoLogicalType{}, parquet.Types.Int32, -1)
	b := parquetFile(t, 1, false, compress.Codecs.Uncompressed, nil, parquetColumnOf{Node: nested}, parquetColumnOf{Node: x})
	if _, err := read(t, b, Roles{}); err == nil || !strings.Contains(err.Error(), "is of type list; allowed: numbers,") {
		t.Error(err)
	}
}

// TestBlocks reads files in blocks, twice, and stops.
func TestBlocks(t *testing.T) {
	const rows = 2*mostRows + 1000
	levels := slices.Repeat([]int16{1}, rows)
	b := parquetFile(t, rows, true, compress.Codecs.Snappy, nil,
		parquetColumnOf{columnartest.Node(t, "x", schema.NoLogicalType{}, parquet.Types.Float, -1), valuesOf(rows, func(k int) float32 { return float32(k) }), levels},
		parquetColumnOf{columnartest.Node(t, "t", schema.StringLogicalType{}, parquet.Types.ByteArray, -1), valuesOf(rows, func(k int) parquet.ByteArray { return []byte(fmt.Sprint(k % 1000)) }), levels},
		parquetColumnOf{columnartest.Node(t, "y", schema.NoLogicalType{}, parquet.Types.Int32, -1), valuesOf(rows, func(k int) int32 { return int32(k % 3) }), levels})
	f, err := New(bytes.NewReader(b), int64(len(b)), "f")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c, err := readFile(f, Roles{})
		if err != nil {
			t.Fatal(err)
		}
		if c.blocks != 3 || len(c.labels) != rows || f.Rows() != rows {
			t.Fatalf("%d blocks with %d rows of %d", c.blocks, len(c.labels), f.Rows())
		}
		for i := range rows {
			if c.cells[0][i] != fmt.Sprint(float64(i)) || c.cells[1][i] != fmt.Sprint(i%1000, "!") || c.labels[i] != fmt.Sprint(i%3) {
				t.Fatalf("row %d is %s, %s, %s", i, c.cells[0][i], c.cells[1][i], c.labels[i])
			}
		}
		for range f.Blocks(Roles{}) {
			break
		}
	}
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("a panic of the caller became %v", p)
		}
	}()
	for range f.Blocks(Roles{}) {
		panic("mine")
	}
}

// TestDataset: a file makes the dataset that its columns make.
func TestDataset(t *testing.T) {
	batch := batchOf(t, jsonColumn{"x", arrow.PrimitiveTypes.Float64, "[1, null, 3, 4]"}, jsonColumn{"c", arrow.BinaryTypes.String, `["r", "g", "r", null]`},
		jsonColumn{"y", arrow.PrimitiveTypes.Int16, "[1, 2, 1, 2]"})
	table, err := aoso.NewTable(aoso.Numbers([]float64{1, math.NaN(), 3, 4}), aoso.Texts([]string{"r", "g", "r", ""}))
	if err != nil {
		t.Fatal(err)
	}
	want := saved(t, func() (*aoso.Dataset, error) {
		return aoso.NewDataset(table, aoso.IntLabels([]int{1, 2, 1, 2}), aoso.DatasetOptions{Names: []string{"x", "c"}})
	})
	b := columnartest.ArrowStream(t, batch.NewSlice(0, 1), batch.NewSlice(1, 4))
	twice, err := New(bytes.NewReader(b), int64(len(b)), "f")
	if err != nil {
		t.Fatal(err)
	}
	got := saved(t, func() (*aoso.Dataset, error) {
		return aoso.NewDatasetFromBlocks(twice.Blocks(Roles{}), aoso.DatasetOptions{Names: []string{"x", "c"}})
	})
	if !bytes.Equal(got, want) {
		t.Error("the dataset of the blocks differs from that of the columns")
	}
	f, err := NewStream(bytes.NewReader(b), "f")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := readFile(f, Roles{}); err != nil || len(c.labels) != 4 {
		t.Errorf("%+v, %v", c, err)
	}
	for _, err := range f.Blocks(Roles{}) {
		if err == nil || err.Error() != "f: is a stream, whose rows can be read only once" {
			t.Error(err)
		}
	}
}

func saved(t *testing.T, of func() (*aoso.Dataset, error)) []byte {
	t.Helper()
	d, err := of()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "d")
	if err := d.Save(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDamaged: of files cut short or changed none panics, and errors name the file.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, good := range goodFiles(t) {
		refused := 0
		try := func(b []byte) {
			if _, err := read(t, b, Roles{}); err != nil {
				refused++
				if !strings.HasPrefix(err.Error(), "f: ") || strings.Contains(err.Error(), "\n") {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
		for n := 0; n < len(good); n += 1 + r.IntN(40) {
			try(good[:n])
		}
		for range 150 {
			bad := bytes.Clone(good)
			for range 1 + r.IntN(4) {
				bad[r.IntN(len(bad))] = byte(r.Uint32())
			}
			try(bad)
		}
		if refused < 30 {
			t.Errorf("%s: only %d damaged files were refused", name, refused)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil || !strings.HasSuffix(err.Error(), "none: no such file or directory") {
		t.Error(err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), "is not a regular file; allowed: a file, or an Arrow IPC stream for NewStream") {
		t.Error(err)
	}
	for _, b := range []string{"", "a,b\n1,2\n", "PAR1", "ARROW1", "\xff\xff\xff\xff"} {
		if _, err := read(t, []byte(b), Roles{}); err == nil || !strings.HasPrefix(err.Error(), "f: ") {
			t.Errorf("%q: %v", b, err)
		}
	}
}

// goodFiles returns a small file of each format.
func goodFiles(t testing.TB) map[string][]byte {
	levels := []int16{1, 1, 0, 1}
	text := []parquet.ByteArray{[]byte("a"), []byte("b"), []byte("a")}
	columns := []parquetColumnOf{
		{columnartest.Node(t, "x", schema.NoLogicalType{}, parquet.Types.Double, -1), []float64{1, 2, 3}, levels},
		{columnartest.Node(t, "t", schema.StringLogicalType{}, parquet.Types.ByteArray, -1), text, levels},
		{columnartest.Node(t, "y", schema.NoLogicalType{}, parquet.Types.Int32, -1), []int32{1, 2, 1, 2}, []int16{1, 1, 1, 1}},
	}
	batch := batchOf(t, jsonColumn{"x", arrow.PrimitiveTypes.Float64, "[1, null, 3]"}, jsonColumn{"t", arrow.BinaryTypes.String, `["a", null, "b"]`},
		jsonColumn{"d", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["a", null, "b"]`},
		jsonColumn{"y", arrow.PrimitiveTypes.Int32, "[1, 2, 1]"})
	return map[string][]byte{
		"Parquet":            parquetFile(t, 3, false, compress.Codecs.Uncompressed, nil, columns...),
		"Parquet compressed": parquetFile(t, 3, true, compress.Codecs.Snappy, nil, columns...),
		"Arrow file":         columnartest.ArrowFile(t, nil, batch),
		"Arrow LZ4":          columnartest.ArrowFile(t, []ipc.Option{ipc.WithLZ4()}, batch),
		"Arrow stream":       columnartest.ArrowStream(t, batch, batch),
	}
}

// FuzzRead: whatever the bytes, reading ends, with rows or with an error that names
// the file.
func FuzzRead(f *testing.F) {
	for _, b := range goodFiles(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := read(t, b, Roles{}); err != nil && !strings.HasPrefix(err.Error(), "f: ") {
			t.Errorf("%v does not name the file", err)
		} else if err == nil && c == nil {
			t.Error("neither rows nor an error")
		}
	})
}
