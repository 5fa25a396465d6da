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

// TestValid: what fitting makes is valid, and nothing else.
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
		"an edge too few":       func(f *Feature) { f.Edges = f.Edges[:1] },
		"an edge too many":      func(f *Feature) { f.Edges = append(f.Edges, 6) },
		"a bound too few":       func(f *Feature) { f.Upper = f.Upper[:2] },
		"too many bins":         func(f *Feature) { f.Lower = make([]float64, 256); f.Upper = f.Lower; f.Edges = f.Lower[:255] },
		"bounds crossed":        func(f *Feature) { f.Lower[1] = 4.5 },
		"an edge in a bin":      func(f *Feature) { f.Edges[1] = 4 },
		"an edge past a bin":    func(f *Feature) { f.Edges[1] = 5.5 },
		"falling":               func(f *Feature) { f.Lower[2], f.Upper[2] = 0, 0 },
		"an infinite bound":     func(f *Feature) { f.Upper[2] = inf },
		"an infinite least":     func(f *Feature) { f.Lower[0] = -inf },
		"a bound that is none":  func(f *Feature) { f.Lower[1] = nan },
		"an edge that is none":  func(f *Feature) { f.Edges[0] = nan },
		"an edge at infinity":   func(f *Feature) { f.Edges[1], f.Lower[2], f.Upper[2] = inf, inf, inf },
		"a last bin without it": func(f *Feature) { f.Upper[2] = nan },
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
		t.Error("equal mappers are not")
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
			t.Errorf("mappers of other %s are equal", name)
		}
	}
}

// TestMatrixOfCodes: the codes of a matrix make the same matrix, others none.
func TestMatrixOfCodes(t *testing.T) {
	team := par.NewTeam(2)
	defer team.Close()
	source := columns{{1, 2, 3, math.NaN()}, {5, 5, 5, 5}, {1, 1, 2, 2}}
	m := Fit(source, nil, 255, team)
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
		t.Error("codes of another size are taken")
	}
	codes[3+ColumnBytes(4)] = 2
	if matrix() == nil {
		t.Error("other codes are not taken")
	}
	codes[3+ColumnBytes(4)] = 3
	if matrix() != nil {
		t.Error("a code beyond the last bin is taken")
	}
}
