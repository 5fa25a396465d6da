package columnar

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/libaoso/aoso/columnar/columnartest"
)

// TestPandasIndex: an index of pandas is neither a feature nor the label, unless it is
// asked for.
func TestPandasIndex(t *testing.T) {
	const name = "__index_level_0__"
	parquetWith := func(metadata map[string]string) []byte {
		levels := []int16{1, 1}
		column := func(name string, values ...int64) parquetColumnOf {
			return parquetColumnOf{columnartest.Node(t, name, nil, parquet.Types.Int64, -1), values, levels}
		}
		return parquetFile(t, 2, false, compress.Codecs.Uncompressed, metadata, column("a", 1, 2), column("class", 0, 1), column(name, 7, 5))
	}
	batch := batchOf(t, jsonColumn{"a", arrow.PrimitiveTypes.Int64, "[1, 2]"}, jsonColumn{"class", arrow.PrimitiveTypes.Int64, "[0, 1]"},
		jsonColumn{name, arrow.PrimitiveTypes.Int64, "[7, 5]"})
	arrowWith := func(metadata map[string]string) []byte {
		of := arrow.MetadataFrom(metadata)
		return columnartest.ArrowStream(t, array.NewRecordBatch(arrow.NewSchema(batch.Schema().Fields(), &of), batch.Columns(), 2))
	}
	with := func(text string) map[string]string { return map[string]string{"pandas": text} }
	for format, write := range map[string]func(map[string]string) []byte{"parquet": parquetWith, "arrow": arrowWith} {
		b := write(with(`{"index_columns": ["` + name + `"], "columns": []}`))
		for _, c := range []struct {
			roles    Roles
			features []string
			labels   []string
		}{
			{Roles{}, []string{"a"}, []string{"0", "1"}},
			{Roles{Label: "last"}, []string{"a"}, []string{"0", "1"}},
			{Roles{Label: "a"}, []string{"class"}, []string{"1", "2"}},
			{Roles{Label: name}, []string{"a", "class"}, []string{"7", "5"}},
			{Roles{Label: "class", RowID: name}, []string{"a"}, []string{"0", "1"}},
			{Roles{Label: "class", WithIndex: true}, []string{"a", name}, []string{"0", "1"}},
			{Roles{WithIndex: true}, []string{"a", "class"}, []string{"7", "5"}},
		} {
			got, err := read(t, b, c.roles)
			if err != nil || !slices.Equal(got.names, c.features) || !slices.Equal(got.labels, c.labels) {
				t.Errorf("%s, %+v: %+v, %v", format, c.roles, got, err)
			}
		}
		for _, metadata := range []map[string]string{with(`{"index_columns": [{"kind": "range", "start": 0, "stop": 2}]}`), with(`{"index_columns": 7}`), with("{"), nil} {
			if got, err := read(t, write(metadata), Roles{}); err != nil || !slices.Equal(got.names, []string{"a", "class"}) {
				t.Errorf("%s, %v: %+v, %v", format, metadata, got, err)
			}
		}
	}
}
