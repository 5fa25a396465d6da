package table

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestLIBSVM(t *testing.T) {
	type f = [][]float64
	type s = []string
	svm := Options{Format: "libsvm"}
	good := []accept{
		{"1-based", "1 1:5 3:6\n-1 2:7\n", Options{}, Table{Columns: f{{5, 0}, {0, 7}, {6, 0}}, Labels: s{"1", "-1"}, Rows: 2}},
		{"0-based", "1 1:5\n2 0:7\n", Options{}, Table{Columns: f{{0, 7}, {5, 0}}, Labels: s{"1", "2"}, Rows: 2}},
		{"missing", "1 1:nan 2:?\n2 1:NA 2:-1.5e1\n", Options{}, Table{Columns: f{{nan, nan}, {nan, -15}}, Labels: s{"1", "2"}, Rows: 2}},
		{"comments and blank lines", "# head\n\n+1 1:2 # tail 7:7\n \t\n3 1:4\r\n#\n", Options{}, Table{Columns: f{{2, 4}}, Labels: s{"+1", "3"}, Rows: 2}},
		{"labels are text", "rose 1:2\n", Options{}, Table{Columns: f{{2}}, Labels: s{"rose"}, Rows: 1}},
		{"a row of zeros", "1\n2 2:1\n3\n", svm, Table{Columns: f{{0, 0, 0}, {0, 1, 0}}, Labels: s{"1", "2", "3"}, Rows: 3}},
		{"features", "1 1:2\n", Options{Features: 3}, Table{Columns: f{{2}, {0}, {0}}, Labels: s{"1"}, Rows: 1}},
		{"features, none present", "1\n", Options{Format: "libsvm", Features: 1}, Table{Columns: f{{0}}, Labels: s{"1"}, Rows: 1}},
		{"no label", "1:2 2:3\n", Options{Label: "none"}, Table{Columns: f{{2}, {3}}, Rows: 1}},
		{"label ignored", "1 1:2\n", Options{Label: "none"}, Table{Columns: f{{2}}, Rows: 1}},
		{"bom", "\xef\xbb\xbf1 1:2\n", Options{}, Table{Columns: f{{2}}, Labels: s{"1"}, Rows: 1}},
	}
	bad := []refuse{
		{"empty", "", svm, "f: is empty"},
		{"only comments", "# a\n", svm, "f: is empty"},
		{"no features", "1\n2\n", svm, "f: has no features"},
		{"label by name", "1 1:2\n", Options{Label: "y"}, `f: label "y": in a LIBSVM file it is the first token of each line, so only last and none can be asked for`},
		{"no label", "1 1:1\n1:2 2:3\n", Options{}, "f:2: the label is missing"},
		{"label not known", "? 1:1\n", Options{}, `f:1: the label is missing ("?" stands for a missing value; --text-labels takes it as a class)`},
		{"several labels", "1,3 1:2\n", Options{}, `f:1: "1,3": more than one label in a row is not supported`},
		{"qid", "1 qid:3 1:2\n", Options{}, `f:1: "qid:3": ranking data is not supported`},
		{"unsorted", "1 1:2\n1 3:1 2:1\n", Options{}, "f:2: index 2 comes after 3; indices must increase"},
		{"twice", "1 3:1 3:1\n", Options{}, "f:1: index 3 comes twice"},
		{"no colon", "1 1:2 3\n", Options{}, `f:1: "3" is not index:value`},
		{"no index", "1 1:2 :3\n", Options{}, `f:1: "" is not an index (an integer from 0)`},
		{"negative index", "1 1:2 -3:3\n", Options{}, `f:1: "-3" is not an index (an integer from 0)`},
		{"no value", "1 1:2 2:\n", Options{}, "f:1: column 2: no value after the colon"},
		{"text", "1 1:2\n1 1:2 2:abc\n", Options{}, `f:2: column 2: "abc" is not a number (numbers, or empty / NA / NaN / ? for missing)`},
		{"overflow", "1 1:1e999\n", Options{}, `f:1: column 1: "1e999" is beyond the range of numbers`},
		{"index past 2^31", "1 2147483648:1\n", Options{}, "f:1: index 2147483648 is too large"},
		{"index past 2^64", "1 99999999999999999999:1\n", Options{}, "f:1: index 99999999999999999999 is too large"},
		{"too many features", "1 1:2\n1 9:1\n1 2:1\n", Options{Features: 4}, "f:2: there are 9 features, expected 4"},
		{"too many features, 0-based", "1 0:2 4:1\n", Options{Features: 4}, "f:1: there are 5 features, expected 4"},
		{"a mistaken index", "1 1:2\n1 2000000000:1\n", Options{}, "f:2: too large for a dense table: 2 rows with indices up to 2000000000, of which 2 cells are present"},
		{"absurd features", "1 1:2\n", Options{Features: math.MaxInt32}, "f:1: too large for a dense table: 1 rows with indices up to 2147483646, of which 1 cells are present"},
	}
	checkAll(t, good, bad)
}

