package kernel

// LinearUnit is what linear scores are multiples of.
const LinearUnit = 0x1p-24

// Linear implements [Funcs.Linear] in plain Go.
func Linear(j *LinearJob) {
	shift := Shift(LinearUnit)
	for i := range j.Rows {
		scores := j.Scores[i*j.Stride:][:j.Stride]
		for k, b := range j.Bias[:len(scores)] {
			scores[k] = float64(b)
		}
		for t, place := range j.Places[i*j.Terms:][:j.Terms] {
			x := float64(place)
			for k, w := range j.Weights[t*j.Stride:][:len(scores)] {
				scores[k] += x * float64(w)
			}
		}
		for k, score := range scores {
			scores[k] = (score + shift) - shift
		}
	}
}

// Products implements [Funcs.Products] in plain Go.
func Products(j *ProductsJob) {
	of := func(feature int) []int16 { return j.Places[feature*ProductRows:][:ProductRows] }
	for a := range j.Features {
		for b := range a&^3 + 4 {
			sum := int64(0)
			for row, place := range of(a) {
				sum += int64(place) * int64(of(b)[row])
			}
			j.Sums[a*j.Features+b] += sum
		}
	}
}
