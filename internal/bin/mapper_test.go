package bin

import (
	"math"
	"testing"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

func feature() Feature {
	return Feature{Lower: []float64{1, 3, 5}, Upper: []float64{1, 4, 5}, Edges: []float64{2, 5}}
}

// TestValid checks that fitted features are valid and damaged ones are not.
func TestValid(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, values := range [][]float64{
		nil, {nan}, {3}, {3, nan, 3}, {1, 2, 3, 4, 5, 6}, {-math.MaxFloat64, 0, math.MaxFloat64},
		{1, math.Nextafter(1, 2), math.Nextafter(math.Nextafter(1, 2), 2)}, {5e-324, 0, -5e-324},
	} {
		for _, bins := range []int{2, 3, 255} {
			if f := FitFeature(append([]float64(nil), values...), bins); !f.Valid() {
				t.Errorf("%v: %+v is not valid", values, f)
			}
		}
	}
	for name, change := range map[string]func(*Feature){
		"one edge too few":     func(f *Feature) { f.Edges = f.Edges[:1] },
		"one edge too many":    func(f *Feature) { f.Edges = append(f.Edges, 6) },
		"one bound too few":    func(f *Feature) { f.Upper = f.Upper[:2] },
		"too many bins":        func(f *Feature) { f.Lower = make([]float64, 256); f.Upper = f.Lower; f.Edges = f.Lower[:255] },
		"lower above upper":    func(f *Feature) { f.Lower[1] = 4.5 },
		"an edge inside a bin": func(f *Feature) { f.Edges[1] = 4 },
		"an edge after a bin":  func(f *Feature) { f.Edges[1] = 5.5 },
		"decreasing bins":      func(f *Feature) { f.Lower[2], f.Upper[2] = 0, 0 },
		"an infinite upper":    func(f *Feature) { f.Upper[2] = inf },
		"an infinite lower":    func(f *Feature) { f.Lower[0] = -inf },
		"a NaN bound":          func(f *Feature) { f.Lower[1] = nan },
		"a NaN edge":           func(f *Feature) { f.Edges[0] = nan },
		"an infinite edge":     func(f *Feature) { f.Edges[1], f.Lower[2], f.Upper[2] = inf, inf, inf },
		"a NaN last bound":     func(f *Feature) { f.Upper[2] = nan },
	} {
		f := feature()
		if change(&f); f.Valid() {
			t.Errorf("%s: %+v is valid", name, f)
		}
	}
}

func TestEqual(t *testing.T) {
	m := &Mapper{Features: []Feature{feature(), {}}}
	if !m.Equal(m) || !m.Equal(&Mapper{Features: []Feature{feature(), {Lower: []float64{}}}}) {
		t.Error("equal mappers do not compare as equal")
	}
	for name, change := range map[string]func(*Mapper){
		"features": func(m *Mapper) { m.Features = m.Features[:1] },
		"missing":  func(m *Mapper) { m.Features[1].Missing = true },
		"lower":    func(m *Mapper) { m.Features[0].Lower[1] = 2.5 },
		"upper":    func(m *Mapper) { m.Features[0].Upper[1] = 4.5 },
		"edges":    func(m *Mapper) { m.Features[0].Edges[0] = 2.5 },
	} {
		other := &Mapper{Features: []Feature{feature(), {}}}
		if change(other); m.Equal(other) || other.Equal(m) {
			t.Errorf("mappers with different %s compare as equal", name)
		}
	}
}

// TestMatrixOfCodes checks that the codes of a matrix give the same matrix and
// that invalid codes give none.
func TestMatrixOfCodes(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	source := columns{{1, 2, 3, math.NaN()}, {5, 5, 5, 5}, {1, 1, 2, 2}}
	m := mustFit(source, nil, 255, nil, team)
	x := m.Map(source, team)
	codes := append([]byte(nil), x.Codes()...)
	if len(codes) != 2*ColumnBytes(4) || x.Bytes() != len(codes) {
		t.Fatalf("%d bytes of codes", len(codes))
	}
	matrix := func() *Matrix { return m.Matrix(codes, 4, mem.Of(codes), team) }
	y := matrix()
	for j, column := range x.Columns {
		if string(y.Columns[j]) != string(column) || (y.Columns[j] == nil) != (column == nil) {
			t.Errorf("column %d is %v, want %v", j, y.Columns[j], column)
		}
	}
	if m.Matrix(codes, 65, mem.Of(codes), team) != nil || m.Matrix(codes[1:], 4, mem.Of(codes), team) != nil {
		t.Error("codes of the wrong size are accepted")
	}
	codes[3+ColumnBytes(4)] = 2
	if matrix() == nil {
		t.Error("other valid codes are rejected")
	}
	codes[3+ColumnBytes(4)] = 3
	if matrix() != nil {
		t.Error("a code beyond the last bin is accepted")
	}
}
