package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// onlyReader cannot seek.
type onlyReader struct{ io.Reader }

// TestTexts: columns with text are categorical, whatever cells precede it.
func TestTexts(t *testing.T) {
	type f = [][]float64
	type s = []string
	for _, c := range []accept{
		{"text", "n,city,y\n1,Rome,A\n2,Oslo,B\n3,Rome,A\n", Options{},
			Table{Names: s{"n", "city"}, Columns: f{{1, 2, 3}, {0, 1, 0}}, Categories: []s{nil, {"Rome", "Oslo"}}, Labels: s{"A", "B", "A"}, LabelName: "y", Rows: 3}},
		{"numbers first", "n,zip,y\n1,007,A\n2,?,A\n3,7.50,B\n4,N1,B\n5,007,A\n", Options{},
			Table{Names: s{"n", "zip"}, Columns: f{{1, 2, 3, 4, 5}, {0, nan, 1, 2, 0}}, Categories: []s{nil, {"007", "7.50", "N1"}}, Labels: s{"A", "A", "B", "B", "A"}, LabelName: "y", Rows: 5}},
		{"missing first", "c,y\n,A\nNA,A\nx,B\n", Options{},
			Table{Names: s{"c"}, Columns: f{{nan, nan, 0}}, Categories: []s{{"x"}}, Labels: s{"A", "A", "B"}, LabelName: "y", Rows: 3}},
		{"only missing", "c,d,y\n,1,A\nNA,2,B\n", Options{},
			Table{Names: s{"c", "d"}, Columns: f{{nan, nan}, {1, 2}}, Labels: s{"A", "B"}, LabelName: "y", Rows: 2}},
		{"no header", "1,red,A\n2,blue,B\n", Options{},
			Table{Columns: f{{1, 2}, {0, 1}}, Categories: []s{nil, {"red", "blue"}}, Labels: s{"A", "B"}, Rows: 2}},
		{"a header all of texts", "u,v,y\nred,big,A\nblue,small,B\n", Options{},
			Table{Names: s{"u", "v"}, Columns: f{{0, 1}, {0, 1}}, Categories: []s{{"red", "blue"}, {"big", "small"}}, Labels: s{"A", "B"}, LabelName: "y", Rows: 2}},
		{"quoted", "u,y\n\"a, \"\"b\"\"\",A\n\"1\",B\n", Options{},
			Table{Names: s{"u"}, Columns: f{{0, 1}}, Categories: []s{{`a, "b"`, "1"}}, Labels: s{"A", "B"}, LabelName: "y", Rows: 2}},
		{"booleans", "u,v,y\ntrue,1,A\nFalse,TRUE,B\n", Options{},
			Table{Names: s{"u", "v"}, Columns: f{{1, 0}, {0, 1}}, Categories: []s{nil, {"1", "TRUE"}}, Labels: s{"A", "B"}, LabelName: "y", Rows: 2}},
		{"ignored", "id,n,y\na1,5,A\na2,6,B\n", Options{Ignore: s{"id"}}, Table{Names: s{"n"}, Columns: f{{5, 6}}, Labels: s{"A", "B"}, LabelName: "y", Rows: 2}},
		{"ignored by index", "x,5,A\nz,6,B\n", Options{Ignore: s{"0"}}, Table{Columns: f{{5, 6}}, Labels: s{"A", "B"}, Rows: 2}},
		{"row ids", "id,n,y\n7,5,A\n-1,6,B\n18446744073709551614,7,A\n", Options{RowID: "id"},
			Table{Names: s{"n"}, Columns: f{{5, 6, 7}}, Labels: s{"A", "B", "A"}, LabelName: "y", IDs: []uint64{7, 1<<64 - 1, 1<<64 - 2}, Rows: 3}},
		{"row ids by index, and texts after numbers", "1,3,A\nx,4,B\n", Options{RowID: "1"},
			Table{Columns: f{{0, 1}}, Categories: []s{{"1", "x"}}, Labels: s{"A", "B"}, IDs: []uint64{3, 4}, Rows: 2}},
		{"without the row ids it may have", "n,y\n5,A\n6,B\n", Options{RowID: "id", RowIDOptional: true}, Table{Names: s{"n"}, Columns: f{{5, 6}}, Labels: s{"A", "B"}, LabelName: "y", Rows: 2}},
		{"LIBSVM without the row ids it may have", "A 1:2\nB 1:3\n", Options{RowID: "id", RowIDOptional: true}, Table{Columns: f{{2, 3}}, Labels: s{"A", "B"}, Rows: 2}},
		{"a header has an index for a name", "1,0,y\n5,b,A\n6,c,B\n", Options{Ignore: s{"0"}, Header: "yes"},
			Table{Names: s{"1"}, Columns: f{{5, 6}}, Labels: s{"A", "B"}, LabelName: "y", Rows: 2}},
		{"a file without labels", "id,n,c\n1,5,x\n2,6,z\n", Options{Ignore: s{"id"}, LabelOptional: true, Features: 2, Names: s{"c", "n"}, NumericFeatures: []bool{false, true}},
			Table{Names: s{"n", "c"}, Columns: f{{5, 6}, {0, 1}}, Categories: []s{nil, {"x", "z"}}, Rows: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.in), onlyReader{strings.NewReader(c.in)}, onlyReader{strings.NewReader(string(zip(t, c.in)))}} {
				got, err := Parse(r, "f", c.o)
				if err != nil {
					t.Fatal(err)
				}
				if !equal(got, &c.want) {
					t.Errorf("got  %+v\nwant %+v", *got, c.want)
				}
			}
		})
	}
}

