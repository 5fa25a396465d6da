package bin

import (
	"slices"

	"github.com/libaoso/aoso/internal/par"
)

// Coarse returns a mapper in which every numeric feature has at most maxBins value
// bins. Each coarse bin joins the same number of adjacent bins of m. If no
// numeric feature of m has more than maxBins bins, Coarse returns m itself.
func (m *Mapper) Coarse(maxBins int) *Mapper {
	if !slices.ContainsFunc(m.Features, func(f Feature) bool { return f.width(maxBins) > 1 }) {
		return m
	}
	c := &Mapper{Features: make([]Feature, len(m.Features))}
	for j := range m.Features {
		f := &m.Features[j]
		c.Features[j] = f.join(f.width(maxBins))
	}
	return c
}

// width returns how many adjacent value bins a coarse bin joins, so that at most maxBins are left. It is 1 for categorical features.
func (f *Feature) width(maxBins int) int {
	if f.Categorical {
		return 1
	}
	return max(1, (len(f.Lower)+maxBins-1)/maxBins)
}

// Fine returns the last bin of f that a bin of a coarse feature, which [Mapper.Coarse] made of f, contains.
func (f *Feature) Fine(coarse *Feature, bin uint8) uint8 {
	switch int(bin) {
	case 0: // of a split by a set
		return 0
	case len(coarse.Lower):
		return uint8(len(f.Lower))
	}
	edge, _ := slices.BinarySearch(f.Edges, coarse.Edges[bin-1])
	return uint8(edge + 1)
}

// join returns the feature with each run of width adjacent value bins joined into one.
func (f *Feature) join(width int) (c Feature) {
	c.Missing, c.Categorical = f.Missing, f.Categorical
	for b := 0; b < len(f.Lower); b += width {
		if b > 0 {
			c.Edges = append(c.Edges, f.Edges[b-1])
		}
		c.Lower = append(c.Lower, f.Lower[b])
		c.Upper = append(c.Upper, f.Upper[min(b+width, len(f.Upper))-1])
	}
	return c.compact()
}

// Coarsen returns the matrix and the mapper with at most maxBins value bins for
// each feature, as by [Mapper.Coarse]. If no feature has more, it returns x and
// m themselves.
func (x *Matrix) Coarsen(m *Mapper, maxBins int, team *par.Team) (*Matrix, *Mapper) {
	coarse := m.Coarse(maxBins)
	if coarse == m {
		return x, m
	}
	memory := x.memory.Like(m.CodesBytes(x.Rows))
	c := m.layOut(memory.Bytes(), x.Rows, memory)
	team.Do(len(c.Columns), func(_, j int) {
		width := m.Features[j].width(maxBins)
		var codes [256]uint8
		for code := range codes {
			codes[code] = uint8((code + width - 1) / width)
		}
		for i, code := range x.Columns[j] {
			c.Columns[j][i] = codes[code]
		}
	})
	c.GroupSparse(coarse, team)
	c.JoinSmall(coarse, team)
	return c, coarse
}
