package table

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/libaoso/aoso/internal/mem"
)

func TestHeader(t *testing.T) {
	type f = [][]float64
	type s = []string
	numbers := "0,1,2,class\n5,6,7,A\n8,9,1,B\n"
	checkAll(t, []accept{
		{"a header of numbers", numbers, Options{Header: "yes"},
			Table{Names: s{"0", "1", "2"}, Columns: f{{5, 8}, {6, 9}, {7, 1}}, Labels: s{"A", "B"}, LabelName: "class", Rows: 2}},
		{"all of numbers", "0,1,2\n5,6,7\n", Options{Header: "yes"},
			Table{Names: s{"0", "1"}, Columns: f{{5}, {6}}, Labels: s{"7"}, LabelName: "2", Rows: 1}},
		{"label by index under a header of numbers", "2,0,1\n5,6,7\n", Options{Header: "yes", Label: "0"}, // the name wins
			Table{Names: s{"2", "1"}, Columns: f{{5}, {7}}, Labels: s{"6"}, LabelName: "0", Rows: 1}},
		{"none", "A,1,2\nB,3,4\n", Options{Header: "no", Label: "0"}, Table{Columns: f{{1, 3}, {2, 4}}, Labels: s{"A", "B"}, Rows: 2}},
		{"two marks", bom + bom + "1,2,A\n3,4,B\n", Options{}, Table{Columns: f{{1, 3}, {2, 4}}, Labels: s{"A", "B"}, Rows: 2}},
		{"no label, by names", "b,a\n1,2\n", Options{LabelOptional: true, Features: 2, Names: s{"a", "b"}},
			Table{Names: s{"b", "a"}, Columns: f{{1}, {2}}, Rows: 1}},
		{"a feature less and no label", "a,c\n1,2\n", Options{LabelOptional: true, Features: 3, Names: s{"a", "b", "c"}},
			Table{Names: s{"a", "c"}, Columns: f{{1}, {2}}, Rows: 1}},
		{"a feature less and a label", "a,class\n1,A\n", Options{LabelOptional: true, Features: 2, Names: s{"a", "b"}},
			Table{Names: s{"a"}, Columns: f{{1}}, Rows: 1}},
		{"other columns than features", "c,a,d\n1,2,3\n", Options{LabelOptional: true, Features: 2, Names: s{"a", "b"}},
			Table{Names: s{"a"}, Columns: f{{2}}, Rows: 1}},
		{"the only column that is no feature is the label", "class,b,a\nA,1,2\n", Options{Features: 2, Names: s{"a", "b"}},
			Table{Names: s{"b", "a"}, Columns: f{{1}, {2}}, Labels: s{"A"}, LabelName: "class", Rows: 1}},
	}, []refuse{
		{"no header, and text", "a,b\n1,2\n", Options{Header: "no", Numeric: []string{"0"}}, `f:1: column 0: "a" is not a number (numbers, or empty / NA / NaN / ? for missing)`},
		{"no header, and a name", "a,b\n1,2\n", Options{Header: "no", Label: "b"}, `f: no label column "b": the file has no header, so the label is an index in 0..1, last, or none`},
		{"two columns that may be the label", "id,class,a\n1,A,2\n", Options{Features: 1, Names: s{"a"}},
			`f: its last column, "a", is a feature; --label must say which column is the label: "id", "class"`},
		{"no column for the label", "a,b\n1,2\n", Options{Features: 2, Names: s{"a", "b"}},
			"f: has no column for the label: all columns are features; allowed: a file with a column of labels"},
		{"nonsense", "a,b\n1,2\n", Options{Header: "perhaps"}, `f: unknown header "perhaps" (auto, yes or no)`},
		{"only a header", "1,2\n", Options{Header: "yes"}, "f: has a header but no rows"},
		{"a mark within", "1,2,A\n" + bom + "3,4,B\n", Options{}, "f:2: a byte order mark within the file, as where two files were joined"},
		{"UTF-16, big-endian", "\xfe\xff\x001\x00,", Options{}, "f: is text in UTF-16; it must be UTF-8"},
		{"UTF-32", "\xff\xfe\x00\x001\x00\x00\x00", Options{}, "f: is text in UTF-32; it must be UTF-8"},
		{"a label in Latin-1", "1,2,A\n3,4,caf\xe9\n", Options{}, `f:2: column 2: the label "caf\xe9" is not text in UTF-8`},
		{"a label in Latin-1, LIBSVM", "a 1:2\ncaf\xe9 1:2\n", Options{Format: "libsvm"}, `f:2: the label "caf\xe9" is not text in UTF-8`},
		{"a name in Latin-1", "1,gr\xf6\xdfe,A\n3,4,B\n", Options{}, `f:1: column 1: the name "gr\xf6\xdfe" is not text in UTF-8`},
		{"a zero byte in a label", strings.Repeat("1,2,A\n", 200) + "1,2,A\x00\n", Options{}, `f:201: column 2: the label "A\x00" has a zero byte`},
		{"a feature less, no header", "1,2\n1,A\n2,B\n", Options{LabelOptional: true, Features: 2, NumericFeatures: []bool{true, true}},
			`f:2: column 1: "A" is not a number (numbers, or empty / NA / NaN / ? for missing); with 2 columns, as many as there should be features, the file was taken to have no label`},
	})
}

