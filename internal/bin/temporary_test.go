package bin

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// TestMappedMatrix: data derived from a matrix in a file equal those derived from one in memory,
// and leave no file behind.
func TestMappedMatrix(t *testing.T) {
	defer func(least int) { mem.FileMin = least }(mem.FileMin)
	mem.FileMin = 1
	team := par.NewTeam(2)
	defer team.Close()
	const rows = 3000
	x := make(columns, 12)
	for j := range x {
		x[j] = make([]float64, rows)
		for i := range x[j] {
			switch {
			case j < 3: // many bins
				x[j][i] = float64(i * (j + 7) % 1009)
			case j < 6: // few
				x[j][i] = float64(i * j % 5)
			case i%(10*j) == 0: // sparse
				x[j][i] = 1
			}
		}
	}
	m := mustFit(x, nil, 200, nil, team)
	inMemory := m.Map(x, team)
	dir := t.TempDir()
	path := filepath.Join(dir, "codes")
	if err := os.WriteFile(path, inMemory.Codes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	block := mem.MapFile(f, len(inMemory.Codes()))
	f.Close()
	if block == nil {
		t.Skip("this system cannot map files")
	}
	mapped := m.Matrix(block.Bytes(), rows, block, team)
	picked := []uint32{1, 5, 77, 1000, 2999}
	forms := func(x *Matrix) []*Matrix {
		x.GroupSparse(m, team)
		x.JoinSmall(m, team)
		c, _ := x.Coarsen(m, 32, team)
		return []*Matrix{x, c, x.Subset(picked, true, team), x.Subset(picked, false, team)}
	}
	want := forms(inMemory)
	for i, got := range forms(mapped) {
		if len(want[0].Sparse) == 0 || len(want[0].Joint) == 0 {
			t.Fatal("there are no sparse or joint columns to compare")
		}
		if !reflect.DeepEqual(got.Columns, want[i].Columns) || !reflect.DeepEqual(got.Joint, want[i].Joint) {
			t.Errorf("matrix %d differs", i)
		}
		for k, g := range got.Sparse {
			if !reflect.DeepEqual(g.Entries, want[i].Sparse[k].Entries) {
				t.Errorf("sparse group %d of matrix %d differs", k, i)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("the folder has %d files, %v", len(entries), err)
		}
		defer got.Free()
	}
}
