package table

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
)

func TestDialect(t *testing.T) {
	type f = [][]float64
	type s = []string
	ab := Table{Columns: f{{1, 3}, {2, 4}}, Labels: s{"A", "B"}, Rows: 2}
	named := Table{Names: s{"u", "v"}, Columns: f{{1, 3}, {2, 4}}, Labels: s{"A", "B"}, LabelName: "w", Rows: 2}
	halves := Table{Names: s{"u", "v"}, Columns: f{{1.5, -2}, {2, nan}}, Labels: s{"A", "B"}, LabelName: "w", Rows: 2}
	with := func(separator, decimal, comment string) Options {
		return Options{Dialect: Dialect{separator, decimal, comment}}
	}
	const help = " is not a number (numbers, or empty / NA / NaN / ? for missing)"
	checkAll(t, []accept{
		{"bars", "1|2|A\n3|4|B\n", Options{}, ab},
		{"blanks", "u v w\n 1  2 A\n3\t4 B \n", Options{}, named},
		{"blanks and quotes", "1 2 \"A  B\"\n3 4 B\n", Options{}, Table{Columns: f{{1, 3}, {2, 4}}, Labels: s{"A  B", "B"}, Rows: 2}},
		{"blanks in one column", "my name\n1\n2\n", Options{Label: "none"}, Table{Names: s{"my name"}, Columns: f{{1, 2}}, Rows: 2}},
		{"given blanks", "1,5 2 A\n3,5 4 B\n", with("space", ",", ""), Table{Columns: f{{1.5, 3.5}, {2, 4}}, Labels: s{"A", "B"}, Rows: 2}},
		{"a given separator", "1:2:A\n3:4:B\n", with(":", "", ""), ab},
		{"a given tab", "1,5\tA\n2,5\tB\n", with("tab", "", ""), Table{Columns: f{{1.5, 2.5}}, Labels: s{"A", "B"}, Rows: 2}},

		{"decimal commas", "u;v;w\n1,5;2;A\n-2,0e0;;B\n", Options{}, halves},
		{"decimal commas in quotes", "u;v;w\n\"1,5\";2;A\n-2;;B\n", Options{}, halves},
		{"decimal commas, said so", "u,v,w\n\"1,5\",2,A\n\"-2,0\",NA,B\n", with("", ",", ""), halves},
		{"decimal commas and dates", "u;w\n2020-01-02;A\n", with("", ",", ""), Table{Names: s{"u"}, Columns: f{{1577923200}}, Labels: s{"A"}, LabelName: "w", Rows: 1}},
		{"texts with commas", "u;v;w\nx,y;2;A\n", Options{}, Table{Names: s{"u", "v"}, Columns: f{{0}, {2}}, Categories: []s{{"x,y"}, nil}, Labels: s{"A"}, LabelName: "w", Rows: 1}},

		{"comments", "# by hand, at home\n#\nu,v,w\n1,2,A\n3,4,B\n", Options{}, named},
		{"a header after #", "# made today\n#u,v,w\n1,2,A\n3,4,B\n", Options{}, Table{Names: s{"#u", "v"}, Columns: f{{1, 3}, {2, 4}}, Labels: s{"A", "B"}, LabelName: "w", Rows: 2}},
		{"comments, said so", "u,v,w\n%1,2,A\n1,2,A\n% x\n3,4,B\n%", with("", "", "%"), named},
		{"carriage returns", "u,v,w\r1,2,A\r3,4,B\r", Options{}, named},

		{"columns", "u,x,v,y,w\n1,a,2,0,A\n3,b,4,0,B\n", Options{Columns: s{"u", "2"}}, named},
		{"a list of columns", "u,x,v,y,w\n1,a,2,0,A\n3,b,4,0,B\n", Options{Columns: s{"u,v"}}, named},
		{"ignored columns", "u,x,v,y,w\n1,a,2,0,A\n3,b,4,0,B\n", Options{Ignore: s{"x,y"}}, named},
		{"a name with a comma", "\"u,v\",x,w\n1,a,A\n", Options{Columns: s{"u,v"}}, Table{Names: s{"u,v"}, Columns: f{{1}}, Labels: s{"A"}, LabelName: "w", Rows: 1}},
		{"weights", "u,n,v,w\n1,0,2,A\n3,2.5,4,B\n", Options{Weight: "n"},
			Table{Names: s{"u", "v"}, Columns: f{{1, 3}, {2, 4}}, Labels: s{"A", "B"}, LabelName: "w", Weights: []float64{0, 2.5}, Rows: 2}},
		{"weights with decimal commas", "u;n;w\n1;0,5;A\n", Options{Weight: "n"}, Table{Names: s{"u"}, Columns: f{{1}}, Labels: s{"A"}, LabelName: "w", Weights: []float64{0.5}, Rows: 1}},
	}, []refuse{
		{"thousands", "u;w\n1,500;A\n", Options{}, `f:2: column "u": "1,500"` + help + "; is its comma a decimal comma? Then use --decimal ,"},
		{"points and commas", "u;w\n1,5;A\n1.5;B\n", Options{}, `f:2: column "u": "1,5"` + help + "; is its comma a decimal comma? Then use --decimal ,"},
		{"a late point", "u;w\n1,5;A\n" + strings.Repeat("2;A\n", 1<<15) + "1.5;B\n", Options{},
			`f:32771: column "u": "1.5"` + help + "; numbers have decimal commas here. Use --decimal . if they have points"},
		{"a separator of two characters", "1,2\n", with("::", "", ""), `f: separator is "::"; allowed: tab, space, or one character such as ; (no letter beyond ASCII, digit, quote, point or minus)`},
		{"separator and decimal", "1,2\n", with(",", ",", ""), `f: separator and decimal are both ","; allowed: two different characters`},
		{"decimal", "1,2\n", with("", ";", ""), `f: decimal is ";"; allowed: . or ,`},
		{"no weight", "u,n,w\n1,,A\n", Options{Weight: "n"}, `f:2: column "n": the weight is missing`},
		{"a weight below 0", "u,n,w\n1,-1,A\n", Options{Weight: "n"}, `f:2: column "n": the weight "-1" is not a finite number, at least 0`},
		{"the label as weight", "u,n,w\n1,1,A\n", Options{Weight: "w"}, `f: weight: column "w" is the label`},
		{"a mistyped column", "u,weight,w\n1,1,A\n", Options{Weight: "wieght"}, `f: weight: no column "wieght"; did you mean "weight"?`},
		{"a mistyped label", "u,v,class\n1,1,A\n", Options{Label: "clas"}, `f: no label column "clas"; did you mean "class"?`},
		{"a column twice", "u,v,w\n1,1,A\n", Options{Columns: s{"u", "v"}, Ignore: s{"u"}}, `f: columns: column "u" is ignored`},
	})
}

