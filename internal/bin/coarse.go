package bin

import (
	"slices"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
)

// Coarse is the mapper of features with at most so many value bins, of which
// each holds as many neighbouring ones of m; m itself if none has more.
func (m *Mapper) Coarse(most int) *Mapper {
	if !slices.ContainsFunc(m.Features, func(f Feature) bool { return f.width(most) > 1 }) {
		return m
	}
	c := &Mapper{Features: make([]Feature, len(m.Features))}
	for j := range m.Features {
		f := &m.Features[j]
		c.Features[j] = f.join(f.width(most))
	}
	return c
}

// width is the number of value bins that become one where there may be so many.
func (f *Feature) width(most int) int { return max(1, (len(f.Lower)+most-1)/most) }

// Fine is the last bin of f that is in a coarse one.
func (f *Feature) Fine(coarse uint8, most int) uint8 {
	return uint8(min(int(coarse)*f.width(most), len(f.Lower)))
}

// join makes one of each so many neighbouring value bins.
func (f *Feature) join(width int) (c Feature) {
	c.Missing = f.Missing
	for b := 0; b < len(f.Lower); b += width {
		if b > 0 {
			c.Edges = append(c.Edges, f.Edges[b-1])
		}
		c.Lower = append(c.Lower, f.Lower[b])
		c.Upper = append(c.Upper, f.Upper[min(b+width, len(f.Upper))-1])
	}
	return c
}

// Coarsen is the matrix of fewer bins and its mapper, by Mapper.Coarse: x and m
// themselves if no feature has more.
func (x *Matrix) Coarsen(m *Mapper, most int, team *par.Team) (*Matrix, *Mapper) {
	coarse := m.Coarse(most)
	if coarse == m {
		return x, m
	}
	memory := mem.New(m.codesBytes(x.Rows))
	c := m.over(memory.Bytes(), x.Rows, memory)
	team.Do(len(c.Columns), func(_, j int) {
		width := m.Features[j].width(most)
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
