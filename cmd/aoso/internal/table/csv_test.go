package table

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestCSV(t *testing.T) {
	type f = [][]float64
	type s = []string
	ab := Table{Columns: f{{1, 3}, {2, 4}}, Labels: s{"A", "B"}, Rows: 2}
	named := Table{Names: s{"u", "v"}, Columns: f{{1, 3}, {2, 4}}, Labels: s{"A", "B"}, LabelName: "w", Rows: 2}
	moved := Table{Names: s{"u", "v"}, Columns: f{{1}, {2}}, Labels: s{"7"}, LabelName: "w", Rows: 1}
	long := strings.Repeat("1,", 300000)

	good := []accept{
		{"plain", "1,2,A\n3,4,B\n", Options{}, ab},
		{"last", "1,2,A\n3,4,B\n", Options{Label: "last", Format: "csv"}, ab},
		{"no end of line", "1,2,A\n3,4,B", Options{}, ab},
		{"blank lines at the end", "1,2,A\n3,4,B\n\n  \r\n\n", Options{}, ab},
		{"crlf", "1,2,A\r\n3,4,B\r\n", Options{}, ab},
		{"bom", "\xef\xbb\xbf1,2,A\n3,4,B\n", Options{}, ab},
		{"spaces", " 1 ,\t2, A \n3 , 4,B\n", Options{}, ab},
		{"semicolon", "1;2;A\n3;4;B\n", Options{}, ab},
		{"tab", "1\t2\tA\n3\t4\tB\n", Options{}, ab},
		{"quotes", "\"1\",2,\"A\"\n3,\"4\" , \"B\"\n", Options{}, ab},
		{"header", "u,v,w\n1,2,A\n3,4,B\n", Options{}, named},
		{"header after bom", "\xef\xbb\xbfu,v,w\n1,2,A\n3,4,B\n", Options{}, named},
		{"quoted header after bom", "\xef\xbb\xbf\"u\",\"v\",\"w\"\n1,2,A\n3,4,B\n", Options{}, named},
		{"quoted header", "\"u\", \"v\" ,\"w\"\n1,2,A\n3,4,B\n", Options{}, named},
		{"separator in a quoted name", "\"u;;;;\",v,w\n1,2,A\n", Options{},
			Table{Names: s{"u;;;;", "v"}, Columns: f{{1}, {2}}, Labels: s{"A"}, LabelName: "w", Rows: 1}},

		{"label by name", "u,w,v\n1,7,2\n", Options{Label: "w"}, moved},
		{"label by index", "w,u,v\n7,1,2\n", Options{Label: "0"}, moved},
		{"label by index, no header", "A,1,2\nB,3,4\n", Options{Label: "0"}, ab},
		{"label by a name of numbers", "u,3,v\n1,7,2\n", Options{Label: "3"},
			Table{Names: s{"u", "v"}, Columns: f{{1}, {2}}, Labels: s{"7"}, LabelName: "3", Rows: 1}},
		{"a named label makes a header", "0,1,class\n5,6,A\n", Options{Label: "class"},
			Table{Names: s{"0", "1"}, Columns: f{{5}, {6}}, Labels: s{"A"}, LabelName: "class", Rows: 1}},
		{"no label", "1,2\n3,4\n", Options{Label: "none"}, Table{Columns: f{{1, 3}, {2, 4}}, Rows: 2}},
		{"no label, header", "u,v\n1,2\n", Options{Label: "none"}, Table{Names: s{"u", "v"}, Columns: f{{1}, {2}}, Rows: 1}},
		{"numeric label under a header", "u,0\n1,2\n", Options{}, Table{Names: s{"u"}, Columns: f{{1}}, Labels: s{"2"}, LabelName: "0", Rows: 1}},
		{"one name is no number", "1,b,2\n3,4,5\n", Options{}, Table{Names: s{"1", "b"}, Columns: f{{3}, {4}}, Labels: s{"5"}, LabelName: "2", Rows: 1}},
		{"an unnamed column", ",v,w\n1,2,A\n", Options{}, Table{Names: s{"", "v"}, Columns: f{{1}, {2}}, Labels: s{"A"}, LabelName: "w", Rows: 1}},

		{"missing", "1,A\n,A\nNA,A\nNaN,A\nnan,A\nnull,A\n?,A\nNULL,A\n ,A\n\"\",A\n", Options{},
			Table{Columns: f{{1, nan, nan, nan, nan, nan, nan, nan, nan, nan}}, Labels: strings.Split("AAAAAAAAAA", ""), Rows: 10}},
		{"missing in the first row", "?,NA,A\n1,2,B\n", Options{}, Table{Columns: f{{nan, 1}, {nan, 2}}, Labels: s{"A", "B"}, Rows: 2}},
		{"missing at the end", "1,\n2,3\n", Options{Label: "none"}, Table{Columns: f{{1, 2}, {nan, 3}}, Rows: 2}},
		{"a row of tabs", "1\t2\n\t\n", Options{Label: "none"}, Table{Columns: f{{1, nan}, {2, nan}}, Rows: 2}},
		{"numbers", "-1.5,1e3,0.1,18446744073709551616,A\n", Options{},
			Table{Columns: f{{-1.5}, {1000}, {0.1}, {18446744073709551616}}, Labels: s{"A"}, Rows: 1}},
		{"labels in quotes", "1,\"say \"\"a\"\", b\"\n2,\"two\r\nlines\"\n3,\" c \"\n", Options{},
			Table{Columns: f{{1, 2, 3}}, Labels: s{`say "a", b`, "two\nlines", "c"}, Rows: 3}},
		{"a long line", long + "A\n" + long + "B\n", Options{}, Table{Columns: slices.Repeat(f{{1, 1}}, 300000), Labels: s{"A", "B"}, Rows: 2}},
	}
	checkAll(t, good, nil)
}

