package kernel

import "math"

// Gradients implements [Funcs.Gradients] in plain Go.
func Gradients(j *GradientsJob) {
	m, shift := len(j.Pairs), Shift(j.Unit)
	for p, pair := range j.Pairs {
		s := &j.Stats[p]
		*s = PairStats{}
		for i, row := range j.Rows {
			residuals := j.Residuals[int(row)*j.Stride:][:j.Stride]
			g, h := PairGradient(residuals[pair.R], residuals[pair.S])
			if j.Weights != nil {
				w := j.Weights[row]
				g, h = g*w, h*w
			}
			j.Gradients[(i*m+p)*2] = h
			j.Gradients[(i*m+p)*2+1] = g

			a := abs(g)
			s.SumG += Units(float64(g)+shift, shift)
			s.SumH += Units(float64(h)+shift, shift)
			s.SumAbsG += Units(float64(a)+shift, shift)
			s.MaxAbsG = max(s.MaxAbsG, a)
			s.MaxH = max(s.MaxH, h)
		}
	}
}

// PairGradient returns the gradient and curvature of one row along a class pair,
// given the row's residuals of both classes.
func PairGradient(r, s float32) (g, h float32) {
	u := s - r
	h = abs(r) + abs(s)
	if (math.Float32bits(r)|math.Float32bits(s))>>31 != 0 {
		h += float32(2 * max(r, s))
	}
	h -= float32(u * u)
	return u, max(h, 0)
}

// Quantize implements [Funcs.Quantize] in plain Go.
func Quantize(j *QuantizeJob) {
	m, kept := j.Pairs, 0
	j.SumG, j.SumH = [MaxPairs]int64{}, [MaxPairs]int64{}
	for i, row := range j.Rows {
		gradients := j.Gradients[i*m*2:][:m*2]
		if j.trimmed(row, gradients) {
			continue
		}
		for p := range m {
			h := roundToEven(float32(gradients[2*p] * j.ScaleH[p]))
			g := roundToEven(float32(gradients[2*p+1] * j.ScaleG[p]))
			j.SumG[p] += g
			j.SumH[p] += h
			j.Cells[kept*m+p] = g<<32 + h
		}
		j.KeptRows[kept] = row
		kept++
	}
	j.Kept = kept
}

func (j *QuantizeJob) trimmed(row uint32, gradients []float32) bool {
	w := float32(1)
	if j.Weights != nil {
		w = j.Weights[row]
	}
	for p := range j.Pairs {
		if !(gradients[2*p] < float32(w*j.TrimH[p])) || !(abs(gradients[2*p+1]) < float32(w*j.TrimG[p])) {
			return false
		}
	}
	return true
}

// roundToEven rounds |x| < 2²² to the nearest integer: adding 1.5·2²³ leaves
// no fraction bits, so the addition itself rounds.
func roundToEven(x float32) int64 {
	const shift = 3 << 22
	return int64(float32(x+shift) - shift)
}

func abs(x float32) float32 {
	return math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
}
