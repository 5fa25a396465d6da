package table

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var nan = math.NaN()

// same compares cells: NaN equals NaN.
func same(a, b [][]float64) bool {
	return slices.EqualFunc(a, b, func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(u, v float64) bool { return u == v || u != u && v != v })
	})
}

func equal(a, b *Table) bool {
	return slices.Equal(a.Names, b.Names) && (a.Names == nil) == (b.Names == nil) &&
		same(a.Columns, b.Columns) &&
		slices.Equal(a.Labels, b.Labels) && (a.Labels == nil) == (b.Labels == nil) &&
		a.LabelName == b.LabelName && a.Rows == b.Rows && slices.Equal(a.IDs, b.IDs) && slices.Equal(a.Weights, b.Weights) &&
		slices.EqualFunc(a.Categories, b.Categories, slices.Equal[[]string])
}

// accept has an input and its table, refuse an input and its error.
type accept struct {
	name, in string
	o        Options
	want     Table
}

type refuse struct {
	name, in string
	o        Options
	want     string
}

func checkAll(t *testing.T, good []accept, bad []refuse) {
	t.Helper()
	for _, c := range good {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(strings.NewReader(c.in), "f", c.o)
			if err != nil {
				t.Fatal(err)
			}
			if !equal(got, &c.want) {
				t.Errorf("got  %+v\nwant %+v", *got, c.want)
			}
		})
	}
	for _, c := range bad {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(strings.NewReader(c.in), "f", c.o)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %+v, error %v; want an *Error", got, err)
			}
			if e.Error() != c.want {
				t.Errorf("got  %s\nwant %s", e, c.want)
			}
		})
	}
}

func zip(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	want := Table{Names: []string{"a"}, Columns: [][]float64{{1, 2}}, Labels: []string{"x", "y"}, LabelName: "b", Rows: 2}
	whole := zip(t, "a,b\n1,x\n")
	twice := append(bytes.Clone(whole), zip(t, "2,y\n")...)
	got, err := Parse(bytes.NewReader(twice), "f", Options{})
	if err != nil || !equal(got, &want) {
		t.Errorf("two members: %+v, %v", got, err)
	}

	damaged := bytes.Clone(whole)
	damaged[len(damaged)-5] ^= 1
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"magic only", whole[:2], "f: the gzip data ends early: the file is truncated"},
		{"header only", whole[:10], "f: the gzip data ends early: the file is truncated"},
		{"checksum cut", whole[:len(whole)-4], "f:2: the gzip data ends early after this line: the file is truncated"},
		{"checksum", damaged, "f:2: the gzip data is damaged: gzip: invalid checksum"},
		{"tail", append(bytes.Clone(whole), "tail of no use"...), "f:2: the gzip data is damaged: gzip: invalid header"},
		{"empty", zip(t, ""), "f: is empty"},
	} {
		if _, err := Parse(bytes.NewReader(c.in), "f", Options{}); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}

	long := zip(t, strings.Repeat("1,2,3\n", 1<<18))
	for _, n := range []int{len(long) / 2, len(long) - 1} {
		if _, err := Parse(bytes.NewReader(long[:n]), "f", Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "misnamed.csv")
	if err := os.WriteFile(path, zip(t, "1,2,A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path, Options{})
	if want := (&Table{Columns: [][]float64{{1}, {2}}, Labels: []string{"A"}, Rows: 1}); err != nil || !equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Read(filepath.Join(dir, "none"), Options{}); !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "none") != 1 {
		t.Errorf("no such file: %v", err)
	}
	if _, err := Read(dir, Options{}); err == nil {
		t.Error("a directory was read")
	}

	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	if os.Stdin, err = os.Open(path); err != nil {
		t.Fatal(err)
	}
	defer os.Stdin.Close()
	if got, err := Read("-", Options{}); err != nil || got.Rows != 1 {
		t.Errorf("stdin: %+v, %v", got, err)
	}
}

func TestReadFailure(t *testing.T) {
	broken := errors.New("the cable is out")
	r := io.MultiReader(strings.NewReader("1,2\n3,"), readerFunc(func([]byte) (int, error) { return 0, broken }))
	_, err := Parse(r, "f", Options{})
	if !errors.Is(err, broken) || err.Error() != "f:1: the cable is out" {
		t.Errorf("got %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestFormat(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "csv"},
		{"1\n", "csv"},
		{"1,2,3\n", "csv"},
		{"a b c\n", "csv"},
		{"2020-01-01 12:30,5,A\n", "csv"},
		{"1 1:2\n", "libsvm"},
		{"\n \n# made by hand\n+1\t3:0.5 # note\n", "libsvm"},
		{"1 qid:3 1:2\n", "libsvm"},
		{"1,3 1:2\n", "libsvm"},
		{"1 1:abc\n", "libsvm"},
		{"1:2 2:3\n", "libsvm"},
	} {
		s, err := open(strings.NewReader(c.in), "f", Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.format(); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
	checkAll(t, nil, []refuse{
		{"unknown", "1,2\n", Options{Format: "arff"}, `f: unknown format "arff" (auto, csv or libsvm)`},
		{"utf-16", "\xff\xfe1\x00,\x002\x00", Options{}, "f: is text in UTF-16; it must be UTF-8"},
	})
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		e    Error
		want string
	}{
		{Error{File: "data.csv", Msg: "is empty"}, "data.csv: is empty"},
		{Error{File: "data.csv", Line: 17, Msg: "m"}, "data.csv:17: m"},
		{Error{File: "data.csv", Line: 17, Column: "3", Msg: "m"}, "data.csv:17: column 3: m"},
		{Error{File: "data.csv", Line: 17, Column: "width", Msg: "m"}, `data.csv:17: column "width": m`},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// The demonstration data of the repository, in the form its README gives.
func TestLetter(t *testing.T) {
	got, err := Read("../../../../testdata/letter.csv.gz", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != 20000 || len(got.Columns) != 16 || got.Names[0] != "x.box" || got.LabelName != "letter" {
		t.Errorf("%d rows, %d columns, %q, %q", got.Rows, len(got.Columns), got.Names, got.LabelName)
	}
	classes := slices.Compact(slices.Sorted(slices.Values(got.Labels)))
	if strings.Join(classes, "") != "ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		t.Errorf("labels %q", classes)
	}
}

func TestLabelOptional(t *testing.T) {
	o := Options{Features: 2, LabelOptional: true}
	for in, labelled := range map[string]bool{
		"1,2\n": false, "u,v\n1,\n": false, "1,2,a\n": true, "u,v,y\n1,2,a\n": true,
		"1:2 2:3\n2:1\n": false, "a 1:2 2:3\nb\n": true,
	} {
		got, err := Parse(strings.NewReader(in), "f", o)
		if err != nil {
			t.Errorf("%q: %v", in, err)
		} else if (got.Labels != nil) != labelled || len(got.Columns) != 2 {
			t.Errorf("%q: %+v", in, *got)
		}
	}
}

func TestNoRows(t *testing.T) {
	if _, err := Parse(strings.NewReader("u,v,y\n"), "f", Options{}); !errors.Is(err, ErrNoRows) {
		t.Errorf("a header only: %v", err)
	}
	for _, in := range []string{"", "\n", "# a comment\n"} {
		if _, err := Parse(strings.NewReader(in), "f", Options{}); err == nil || errors.Is(err, ErrNoRows) || err.Error() != "f: is empty" {
			t.Errorf("%q: %v", in, err)
		}
	}
}
