package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/columnar/columnartest"
)

// columnarFiles writes a CSV file as Parquet, an Arrow IPC file and a stream. The
// columns age and code are integers, born is a date and ok a boolean.
func columnarFiles(t *testing.T, text string) (parquetFile, arrowFile, stream string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var columns []columnartest.ParquetColumn
	var fields []arrow.Field
	var arrays []arrow.Array
	for j, name := range records[0] {
		c := columnartest.ParquetColumn{}
		var cells []string // those that are not null
		for _, record := range records[1:] {
			c.Levels = append(c.Levels, 0)
			if record[j] != "" {
				c.Levels[len(c.Levels)-1] = 1
				cells = append(cells, record[j])
			}
		}
		var b array.Builder
		of := memory.DefaultAllocator
		switch name {
		case "age", "code", "n":
			c.Node = columnartest.Node(t, name, schema.NewIntLogicalType(8, true), parquet.Types.Int32, -1)
			c.Values = parsed(t, cells, func(cell string) (int32, error) { v, err := strconv.Atoi(cell); return int32(v), err })
			b = array.NewInt8Builder(of)
		case "number":
			c.Node = columnartest.Node(t, name, schema.NewIntLogicalType(64, true), parquet.Types.Int64, -1)
			c.Values = parsed(t, cells, func(cell string) (int64, error) { return strconv.ParseInt(cell, 10, 64) })
			b = array.NewInt64Builder(of)
		case "born":
			c.Node = columnartest.Node(t, name, schema.DateLogicalType{}, parquet.Types.Int32, -1)
			c.Values = parsed(t, cells, func(cell string) (int32, error) {
				v, err := time.Parse("2006-01-02", cell)
				return int32(v.Unix() / 86400), err
			})
			b = array.NewDate32Builder(of)
		case "ok":
			c.Node = columnartest.Node(t, name, schema.NoLogicalType{}, parquet.Types.Boolean, -1)
			c.Values = parsed(t, cells, strconv.ParseBool)
			b = array.NewBooleanBuilder(of)
		default:
			c.Node = columnartest.Node(t, name, schema.StringLogicalType{}, parquet.Types.ByteArray, -1)
			c.Values = parsed(t, cells, func(cell string) (parquet.ByteArray, error) { return []byte(cell), nil })
			b = array.NewStringBuilder(of)
		}
		columns = append(columns, c)
		for _, record := range records[1:] {
			if record[j] == "" {
				b.AppendNull()
			} else if err := b.AppendValueFromString(record[j]); err != nil {
				t.Fatal(err)
			}
		}
		arrays = append(arrays, b.NewArray())
		fields = append(fields, arrow.Field{Name: name, Type: arrays[j].DataType(), Nullable: true})
	}
	batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(len(records)-1))
	return file(t, "a.parquet", string(columnartest.Parquet(t, 150, true, compress.Codecs.Snappy, nil, columns...))),
		file(t, "a.arrow", string(columnartest.ArrowFile(t, nil, batch))), file(t, "a.arrows", string(columnartest.ArrowStream(t, batch)))
}

