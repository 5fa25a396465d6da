package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestScan tries every cut, and every way for the missing values, in float64.
func TestScan(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for trial := range 400 {
		m := 1 << r.IntN(4)
		bins := 1 + r.IntN(20)
		j := ScanJob{Bins: bins, Pairs: m, MinHessian: 1e-200}
		if r.IntN(2) == 0 {
			j.MinHessian = 3e5
		}
		stride := TileLanes
		if r.IntN(2) == 0 {
			stride *= 3
			j.Stride = stride
		}
		g, h := make([]int64, bins*stride), make([]int64, bins*stride)
		for p := range m {
			j.UnitH[p], j.Scale[p], j.L2[p] = 1+r.Float64(), r.Float64(), 1000*r.Float64()
		}
		for range 30 {
			for p := range m {
				dg, dh := int64(r.IntN(65535)-32767), int64(r.IntN(65536))
				j.TotalG[p] += dg
				j.TotalH[p] += dh
				for f := range TileLanes / m {
					b := r.IntN(bins)
					if f == 1 { // no missing values
						b = max(b, min(1, bins-1))
					}
					g[b*stride+f*m+p] += dg
					h[b*stride+f*m+p] += dh
				}
			}
		}
		if trial%2 == 0 {
			j.WideG, j.WideH = g, h
		} else {
			j.Tile = make([]int64, len(g))
			for i := range g {
				j.Tile[i] = g[i]<<32 + h[i]
			}
		}
		Scan(&j)

		for f := range TileLanes / m {
			best := math.Inf(-1)
			score := func(bin int, missingLeft bool) float64 {
				return cutScore(&j, g[f*m:], h[f*m:], stride, bin, missingLeft)
			}
			for bin := 1; bin < bins; bin++ {
				best = max(best, score(bin, false), score(bin, true))
			}
			got := j.Score[f]
			if math.IsInf(best, -1) {
				if got != best || j.Bin[f] != 0 || j.MissingLeft[f] {
					t.Errorf("trial %d, feature %d: a cut where there is none: %v", trial, f, got)
				}
				continue
			}
			chosen := score(int(j.Bin[f]), j.MissingLeft[f])
			if !near(got, best, best, 1e-12) || !near(chosen, best, best, 1e-12) {
				t.Errorf("trial %d, feature %d: score %v at bin %d, which has %v; best is %v", trial, f, got, j.Bin[f], chosen, best)
			}
		}
	}
}

// cutScore returns the score of a cut, whose sums start at g and h.
func cutScore(j *ScanJob, g, h []int64, stride, bin int, missingLeft bool) float64 {
	sum, lightL, lightR := 0.0, 0.0, 0.0
	for p := range j.Pairs {
		var gl, hl float64
		for b := range j.Bins {
			if b > 0 && b <= bin || b == 0 && missingLeft {
				gl += float64(g[b*stride+p])
				hl += float64(h[b*stride+p])
			}
		}
		gr, hr := float64(j.TotalG[p])-gl, float64(j.TotalH[p])-hl
		lightL += j.UnitH[p] * hl
		lightR += j.UnitH[p] * hr
		sum += j.Scale[p] * (gl*gl/max(hl+j.L2[p], 1) + gr*gr/max(hr+j.L2[p], 1))
	}
	if min(lightL, lightR) < j.MinHessian {
		return math.Inf(-1)
	}
	return sum
}

// TestScanTie checks that the lowest cut wins, and that missing values go
// right where both ways are as good.
func TestScanTie(t *testing.T) {
	cell := func(g int64) int64 { return g<<32 + 10 }
	tile := make([]int64, 8*TileLanes)
	for f, bins := range [][8]int64{
		{0, cell(5), 0, 0, cell(-5)},         // empty bins: cuts 1 … 3 tie
		{0, cell(5), cell(-5), cell(5)},      // cuts 1 and 2 tie
		{cell(-5), cell(5), 0, cell(-5)},     // missing left and right tie at no cut
		{cell(0), cell(5), cell(-5)},         // missing left and right tie
		{0, 0, cell(5), 0, cell(-5), 0, 0},   // a cut before the first row is none
		{cell(5), 0, 0, 0, cell(-5)},         // only missing values left
		{0, 0, 0, 0, 0, 0, 0, 2 * cell(-10)}, // one bin
	} {
		for b, v := range bins {
			tile[b*TileLanes+f] = v
		}
	}
	for _, want := range []struct {
		feature, bin int32
		missingLeft  bool
	}{{0, 1, false}, {1, 1, false}, {2, 1, false}, {3, 1, false}, {4, 2, false}, {5, 1, true}, {6, 0, false}} {
		j := ScanJob{Tile: tile, Bins: 8, Pairs: 1, MinHessian: 1e-200}
		j.Scale[0], j.UnitH[0] = 1, 1
		for b := range 8 {
			g, h := unpack(tile[b*TileLanes+int(want.feature)])
			j.TotalG[0] += g
			j.TotalH[0] += h
		}
		Scan(&j)
		if bin, left := j.Bin[want.feature], j.MissingLeft[want.feature]; bin != want.bin || left != want.missingLeft {
			t.Errorf("feature %d: bin %d, missing left %v, want %d, %v", want.feature, bin, left, want.bin, want.missingLeft)
		}
	}
}