func TestBadCSV(t *testing.T) {
	const cellHelp = " is not a number (numbers, or empty / NA / NaN / ? for missing)"
	bad := []refuse{
		{"empty", "", Options{}, "f: is empty"},
		{"only a bom", "\xef\xbb\xbf", Options{}, "f: is empty"},
		{"only blank lines", "\n\r\n \n", Options{}, "f: is empty"},
		{"header only", "u,v,w\n", Options{}, "f: has a header but no rows"},
		{"one column", "u\n1\n", Options{}, "f: has one column only, so no features beside the label (cells are separated by a comma, a semicolon or a tab, or as --separator says)"},
		{"blank line inside", "1,2\n\n\n3,4\n", Options{}, "f:2: blank line before the end of the data"},
		{"text", "u,width,w\n1,2,A\n1,abc,A\n", Options{Numeric: []string{"width"}}, `f:3: column "width": "abc"` + cellHelp},
		{"text, no header", "1,2,A\n1,abc,A\n", Options{Numeric: []string{"1"}}, `f:2: column 1: "abc"` + cellHelp},
		{"text in quotes", "1,2,A\n1,\"a\"\"c\",A\n", Options{NumericFeatures: []bool{true, true}}, `f:2: column 1: "a\"c"` + cellHelp},
		{"long text", "1,A\n" + strings.Repeat("x", 1000) + ",A\n", Options{Numeric: []string{"0"}}, `f:2: column 0: "` + strings.Repeat("x", 40) + `"...` + cellHelp},
		{"overflow", "1,A\n1e999,A\n", Options{}, `f:2: column 0: "1e999" is beyond the range of numbers`},
		{"short row", "u,v,w\n1,2,3\n1,A\n", Options{}, "f:3: the row has 2 cells, the first row has 3"},
		{"long row", "1,2,3\n1,2,3,4\n", Options{}, "f:2: the row has 4 cells, the first row has 3"},
		{"short row with quotes", "1,2,3\n1,\"A\"\n", Options{}, "f:2: the row has 2 cells, the first row has 3"},
		{"missing label", "1,A\n2,\n", Options{}, "f:2: column 1: the label is missing"},
		{"missing label, named", "u,w\n2,NA\n", Options{}, `f:2: column "w": the label is missing ("NA" stands for a missing value; --text-labels takes it as a class)`},
		{"duplicate names", "u,v,u,w\n1,2,3,4\n", Options{}, `f:1: columns 0 and 2 have the same name "u"`},
		{"index too large", "1,2,3\n", Options{Label: "3"}, "f: label column 3 is out of range: the columns are 0..2"},
		{"index negative", "1,2,3\n", Options{Label: "-1"}, "f: label column -1 is out of range: the columns are 0..2"},
		{"no such name", "u,v,w\n1,2,3\n", Options{Label: "x"}, `f: no label column "x"; the columns are "u", "v", "w"`},
		{"no names", "1,2,3\n", Options{Label: "x"}, `f: no label column "x": the file has no header, so the label is an index in 0..2, last, or none`},
		{"open quote", "1,2\n1,\"2\n3,4\n", Options{}, "f:2: column 1: the quote opened here is never closed"},
		{"quote inside", "1,2\n1,5\" nail\n3,4\n", Options{}, `f:2: column 1: "5\" nail" has a quote inside an unquoted cell`},
		{"text after a quote", "1,\"2\"3\n", Options{}, `f:1: column 1: "3" follows a closing quote`},
		{"line numbers after a long record", "1,\"a\nb\"\nx,2\n", Options{Numeric: []string{"0"}}, `f:3: column 0: "x"` + cellHelp},
	}
	checkAll(t, nil, bad)
}

func TestCSVManyNames(t *testing.T) {
	var names []string
	for j := range 100 {
		names = append(names, fmt.Sprint("c", j))
	}
	_, err := Parse(strings.NewReader(strings.Join(names, ",")+"\n"), "f", Options{Label: "x"})
	if err == nil || !strings.HasSuffix(err.Error(), `"c29", and 70 more`) {
		t.Error(err)
	}
}

