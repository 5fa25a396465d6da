package table

import (
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// frame compresses a text with Zstandard. Several frames in a row are a file.
func frame(t testing.TB, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return string(w.EncodeAll([]byte(text), nil))
}

// TestLimits: the options raise and lower the limits.
func TestLimits(t *testing.T) {
	long := "a,b,class\n1," + strings.Repeat("z", 2000) + ",x\n"
	quoted := "a,class\n1,\"" + strings.Repeat("y\n", 1000) + "\"\n"
	for _, c := range []struct {
		name, text string
		limits     Limits
		o          Options
		want       string // "": no error
	}{
		{"a long cell", long, Limits{}, Options{}, ""},
		{"a long cell, limited", long, Limits{Cell: 1999}, Options{}, `f:2: column "b": a cell has 2000 bytes; allowed: at most 1999, unless --max-cell allows more`},
		{"at the limit", long, Limits{Cell: 2000}, Options{}, ""},
		{"left out", long, Limits{Cell: 1999}, Options{Ignore: []string{"b"}}, ""},
		{"a long label", long, Limits{Cell: 1999}, Options{Label: "b"}, `f:2: column "b": a cell has 2000 bytes`},
		{"a long name", "a," + strings.Repeat("z", 2000) + "\n1,x\n", Limits{Cell: 1999}, Options{}, "f:1: column 1: a cell has 2000 bytes"},
		{"a long label of LIBSVM", strings.Repeat("z", 2000) + " 1:1\n", Limits{Cell: 1999}, Options{Format: "libsvm"}, "f:1: a cell has 2000 bytes"},
		{"a long line", long, Limits{Line: 2003}, Options{}, "f:2: the line is longer than 2003 bytes; --max-line allows more"},
		{"a line at the limit", long, Limits{Line: 2005}, Options{}, ""},
		{"a record at the limit", quoted, Limits{Line: 3000}, Options{}, ""},
		{"a long record", quoted, Limits{Line: 1500}, Options{}, "f:2: a quote opened in this line is not closed, or the record is longer than 1500 bytes"},
		{"a negative limit", long, Limits{Line: -1}, Options{}, "f: max_line is -1; allowed: at least 1, or 0 for the default"},
	} {
		c.o.Limits = c.limits
		_, err := Parse(strings.NewReader(c.text), "f", c.o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	const many, cells = 1 << 19, 64
	text := strings.Repeat(strings.Repeat(",", cells-1)+"x\n", many)
	packed := frame(t, text)
	if _, err := Parse(strings.NewReader(packed), "f", Options{}); err == nil || !strings.Contains(err.Error(), "--max-ratio allows more") {
		t.Errorf("rows of a small file: %v", err)
	}
	if got, err := Parse(strings.NewReader(packed), "f", Options{Limits: Limits{Ratio: 1 << 20}}); err != nil || got.Rows != many {
		t.Errorf("with a large ratio: %v", err)
	}
	if got, err := Parse(strings.NewReader(text), "f", Options{}); err != nil || got.Rows != many {
		t.Errorf("plain: %v", err)
	}
}

// TestWindow: the window of Zstandard may have 128 MiB, as of zstd --long, but not more.
func TestWindow(t *testing.T) {
	const magic, descriptor = "\x28\xb5\x2f\xfd", "\x00"
	for exponent, want := range map[byte]string{17: "ends early", 18: "window size exceeded", 31: "window size exceeded"} {
		in := magic + descriptor + string([]byte{exponent << 3}) + "\x02"
		if _, err := Parse(strings.NewReader(in), "f", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("window 2^%d: %v, want %q", 10+int(exponent), err, want)
		}
	}
}
