package columnar

import (
	"bytes"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/libaoso/aoso/columnar/columnartest"
)

// kept returns the texts of columns of a file, whatever else they are for.
func kept(t *testing.T, b []byte, roles Roles) [][]string {
	t.Helper()
	f, err := New(bytes.NewReader(b), int64(len(b)), "f")
	if err != nil {
		t.Fatal(err)
	}
	texts := make([][]string, len(roles.Keep))
	for b, err := range f.Blocks(roles) {
		if err != nil {
			t.Fatal(err)
		}
		for k := range texts {
			texts[k] = append(texts[k], Texts(b.Features, k)...)
		}
	}
	return texts
}

// TestKeep: columns to keep come as texts, with all digits of integers, and "" where they are missing; their roles stay.
func TestKeep(t *testing.T) {
	same := func(what string, got [][]string, want ...[]string) {
		t.Helper()
		if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	batch := batchOf(t,
		jsonColumn{"id", arrow.PrimitiveTypes.Int64, "[9007199254740993, null, -7]"}, jsonColumn{"u", arrow.PrimitiveTypes.Uint64, "[18446744073709551615, 0, null]"},
		jsonColumn{"x", arrow.PrimitiveTypes.Float64, "[1234567, 0.1, null]"}, jsonColumn{"f", arrow.PrimitiveTypes.Float32, "[0.1, 1e20, null]"},
		jsonColumn{"s", arrow.BinaryTypes.String, `["a,b", null, "ü"]`}, jsonColumn{"b", arrow.FixedWidthTypes.Boolean, "[true, null, false]"},
		jsonColumn{"day", arrow.FixedWidthTypes.Date32, "[19000, null, 0]"}, jsonColumn{"at", arrow.FixedWidthTypes.Timestamp_us, "[1706933106789000, null, -86400000000]"},
		jsonColumn{"class", arrow.PrimitiveTypes.Int8, "[1, 2, 1]"})
	roles := Roles{Keep: []string{"id", "u", "x", "f", "s", "b", "day", "at", "class"}, Ignore: []string{"id"}}
	for name, b := range map[string][]byte{"file": columnartest.ArrowFile(t, nil, batch), "stream": columnartest.ArrowStream(t, batch)} {
		same(name, kept(t, b, roles), []string{"9007199254740993", "", "-7"}, []string{"18446744073709551615", "0", ""}, []string{"1234567", "0.1", ""}, []string{"0.1", "1e+20", ""},
			[]string{"a,b", "", "ü"}, []string{"true", "", "false"}, []string{"2022-01-08", "", "1970-01-01"}, []string{"2024-02-03T04:05:06.789Z", "", "1969-12-31"}, []string{"1", "2", "1"})
		if c := must(t, b, roles); !slices.Equal(c.names, []string{"u", "x", "f", "s", "b", "day", "at"}) || !slices.Equal(c.labels, []string{"1", "2", "1"}) {
			t.Errorf("%s: features %q, labels %q", name, c.names, c.labels)
		}
	}
	levels := []int16{1, 0, 1, 1}
	column := func(name string, logical schema.LogicalType, physical parquet.Type, values any) columnartest.ParquetColumn {
		return columnartest.ParquetColumn{Node: columnartest.Node(t, name, logical, physical, -1), Values: values, Levels: levels}
	}
	b := columnartest.Parquet(t, 2, false, compress.Codecs.Uncompressed, nil,
		column("id", schema.NoLogicalType{}, parquet.Types.Int64, []int64{9007199254740993, 5, -9007199254740993}),
		column("day", schema.DateLogicalType{}, parquet.Types.Int32, []int32{0, 1, 2}),
		column("a", schema.NoLogicalType{}, parquet.Types.Double, []float64{1, 2, 3}))
	same("Parquet", kept(t, b, Roles{Keep: []string{"id", "day"}, Label: "none"}), []string{"9007199254740993", "", "5", "-9007199254740993"}, []string{"1970-01-01", "", "1970-01-02", "1970-01-03"})
}
