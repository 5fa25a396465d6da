package table

import "math"

// weight reads the cell of a weight.
func (p *csvParser) weight(b []byte) error {
	w, k := p.number(b)
	switch {
	case k == missing:
		return p.fail(p.weights.column, "the weight is missing")
	case k != numeric || w < 0 || math.IsInf(w, 1):
		return p.fail(p.weights.column, "the weight "+quote(b)+" is not a finite number, at least 0")
	}
	list := p.weights.list
	if len(list) == cap(list) {
		capacity := max(1024, 2*len(list))
		if err := p.charge(8 * capacity); err != nil {
			return err
		}
		p.charged -= 8 * float64(cap(list))
		list = append(make([]float64, 0, capacity), list...)
	}
	p.weights.list = append(list, w)
	return nil
}
