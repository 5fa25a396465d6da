package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestPairGradient compares with the formulas in p, taken to 200 bits.
func TestPairGradient(t *testing.T) {
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	r := rand.New(rand.NewPCG(3, 4))
	tiny := func() float32 { return float32(math.Exp(-69 * r.Float64())) }
	for i := range 30000 {
		var a, b float32 // residuals of r and s
		responseR, responseS := exact(0), exact(0)
		switch i % 3 {
		case 0: // a row of another class
			a, b = tiny(), tiny()
			if sum := a + b; sum > 1 {
				a, b = a/sum, b/sum
			}
		case 1: // of class r
			a = -tiny()
			b = -a * r.Float32()
			responseR = exact(1)
		case 2: // of class s
			b = -tiny()
			a = -b * r.Float32()
			responseS = exact(1)
		}
		pR, pS := exact(float64(a)), exact(float64(b))
		pR.Add(pR, responseR)
		pS.Add(pS, responseS)
		wantG := exact(0).Sub(exact(0).Sub(responseR, pR), exact(0).Sub(responseS, pS))
		d := exact(0).Sub(pR, pS)
		wantH := exact(0).Add(pR, pS)
		wantH.Sub(wantH, d.Mul(d, d))

		g, h := PairGradient(a, b)
		scale := math.Abs(float64(a)) + math.Abs(float64(b))
		wg, _ := wantG.Float64()
		wh, _ := wantH.Float64()
		if !near(float64(g), wg, scale, 1e-7) || !near(float64(h), wh, scale, 5e-7) || h < 0 {
			t.Fatalf("residuals %v, %v: g = %v, h = %v, want %v, %v", a, b, g, h, wg, wh)
		}
	}
}

func TestGradients(t *testing.T) {
	each(t, func(r *rand.Rand, x *rows, weights []float32) {
		const unit = 0x1p-40
		pairs := []Pair{{0, 1}, {1, int32(len(x.p[0]) - 1)}}
		j := GradientsJob{
			Residuals: x.residuals, Stride: x.stride, Rows: x.list, Weights: weights,
			Pairs: pairs, Unit: unit, Gradients: make([]float32, 4*len(x.list)),
		}
		Gradients(&j)
		for p, pair := range pairs {
			var want PairStats
			quanta := func(x float64) int64 { return int64(math.RoundToEven(x / unit)) }
			for i, row := range x.list {
				residuals := x.residuals[int(row)*x.stride:]
				g, h := PairGradient(residuals[pair.R], residuals[pair.S])
				if weights != nil {
					g, h = g*weights[row], h*weights[row]
				}
				if got := j.Gradients[4*i+2*p:][:2]; got[0] != h || got[1] != g {
					t.Fatalf("row %d: h, g = %v, want %v, %v", row, got, h, g)
				}
				a := math.Abs(float64(g))
				want.SumG += quanta(float64(g))
				want.SumH += quanta(float64(h))
				want.SumAbsG += quanta(a)
				want.MaxAbsG, want.MaxH = max(want.MaxAbsG, float32(a)), max(want.MaxH, h)
			}
			if got := j.Stats[p]; got != want {
				t.Errorf("stats %+v, want %+v", got, want)
			}
		}
	})
}

func TestRoundToEven(t *testing.T) {
	check := func(x float32) {
		if got, want := roundToEven(x), int64(math.RoundToEven(float64(x))); got != want {
			t.Fatalf("roundToEven(%v) = %d, want %d", x, got, want)
		}
	}
	for i := range 4 * 65535 {
		check(float32(i) / 4)
		check(-float32(i) / 4)
		check(math.Nextafter32(float32(i)/4, float32(2*(i%2))*100000))
	}
}

func TestQuantize(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i, m := range []int{1, 2, 4, 8, 1, 2, 4, 8} {
		const n = 500
		j := QuantizeJob{Pairs: m, Cells: make([]int64, n*m), KeptRows: make([]uint32, n)}
		weighted := i >= 4
		if weighted {
			for range 3 * n {
				j.Weights = append(j.Weights, r.Float32())
			}
		}
		for p := range m {
			j.ScaleG[p], j.ScaleH[p] = float32(math.Ldexp(1, 14-p)), float32(math.Ldexp(1, 12+p))
			j.TrimG[p], j.TrimH[p] = 0.9, 0.9
		}
		for i := range n {
			j.Rows = append(j.Rows, uint32(3*i))
			for range m {
				j.Gradients = append(j.Gradients, r.Float32(), 2*r.Float32()-1)
			}
		}
		Quantize(&j)
		kept := 0
		var sumG, sumH [MaxPairs]int64
		for i, row := range j.Rows {
			light, w := true, float32(1)
			if weighted {
				w = j.Weights[row]
			}
			for p := range m {
				h, g := j.Gradients[2*(i*m+p)], j.Gradients[2*(i*m+p)+1]
				light = light && h < w*j.TrimH[p] && max(g, -g) < w*j.TrimG[p]
			}
			if light {
				continue
			}
			if j.KeptRows[kept] != row {
				t.Fatalf("kept row %d is %d, want %d", kept, j.KeptRows[kept], row)
			}
			for p := range m {
				h := int64(math.RoundToEven(float64(j.Gradients[2*(i*m+p)] * j.ScaleH[p])))
				g := int64(math.RoundToEven(float64(j.Gradients[2*(i*m+p)+1] * j.ScaleG[p])))
				if gotG, gotH := unpack(j.Cells[kept*m+p]); gotG != g || gotH != h {
					t.Fatalf("cell %d of row %d is %d, %d, want %d, %d", p, row, gotG, gotH, g, h)
				}
				sumG[p] += g
				sumH[p] += h
			}
			kept++
		}
		if j.Kept != kept || j.SumG != sumG || j.SumH != sumH {
			t.Errorf("kept %d, sums %v, %v, want %d, %v, %v", j.Kept, j.SumG, j.SumH, kept, sumG, sumH)
		}
	}
}