func TestBadTexts(t *testing.T) {
	const help = " is not a number (numbers, or empty / NA / NaN / ? for missing)"
	checkAll(t, nil, []refuse{
		{"not UTF-8", "u,y\n1,A\nb\xe9,B\n", Options{}, `f:3: column "u": "b\xe9" is not text in UTF-8`},
		{"a zero byte", strings.Repeat("1,A\n", 200) + "b\x00,B\n", Options{}, `f:201: column 0: "b\x00" has a zero byte`},
		{"numeric", "u,y\n1,A\nb,B\n", Options{Numeric: []string{"u"}}, `f:3: column "u": "b"` + help},
		{"numeric feature", "v,u,y\n1,1,A\n2,b,B\n", Options{Names: []string{"u", "v"}, NumericFeatures: []bool{true, false}}, `f:3: column "u": "b"` + help},
		{"mixed, but numeric", "u,y\n1,A\n2020-01-01,B\n", Options{Numeric: []string{"u"}},
			`f:3: column "u": numbers, dates and truth values are mixed, and the column must be numeric`},
		{"no row id", "id,u,y\n1,1,A\nNA,2,B\n", Options{RowID: "id"}, `f:3: column "id": the row id is missing`},
		{"a row id of text", "id,u,y\n1,1,A\nr2,2,B\n", Options{RowID: "id"}, `f:3: column "id": the row id "r2" is not an integer from -2^63 to 2^64-1`},
		{"a fractional row id", "1,2,A\n1.5,2,B\n", Options{RowID: "0"}, `f:2: column 0: the row id "1.5" is not an integer from -2^63 to 2^64-1`},
		{"a large row id", "1,2,A\n18446744073709551616,2,B\n", Options{RowID: "0"}, `f:2: column 0: the row id "18446744073709551616" is not an integer from -2^63 to 2^64-1`},
		{"no column of row ids", "u,v,y\n1,2,A\n", Options{RowID: "id"}, `f: row id: no column "id"; the columns are "u", "v", "y"`},
		{"row ids that are labels", "u,v,y\n1,2,A\n", Options{RowID: "y"}, `f: row id: column "y" is the label`},
		{"row ids of LIBSVM", "A 1:2 2:3\n", Options{RowID: "id"}, `f: column "id": a LIBSVM file has no columns to choose, keep or ignore, or to take as numeric, categorical, weights or row ids`},
		{"no such column", "u,v,y\n1,2,A\n", Options{Ignore: []string{"w"}}, `f: ignore: no column "w"; the columns are "u", "v", "y"`},
		{"no header", "1,2,A\n", Options{Categorical: []string{"w"}}, `f: categorical: no column "w": the file has no header, so it is an index in 0..2`},
		{"the label", "u,v,y\n1,2,A\n", Options{Numeric: []string{"y"}}, `f: numeric: column "y" is the label`},
		{"LIBSVM", "A 1:2 2:3\n", Options{Categorical: []string{"1"}}, `f: column "1": a LIBSVM file has no columns to choose, keep or ignore, or to take as numeric, categorical, weights or row ids`},
		{"decimal comma", "u;y\n2;A\n1,5;A\n", Options{Dialect: Dialect{Decimal: "."}}, `f:3: column "u": "1,5"` + help + "; is its comma a decimal comma? Then use --decimal ,"},
	})
}

