package bin

import (
	"math"
	"testing"
)

func TestPack(t *testing.T) {
	want := &Mapper{Features: []Feature{
		FitFeature([]float64{3, math.NaN(), -1, 7, 7, math.MaxFloat64}, 3),
		CategoricalFeature(5),
		{},
	}}
	var packed []uint64
	for i := range want.Features {
		packed = want.Features[i].Pack(packed)
	}
	var got Mapper
	for rest := packed; len(rest) > 0; {
		f, left, ok := Unpack(rest)
		if !ok {
			t.Fatalf("no feature in %v", rest)
		}
		got.Features, rest = append(got.Features, f), left
	}
	if !got.Equal(want) {
		t.Errorf("features are %+v, want %+v", got.Features, want.Features)
	}
	for _, bad := range [][]uint64{nil, {1}, packed[:3], {MaxValueBins + 1, 0}, {1, 0, math.Float64bits(2), math.Float64bits(1)}} {
		if _, _, ok := Unpack(bad); ok {
			t.Errorf("Unpack(%v) has a feature", bad)
		}
	}
}