// TestDoubt: a warning says that the first line may be a header of pandas, or a row of a file of categories.
func TestDoubt(t *testing.T) {
	const row, header = "read as a row", "read as a header"
	for _, test := range []struct {
		text string
		o    Options
		want string
	}{
		{"0,1,2,class\n5,6,7,1\n8,9,1,0\n", Options{}, row},
		{"0,1,2,3\n5.5,6.5,7.5,A\n8,9,1,B\n", Options{}, row},
		{"class,0,1,2\nA,5,6,7\n", Options{Label: "0"}, row},
		{"0,1,2,3\nA,5,6,7\n", Options{Label: "0"}, row},
		{"0,1,2\n5,6,7\n8,9,1\n", Options{Label: "none"}, row},
		{"0,1,2,class\n5,6,7,1\n", Options{Header: "yes"}, ""},
		{"0,1,2,class\n5,6,7,1\n", Options{Header: "no"}, ""},
		{"0,1,class\n5,6,A\n", Options{Label: "class"}, ""},
		{"0,1,A\n1,0,B\n", Options{}, ""},
		{"a,b,class\n5,6,A\n", Options{}, ""},
		{",b,class\n5,6,A\n", Options{}, ""},
		{"1,2,A\n3,4,B\n5,6,C\n", Options{}, ""},
		{"3,1,2,A\n5,6,7,B\n", Options{}, ""},
		{"Bern,2019,2020,A\nRome,1,2,A\nOslo,3,4,B\n", Options{}, ""},
		{"p,x,s\np,x,s\ne,b,s\n", Options{Label: "0"}, header}, // agaricus-lepiota.data of the UCI repository, mushrooms
		{"p,x,s\np,x,s\ne,b,s\n", Options{Label: "0", Header: "yes"}, ""},
	} {
		got, err := Parse(strings.NewReader(test.text), "f", test.o)
		if err != nil || !strings.Contains(got.Doubt, test.want) || (test.want == "") != (got.Doubt == "") {
			t.Errorf("%q: %v, %+v, want %q", test.text, err, got, test.want)
		}
	}
}

// repeated is a reader of a text that repeats without end.
type repeated struct {
	text string
	left int
}

func (r *repeated) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		c := copy(b[n:], r.text[r.left:])
		n, r.left = n+c, (r.left+c)%len(r.text)
	}
	return n, nil
}

// TestMemory: endless data are an error before the memory is exhausted.
func TestMemory(t *testing.T) {
	if text := os.Getenv("TABLE_TEST_ENDLESS"); text != "" {
		debug.SetMemoryLimit(int64(0.9 * mem.Plannable())) // as the command does
		first, text, _ := strings.Cut(text, "|")
		_, err := Parse(io.MultiReader(strings.NewReader(first), &repeated{text: text}), "f", Options{Format: os.Getenv("TABLE_TEST_FORMAT")})
		fmt.Print(err)
		os.Exit(0)
	}
	if testing.Short() {
		t.Skip("not run with -short, as the race detector is: that takes more address space than the test allows")
	}
	for name, test := range map[string]struct{ format, text string }{
		"rows":   {"csv", "|1,2,A\n"},
		"LIBSVM": {"libsvm", "|A 1:1 2:2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command("/bin/sh", "-c", `ulimit -v 1400000; exec "$0" -test.run 'TestMemory$'`, os.Args[0])
			c.Env = append(os.Environ(), "TABLE_TEST_ENDLESS="+test.text, "TABLE_TEST_FORMAT="+test.format)
			out, err := c.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), "f:") || !strings.Contains(string(out), "of the memory there is") {
				t.Errorf("%v, %.300s", err, out)
			}
		})
	}
}