func parsed[T any](t *testing.T, cells []string, parse func(string) (T, error)) (values []T) {
	t.Helper()
	for _, cell := range cells {
		v, err := parse(cell)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	return values
}

// TestColumnar: a table gives the same model and predictions from files of each
// format.
func TestColumnar(t *testing.T) {
	text := mixed(400, "id", "age", "city", "born", "ok", "class")
	plain := file(t, "a.csv", text)
	parquet, arrow, stream := columnarFiles(t, text)
	model := filepath.Join(t.TempDir(), "m.aoso")
	var want string
	for _, name := range []string{plain, parquet, arrow, stream} {
		o := try("train", "--data", name, "--valid", name, "--model", model, "--n-estimators", "10", "--ignore", "id", "--json")
		kinds := filepath.Base(name) + ": 1 numeric; 1 categorical: city (4); 1 of dates: born; 1 of truth values: ok; 1 ignored: id\n"
		if o.code != 0 || !strings.Contains(o.stderr, kinds) {
			t.Fatalf("%s: %+v, want %q", name, o, kinds)
		}
		_, print, _ := strings.Cut(o.stdout, `"fingerprint":"`)
		print, _, _ = strings.Cut(print, `"`)
		if want == "" {
			want = print
		}
		if print != want || print == "" {
			t.Errorf("%s: fingerprint %s, that of the CSV file %s", name, print, want)
		}
	}
	for _, args := range [][]string{
		{"eval", "--json", "--ignore", "id"}, {"predict", "--output", "raw", "--ignore", "id"}, {"explain", "--ignore", "id"},
	} {
		command := func(data string) string {
			out := do(t, append(args, "--model", model, "--data", data)...)
			before, _, _ := strings.Cut(out, `"seconds"`)
			return before
		}
		for _, name := range []string{parquet, arrow, stream} {
			if command(name) != command(plain) {
				t.Errorf("%s of %s differs from that of the CSV file", args[0], name)
			}
		}
	}
	// Columns in another order, without labels or a model's category: by name.
	unlabelled := mixed(100, "ok", "city", "age", "born")
	other, _, _ := columnarFiles(t, unlabelled)
	if do(t, "predict", "--model", model, "--data", other) != do(t, "predict", "--model", model, "--data", file(t, "u.csv", unlabelled)) {
		t.Error("predictions without labels differ from those of the CSV file")
	}
	do(t, "refit", "--model", model, "--data", parquet, "--ignore", "id", "--out", filepath.Join(t.TempDir(), "r.aoso"))
}

// TestColumnarBin: bin reads files of any format block by block, and the dataset file
// gives the model that they give.
func TestColumnarBin(t *testing.T) {
	text := mixed(300, "age", "city", "born", "ok", "class")
	lines := strings.SplitAfter(text, "\n")
	first, _, _ := columnarFiles(t, strings.Join(lines[:151], ""))
	_, second, _ := columnarFiles(t, lines[0]+strings.Join(lines[151:], ""))
	model, dataset := filepath.Join(t.TempDir(), "m.aoso"), filepath.Join(t.TempDir(), "d.aosod")
	fingerprint := func(data string) string {
		_, print, _ := strings.Cut(do(t, "train", "--data", data, "--model", model, "--n-estimators", "5", "--json"), `"fingerprint":"`)
		return print[:32]
	}
	o := try("bin", "--data", first, "--data", second, "--out", dataset)
	if o.code != 0 || !strings.Contains(o.stderr, "a.arrow: 1 numeric; 1 categorical: city (4); 1 of dates: born; 1 of truth values: ok\n") {
		t.Fatalf("%+v", o)
	}
	if got, want := fingerprint(dataset), fingerprint(file(t, "a.csv", text)); got != want {
		t.Errorf("fingerprint %s, that of the CSV file %s", got, want)
	}
	fail(t, exitUsage, []string{`format is "orc"`}, "bin", "--data", first, "--out", dataset, "--format", "orc")
}

// TestColumnarColumns: the flags that say what columns are.
func TestColumnarColumns(t *testing.T) {
	text := mixed(200, "id", "age", "code", "city", "class")
	plain := file(t, "a.csv", text)
	parquet, arrow, _ := columnarFiles(t, text)
	model := filepath.Join(t.TempDir(), "m.aoso")
	train := func(name string, args ...string) string {
		out := do(t, append([]string{"train", "--data", name, "--model", model, "--n-estimators", "3", "--json"}, args...)...)
		_, print, _ := strings.Cut(out, `"fingerprint":"`)
		return print[:16]
	}
	for _, args := range [][]string{{"--ignore", "0", "--categorical", "code"}, {"--ignore", "id", "--label", "code", "--numeric", "age"}} {
		if want := train(plain, args...); train(parquet, args...) != want || train(arrow, args...) != want {
			t.Errorf("%q: the fingerprints differ", args)
		}
	}
	for want, args := range map[string][]string{
		`column "city" is of type String, and the column must be numeric`: {"--numeric", "city"},
		`ignore: no column "x"`:                                                          {"--ignore", "x"},
		`label: column 9 is out of range: the columns are 0..4`:                          {"--label", "9"},
		`column "city": row 0: the label is missing`:                                     {"--label", "city"},
		`row id: no column "x"`:                                                          {"--row-id", "x"},
		`column "class": is of type String; allowed: integers, because they are row ids`: {"--row-id", "class", "--label", "code"},
	} {
		fail(t, exitFailed, []string{"a.parquet: " + want}, append([]string{"train", "--data", parquet, "--model", model}, args...)...)
	}
}

// TestColumnarFormat: the first bytes tell the format, not the name. A pipe must be
// a stream.
// TestColumnarIdentifiers: integers that float64 rounds are refused where they stand for
// categories, in training and for a model.
func TestColumnarIdentifiers(t *testing.T) {
	rows := func(first int) string {
		text := "number,x,class\n"
		for i := range 60 {
			text += fmt.Sprintf("%d,%d,%c\n", first+i%3, i%7, 'a'+i%3)
		}
		return text
	}
	smallParquet, smallArrow, _ := columnarFiles(t, rows(5))
	model := filepath.Join(t.TempDir(), "m.aoso")
	for _, data := range []string{smallParquet, smallArrow} {
		do(t, "train", "--data", data, "--label", "class", "--categorical", "number", "--n-estimators", "5", "--model", model)
	}
	parquetFile, arrowFile, stream := columnarFiles(t, rows(1<<60))
	for _, data := range []string{parquetFile, arrowFile, stream} {
		want := []string{`column "number": has categories that are integers beyond 2^53`}
		fail(t, exitFailed, want, "train", "--data", data, "--label", "class", "--categorical", "number", "--model", model)
		fail(t, exitFailed, want, "predict", "--data", data, "--model", model)
		do(t, "train", "--data", data, "--label", "class", "--n-estimators", "2", "--model", filepath.Join(t.TempDir(), "numbers.aoso"))
	}
}

func TestColumnarFormat(t *testing.T) {
	text := mixed(100, "age", "city", "class")
	parquet, arrow, stream := columnarFiles(t, text)
	model := filepath.Join(t.TempDir(), "m.aoso")
	do(t, "train", "--data", parquet, "--model", model, "--n-estimators", "3")
	want := do(t, "predict", "--model", model, "--data", parquet)
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, name := range []string{file(t, "wrong.csv", read(parquet)), file(t, "wrong.txt", read(arrow)), file(t, "wrong.parquet", text)} {
		if do(t, "predict", "--model", model, "--data", name) != want {
			t.Errorf("%s predicts otherwise", name)
		}
	}
	fail(t, exitFailed, []string{"wrong.parquet: is not a Parquet file"}, "predict", "--model", model, "--data", file(t, "wrong.parquet", text), "--format", "parquet")
	fail(t, exitFailed, []string{"is neither an Arrow IPC file nor an Arrow IPC stream"}, "predict", "--model", model, "--data", parquet, "--format", "arrow")
	fail(t, exitUsage, []string{`format is "orc"; allowed: auto, csv, libsvm, parquet or arrow`}, "predict", "--model", model, "--data", parquet, "--format", "orc")
	fail(t, exitFailed, []string{"cut.parquet: "}, "predict", "--model", model, "--data", file(t, "cut.parquet", read(parquet)[:500]))
	empty := columnartest.ArrowStream(t, columnartest.Batch(t, columnartest.JSONColumn{Name: "age", Of: arrow8, Values: "[]"}, columnartest.JSONColumn{Name: "class", Of: arrow8, Values: "[]"}))
	fail(t, exitFailed, []string{"empty.arrow: has no rows"}, "train", "--model", model, "--data", file(t, "empty.arrow", string(empty)))

	command := func(in string, pipe bool) (string, error) {
		f, err := os.Open(in)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c := exec.Command(os.Args[0], "predict", "--model", model, "--data", "-")
		c.Env = append(os.Environ(), "AOSO_TEST_MAIN=1")
		if c.Stdin = f; pipe {
			c.Stdin = struct{ *strings.Reader }{strings.NewReader(read(in))}
		}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for _, in := range []struct {
		name string
		pipe bool
	}{{parquet, false}, {arrow, false}, {stream, false}, {stream, true}, {file(t, "p.csv", text), true}} {
		if got, err := command(in.name, in.pipe); err != nil || got != want {
			t.Errorf("%s from standard input (pipe: %v): %v: %.200s", in.name, in.pipe, err, got)
		}
	}
	for _, name := range []string{parquet, arrow} {
		if got, err := command(name, true); err == nil || !strings.Contains(got, "which a pipe does not allow; allowed: a file, or an Arrow IPC stream") {
			t.Errorf("%s through a pipe: %v: %.200s", name, err, got)
		}
	}
}

var arrow8 = arrow.PrimitiveTypes.Int8

// TestPandasIndex: an index of pandas is left out, which train says, unless a flag or
// the model names it.
func TestPandasIndex(t *testing.T) {
	levels := make([]int16, 40)
	a, class, id := make([]int32, 40), make([]int32, 40), make([]int32, 40)
	for i := range levels {
		levels[i], a[i], class[i], id[i] = 1, int32(i/20), int32(i/20), int32(100-i)
	}
	column := func(name string, values []int32) columnartest.ParquetColumn {
		return columnartest.ParquetColumn{Node: columnartest.Node(t, name, nil, parquet.Types.Int32, -1), Values: values, Levels: levels}
	}
	data := file(t, "d.parquet", string(columnartest.Parquet(t, 40, false, compress.Codecs.Uncompressed,
		map[string]string{"pandas": `{"index_columns": ["id"]}`}, column("a", a), column("class", class), column("id", id))))
	model := filepath.Join(t.TempDir(), "m.aoso")
	features := func(flags ...string) string {
		o := try(append([]string{"train", "--data", data, "--model", model, "--n-estimators", "2"}, flags...)...)
		if o.code != 0 || strings.Contains(o.stderr, "ignored: id (index of pandas)") != (len(flags) == 0) {
			t.Errorf("%v: %+v", flags, o)
		}
		do(t, "eval", "--model", model, "--data", data)
		m, err := aoso.Load(model)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(m.FeatureNames(), ",")
	}
	if got := features(); got != "a" {
		t.Error(got)
	}
	if got := features("--columns", "a,id"); got != "a,id" {
		t.Error(got)
	}
	if got := features("--row-id", "id"); got != "a" {
		t.Error(got)
	}
}

// TestColumnarLimits: a small file that claims many rows, or has a long text, is an
// error, unless flags allow it.
func TestColumnarLimits(t *testing.T) {
	const rows = 12 << 20
	model := filepath.Join(t.TempDir(), "m.aoso")
	nulls := func(name string) columnartest.ParquetColumn {
		return columnartest.ParquetColumn{Node: columnartest.Node(t, name, nil, parquet.Types.Int32, -1), Values: []int32{}, Levels: make([]int16, rows)}
	}
	bomb := file(t, "bomb.parquet", string(columnartest.Parquet(t, rows, false, compress.Codecs.Uncompressed, nil, nulls("a"), nulls("class"))))
	fail(t, exitFailed, []string{"12582912 rows take 0.302 GB, which is too much for", "--max-ratio allows more"}, "train", "--data", bomb, "--model", model)
	fail(t, exitFailed, []string{"row 0: the label is missing"}, "train", "--data", bomb, "--model", model, "--max-ratio", "1000000")

	texts := []parquet.ByteArray{[]byte("short"), []byte(strings.Repeat("long", 100))}
	column := func(name string) columnartest.ParquetColumn {
		return columnartest.ParquetColumn{Node: columnartest.Node(t, name, schema.StringLogicalType{}, parquet.Types.ByteArray, -1), Values: texts, Levels: []int16{1, 1}}
	}
	long := file(t, "long.parquet", string(columnartest.Parquet(t, 2, true, compress.Codecs.Uncompressed, nil, column("a"), column("class"))))
	fail(t, exitFailed, []string{`column "a": a cell has 400 bytes; allowed: at most 399, unless --max-cell allows more`}, "train", "--data", long, "--model", model, "--max-cell", "399")
	do(t, "train", "--data", long, "--model", model, "--n-estimators", "2", "--max-cell", "400")
	for flag, value := range map[string]string{"max-line": "0", "max-cell": "-1", "max-ratio": "-1"} {
		fail(t, exitUsage, []string{strings.ReplaceAll(flag, "-", "_") + " is " + value}, "train", "--data", long, "--model", model, "--"+flag, value)
	}
}