// Rows enough for several blocks, checked against what was written.
func TestCSVBlocks(t *testing.T) {
	for _, width := range []int{1, 3, 784, blockCells + 1} {
		want := &Table{Columns: make([][]float64, width), Rows: 3*blockCells/width + 3}
		r := rand.New(rand.NewPCG(3, 4))
		for j := range want.Columns {
			for range want.Rows {
				want.Columns[j] = append(want.Columns[j], float64(r.IntN(2000)-1000)/8)
			}
		}
		got, err := Parse(bytes.NewReader(writeCSV(want)), "f", Options{Label: "none"})
		if err != nil {
			t.Fatal(err)
		}
		if !equal(got, want) {
			t.Errorf("width %d: the columns differ", width)
		}
	}
}

func writeCSV(t *Table) []byte {
	var b []byte
	quoted := func(s string) { b = append(b, `"`+strings.ReplaceAll(s, `"`, `""`)+`"`...) }
	end := func() { b[len(b)-1] = '\n' }
	if t.Names != nil {
		for _, name := range t.Names {
			quoted(name)
			b = append(b, ',')
		}
		if t.Labels != nil {
			quoted(t.LabelName)
			b = append(b, ',')
		}
		end()
	}
	for i := range t.Rows {
		for j, column := range t.Columns {
			if t.Categories == nil || t.Categories[j] == nil || column[i] != column[i] {
				b = append(strconv.AppendFloat(b, column[i], 'g', -1, 64), ',')
				continue
			}
			quoted(t.Categories[j][int(column[i])])
			b = append(b, ',')
		}
		if t.Labels != nil {
			quoted(t.Labels[i])
			b = append(b, ',')
		}
		end()
	}
	return b
}

func FuzzCSV(f *testing.F) {
	for _, in := range []string{
		"1,2,A\n3,4,B\n", "u,v,w\n1,NA,A\n?,-2.5e3,B\n", "\"u\"\"x\",v\r\n1,\"two\nlines\"\r\n", "1;2;3\n", "1\t\t3\n\t\tx\n",
		"\xef\xbb\xbfu,v\n1,2\n\n", "1,inf\n", "1,1e999\n", "1,2\n3\n", "u,u\n", "1,\"2", "1,2\"", "0,1,class\n5,6,A\n", "1 1:2 3:4\n", "\x1f\x8b\x08",
	} {
		for _, label := range []string{"", "none", "0", "class"} {
			f.Add([]byte(in), label)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, label string) {
		o := Options{Label: label, Format: "csv"}
		got, err := Parse(bytes.NewReader(in), "f", o)
		if err != nil {
			checkError(t, err)
			return
		}
		checkTable(t, got)
		if strings.Contains(strings.Join(append(got.Labels, got.Names...), "")+got.LabelName, "\r") {
			return // before a line feed it would be lost, as in every CSV reader
		}
		// The writer puts the label last; its index is all that a label by name still needs.
		if _, err := strconv.Atoi(label); err == nil {
			o.Label = "last"
		}
		text := writeCSV(got)
		if beginsLikeAnother(text) {
			return
		}
		again, err := Parse(bytes.NewReader(text), "f", o)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(got, again) {
			t.Errorf("got   %+v\nagain %+v", *got, *again)
		}
	})
}

// digits returns an MNIST-like file: rows of 784 integers, most of them 0, and a label.
func digits(rows int) []byte {
	r := rand.New(rand.NewPCG(5, 6))
	var b []byte
	for range rows {
		for j := range 784 {
			v := 0
			if r.IntN(5) == 0 && j > 100 {
				v = r.IntN(256)
			}
			b = append(strconv.AppendInt(b, int64(v), 10), ',')
		}
		b = append(b, byte('0'+r.IntN(10)), '\n')
	}
	return b
}

// decimals returns a file of rows of 28 numbers and a label.
func decimals(rows, precision int) []byte {
	r := rand.New(rand.NewPCG(7, 8))
	var b []byte
	for range rows {
		for range 28 {
			b = append(strconv.AppendFloat(b, r.NormFloat64(), 'g', precision, 64), ',')
		}
		b = append(b, byte('0'+r.IntN(2)), '\n')
	}
	return b
}

func BenchmarkCSV(b *testing.B) {
	for _, c := range []struct {
		name string
		in   []byte
	}{
		{"integers", digits(10000)},
		{"integers-full", digits(60000)},
		{"decimals-6", decimals(50000, 6)},
		{"decimals-17", decimals(20000, 17)},
		{"quoted-label", bytes.ReplaceAll(decimals(50000, 6), []byte(",0\n"), []byte(",\"0\"\n"))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.in)))
			for b.Loop() {
				if _, err := Parse(bytes.NewReader(c.in), "f", Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