// TestDescribe: a table has the kinds of its columns.
func TestDescribe(t *testing.T) {
	in := "id,n,born,ok,zip,kind,y\n" + strings.Repeat("a,1.5,2020-02-29,yes,123,7,A\n", 20) + "b,2,2021-01-01T00:00:01.5+01:00,no,N1,8,B\n"
	in = strings.ReplaceAll(strings.ReplaceAll(in, ",yes,", ",true,"), ",no,", ",false,")
	got, err := Parse(strings.NewReader(in), "f", Options{Ignore: []string{"id"}, Categorical: []string{"kind"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Kind{Numbers, Dates, Booleans, Categories, Numbers}; !slices.Equal(got.Kinds, want) {
		t.Errorf("the kinds are %v, want %v", got.Kinds, want)
	}
	if !slices.Equal(got.Coded, []int{4}) || !slices.Equal(got.Ignored, []string{"id"}) {
		t.Errorf("coded are %v, ignored %v", got.Coded, got.Ignored)
	}
	if want := `column "zip" is categorical because of "N1" in line 22, but 20 of its 21 cells are numbers`; len(got.Odd) != 1 || got.Odd[0] != want {
		t.Errorf("odd are %q, want %q", got.Odd, want)
	}
	if at := got.Columns[1]; at[0] != 1582934400 || at[20] != 1609455601.5 {
		t.Errorf("the dates are %v and %v", at[0], at[20])
	}
}

func TestManyCategories(t *testing.T) {
	for _, n := range []int{300, 100_000} {
		var in strings.Builder
		for i := range 2 * n {
			fmt.Fprintf(&in, "%d,c%d,A\n", i, i%n)
		}
		got, err := Parse(strings.NewReader(in.String()), "f", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Categories[1]) != n || got.Columns[1][n+7] != 7 {
			t.Errorf("%d categories, row %d has %v", len(got.Categories[1]), n+7, got.Columns[1][n+7])
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]float64{
		"1970-01-01": 0, "1969-12-31": -86400, "2020-02-29": 1582934400, "0001-01-01": -62135596800, "2020-01-01T00:00": 1577836800,
		"2020-01-01 01:02:03": 1577840523, "2020-01-01T00:00:00Z": 1577836800, "2020-01-01T00:00:00.25Z": 1577836800.25,
		"2020-01-01T02:00:00+02:00": 1577836800, "2019-12-31T22:30-0130": 1577836800, "2020-01-01 00:00:00.123456789": 1577836800 + 0.123456789,
		"2020-01-01T05:00+05": 1577836800,
	} {
		if got, ok := Date([]byte(text)); !ok || got != want {
			t.Errorf("%s is %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "2020", "2020-01", "2020-1-01", "2020-13-01", "2019-02-29", "2020-01-01T", "2020-01-01T24:00", "2020-01-01T00:60",
		"2020-01-01T1:00", "2020-01-01 00", "2020-01-01T00:00:00.", "2020-01-01T00:00.5", "2020-01-01T00:00:00.1234567890", "2020-01-01X00:00",
		"2020-01-01T00:00+", "2020-01-01T00:00+25:00", "2020-01-01T00:00Z1", "20200101", "2020/01/01", "01-01-2020", "+020-01-01", "2020-01-01T00:00:00+01:60"} {
		if got, ok := Date([]byte(text)); ok {
			t.Errorf("%q is taken for a date, %v", text, got)
		}
	}
}

// TestReadAgain: it is an error if a file cannot be read again.
func TestReadAgain(t *testing.T) {
	in := "u,y\n1,A\nb,B\n"
	_, err := Parse(&onceSeeker{strings.NewReader(in), 1}, "f", Options{})
	if e := (*Error)(nil); !errors.As(err, &e) || e.Error() != "f: gone" {
		t.Errorf("%v", err)
	}
}

// onceSeeker can seek a number of times.
type onceSeeker struct {
	*strings.Reader
	left int
}

func (s *onceSeeker) Seek(offset int64, whence int) (int64, error) {
	if s.left--; s.left < 0 {
		return 0, errors.New("gone")
	}
	return s.Reader.Seek(offset, whence)
}
