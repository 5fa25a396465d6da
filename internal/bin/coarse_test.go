package bin

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso/internal/par"
)

// TestCoarse checks that each coarse bin joins adjacent fine bins, and that
// coarsening codes is the same as mapping the values to coarse bins.
func TestCoarse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var source columns
	for _, values := range []int{1, 2, 40, 64, 65, 128, 129, 1000} { // distinct values
		column := make([]float64, 3000)
		for i := range column {
			column[i] = math.Sqrt(float64(r.IntN(values)))
			if values > 64 && r.IntN(9) == 0 {
				column[i] = math.NaN()
			}
		}
		source = append(source, column)
	}
	team := par.NewTeam(2)
	defer team.Close()
	for _, maxBins := range []int{2, 64, 65, 200, 255} {
		fine := mustFit(source, nil, maxBins, nil, team)
		x := fine.Map(source, team)
		const most = 64
		coarse := fine.Coarse(most)
		if (coarse == fine) != (maxBins <= most) {
			t.Fatalf("%d bins: Coarse returned another mapper: %v", maxBins, coarse != fine)
		}
		got, _ := x.Coarsen(fine, most, team)
		want := coarse.Map(source, team)
		for j := range fine.Features {
			f, c := &fine.Features[j], &coarse.Features[j]
			if !c.Valid() || len(c.Lower) > most || len(f.Lower) <= most && len(c.Lower) != len(f.Lower) {
				t.Errorf("%d bins, feature %d: %d coarse bins from %d", maxBins, j, len(c.Lower), len(f.Lower))
			}
			for i, code := range got.Columns[j] {
				if code != want.Columns[j][i] {
					t.Fatalf("%d bins, feature %d, row %d: code %d, want %d", maxBins, j, i, code, want.Columns[j][i])
				}
			}
			for b := 1; b <= len(c.Lower); b++ {
				if c.Threshold(b) != f.Threshold(int(f.Fine(c, uint8(b)))) {
					t.Errorf("%d bins, feature %d: coarse bin %d ends at %v, its last fine bin at %v", maxBins, j, b, c.Threshold(b), f.Threshold(int(f.Fine(c, uint8(b)))))
				}
			}
		}
		if got != x {
			got.Free()
		}
		want.Free()
		x.Free()
	}
}

// TestSample checks that a sample has the codes of its rows in every encoding.
func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var source columns
	for j := range 24 {
		column := make([]float64, 500)
		for i := range column {
			if j >= 12 || r.IntN(20) == 0 { // the first 12 features are sparse, the others have few bins
				column[i] = float64(r.IntN(10))
			}
		}
		source = append(source, column)
	}
	team := par.NewTeam(2)
	defer team.Close()
	m := mustFit(source, nil, 255, nil, team)
	x := m.Map(source, team)
	defer x.Free()
	x.GroupSparse(m, team)
	x.JoinSmall(m, team)
	if len(x.Sparse) == 0 || len(x.Joint) == 0 {
		t.Fatal("the matrix has no sparse or no joint columns")
	}
	s := x.NewSample(200)
	defer s.Free()
	for range 3 {
		var rows []uint32
		for i := range 500 {
			if len(rows) < 200 && r.IntN(3) == 0 {
				rows = append(rows, uint32(i))
			}
		}
		s.CopyRows(x, rows, team)
		if s.Rows != len(rows) {
			t.Fatalf("%d rows, want %d", s.Rows, len(rows))
		}
		for i, row := range rows {
			for j := range x.Columns {
				if s.Columns[j][i] != x.Columns[j][row] {
					t.Fatalf("column %d, row %d: the code differs", j, row)
				}
			}
			for j := range x.Joint {
				if s.Joint[j].Codes[i] != x.Joint[j].Codes[row] {
					t.Fatalf("joint column %d, row %d: the code differs", j, row)
				}
			}
			for g := range x.Sparse {
				a, b := s.Sparse[g], x.Sparse[g]
				got, want := a.Entries[a.First[i]:a.First[i+1]], b.Entries[b.First[row]:b.First[row+1]]
				if len(got) != len(want) {
					t.Fatalf("sparse group %d, row %d: %d entries, want %d", g, row, len(got), len(want))
				}
				for e := range got {
					if got[e] != want[e] {
						t.Fatalf("sparse group %d, row %d: the entry differs", g, row)
					}
				}
			}
		}
	}
}