// TestCompression: each format can be read, and truncated data are an error.
func TestCompression(t *testing.T) {
	const text = "a,b,class\n1,2,x\n3,4,y\n"
	want, err := Parse(strings.NewReader(text), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]string{
		"bzip2":     "QlpoOTFBWSZTWexOKNcAAAbZgAAQAAQ8ADgECGAgADEA0ADTSA8p6j9NcTTTJMsSdwPi7kinChIdicUa4A==",
		"xz":        "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAVYSxiLGNsYXNzCjEsMix4CjMsNCx5CgAAAN2olrmeFUP1AAEuFlYJVd8ftvN9AQAAAAAEWVo=",
		"Zstandard": "KLUv/QRYsQAAYSxiLGNsYXNzCjEsMix4CjMsNCx5Cmmh6DI=",
		"gzip":      base64.StdEncoding.EncodeToString(zip(t, text)),
	} {
		data, err := base64.StdEncoding.DecodeString(code)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(bytes.NewReader(data), "f", Options{}); err != nil || !equal(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if _, err := Parse(bytes.NewReader(data[:len(data)/2]), "f", Options{}); err == nil || !strings.Contains(err.Error(), "the "+name+" data ") {
			t.Errorf("%s, cut: %v", name, err)
		}
		data[len(data)/2] ^= 0x10
		if got, err := Parse(bytes.NewReader(data), "f", Options{}); err == nil {
			t.Errorf("%s: a flipped bit is not seen: %+v", name, got)
		}
	}
	for text, want := range map[string]string{"PK\x03\x04\x00": "is a zip archive or a workbook; allowed: ", "FEA1\x00": "is a Feather file of version 1", string(zip(t, "PAR1\x00")): "is a compressed Parquet file"} {
		if _, err := Parse(strings.NewReader(text), "f", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if got, err := Parse(strings.NewReader("FEA1,FEA2,y\n1,2,a\n"), "f", Options{}); err != nil || got.Names[0] != "FEA1" {
		t.Errorf("a name like the first bytes of another format: %v", err)
	}
}