func TestLIBSVMLimit(t *testing.T) {
	in := strings.Repeat("1 1:1 10:1\n", 10)
	for _, c := range []struct {
		limit int64
		ok    bool
	}{{11 * 13, true}, {11*13 - 1, false}} {
		s, err := open(strings.NewReader(in), "f", Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseLIBSVM(s, Options{}, c.limit, nil); (err == nil) != c.ok {
			t.Errorf("limit %d: %v", c.limit, err)
		}
	}
}

func writeLIBSVM(t *Table) []byte {
	var b []byte
	for i := range t.Rows {
		if t.Labels != nil {
			b = append(b, t.Labels[i]...)
		}
		for j, column := range t.Columns {
			b = strconv.AppendInt(append(b, ' '), int64(j), 10)
			b = strconv.AppendFloat(append(b, ':'), column[i], 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	return b
}

func FuzzLIBSVM(f *testing.F) {
	for _, in := range []string{
		"1 1:5 3:6\n-1 2:7\n", "1 0:5\n", "# c\n+1 1:nan # d\n\n2\n", "1:2 2:3\n", "1,3 1:2\n", "1 qid:3 1:2\n", "1 3:1 2:1\n", "1 2:1 2:1\n",
		"1 2147483647:1\n", "1 99999999999999999999:1\n", "1 1:inf\n", "1 1:\n", "1 :1\n", "a\tb\n", "1 1000:1\n", "\x1f\x8b\x08",
	} {
		f.Add([]byte(in), "", 0)
		f.Add([]byte(in), "none", 5)
	}
	f.Fuzz(func(t *testing.T, in []byte, label string, features int) {
		parse := func(in []byte, o Options) (*Table, error) {
			s, err := open(bytes.NewReader(in), "f", Limits{})
			if err != nil {
				return nil, err
			}
			s.format()
			return parseLIBSVM(s, o, 1<<18, nil)
		}
		o := Options{Label: label, Features: features}
		got, err := parse(in, o)
		if err != nil {
			checkError(t, err)
			return
		}
		checkTable(t, got)
		text := writeLIBSVM(got)
		if beginsLikeAnother(text) {
			return
		}
		again, err := parse(text, o)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(got, again) {
			t.Errorf("got   %+v\nagain %+v", *got, *again)
		}
	})
}

// beginsLikeAnother reports whether a text begins like compressed data or with a byte order mark, as its first label or name may.
func beginsLikeAnother(text []byte) bool {
	text = bytes.TrimLeft(text, "\"")
	return bytes.HasPrefix(text, []byte("\x1f\x8b")) || bytes.HasPrefix(text, []byte("\ufeff"))
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.File == "" || e.Msg == "" {
		t.Fatalf("%#v is no complete *Error", err)
	}
}

func checkTable(t *testing.T, x *Table) {
	t.Helper()
	if x.Rows == 0 || len(x.Columns) == 0 {
		t.Fatalf("%d rows, %d columns", x.Rows, len(x.Columns))
	}
	if x.Names != nil && len(x.Names) != len(x.Columns) || x.Labels != nil && len(x.Labels) != x.Rows {
		t.Fatalf("%d names, %d columns; %d labels, %d rows", len(x.Names), len(x.Columns), len(x.Labels), x.Rows)
	}
	for j, column := range x.Columns {
		if len(column) != x.Rows {
			t.Fatalf("column %d has %d cells of %d", j, len(column), x.Rows)
		}
	}
}
