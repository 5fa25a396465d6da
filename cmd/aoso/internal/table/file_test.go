package table

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFileBlocks: the blocks of a file have the rows that Read returns.
func TestFileBlocks(t *testing.T) {
	defer func(rows int) { rowsPerBlock = rows }(rowsPerBlock)
	rowsPerBlock = 7
	csv, late, indices := "a,b,when,y\n", "1,x,no,0\n", ""
	for i := range 100 {
		csv += fmt.Sprintf("%d,\"t%d, %d\",2020-01-%02d,c%d\n", i, i%9, i%4, i%28+1, i%3)
		late += fmt.Sprintf("%d,,%d,1\n", i, i)
		indices += fmt.Sprintf("%d %d:1.5 %d:%d # row\n", i%3, 1+i/30, 5+i%2, i)
	}
	late += "2,red,7,0\n3,,nine,1\n"
	for name, text := range map[string]string{
		"header": csv, "late texts": late, "one row": "1,2,3\n", "LIBSVM": indices, "LIBSVM from 0": indices + "1 0:2 9:3\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			want, err := Read(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			f := NewFile(path, Options{})
			bytes := 0
			f.Progress = func(n int) { bytes += n }
			for pass := range 3 {
				got := &Table{Columns: make([][]float64, len(want.Columns))}
				var last error
				for block, err := range f.Blocks() {
					if last = err; err != nil {
						break
					}
					if block.Rows > 1000 || len(block.Columns) != len(want.Columns) {
						t.Fatalf("a block of %d rows and %d columns", block.Rows, len(block.Columns))
					}
					for j, column := range block.Columns {
						got.Columns[j] = append(got.Columns[j], column...)
					}
					got.Labels, got.Rows = append(got.Labels, block.Labels...), got.Rows+block.Rows
				}
				if last != nil {
					if pass > 0 || !errors.Is(last, ErrAgain) {
						t.Fatal(last)
					}
					continue
				}
				if got.Rows != want.Rows || !slices.Equal(got.Labels, want.Labels) {
					t.Errorf("pass %d has %d rows, want %d", pass, got.Rows, want.Rows)
				}
				for j, column := range got.Columns {
					if !slices.EqualFunc(column, want.Columns[j], func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
						t.Errorf("pass %d: column %d is %v, want %v", pass, j, column, want.Columns[j])
					}
				}
				facts := func(t *Table) string {
					return fmt.Sprint(t.Names, t.LabelName, t.Kinds, t.Categories, t.Coded, t.Ignored, t.Odd, t.Doubt)
				}
				if facts(f.Facts()) != facts(want) {
					t.Errorf("pass %d: the facts are %s, want %s", pass, facts(f.Facts()), facts(want))
				}
			}
			if bytes < 3*len(text) {
				t.Errorf("%d bytes were read, three times %d are there", bytes, len(text))
			}
		})
	}
}

// TestFileErrors: a caller may stop early, and errors are those of Read.
func TestFileErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	last := func(o Options) (err error) {
		for _, err = range NewFile(path, o).Blocks() {
		}
		return err
	}
	if err := last(Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	write("a,b\n")
	if err := last(Options{}); !errors.Is(err, ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	write("1,2\n3\n")
	_, want := Read(path, Options{})
	if err := last(Options{}); err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
	if err := last(Options{Header: "perhaps"}); err == nil {
		t.Error("there is no such header")
	}
	write(strings.Repeat("1,2\n", 3*rowsPerBlock))
	blocks := 0
	for range NewFile(path, Options{}).Blocks() {
		blocks++
		break
	}
	if blocks != 1 {
		t.Errorf("%d blocks", blocks)
	}
}
