package bin

import "github.com/libaoso/aoso/internal/par"

// Joint is a column that packs two features with few bins. The histograms of both features follow from the histogram of the joint column,
// which takes half as many updates. A row with the codes a and b has the joint code (a−1)·JointBins + b−1.
type Joint struct {
	First, Second int     // the features
	Codes         []uint8 // by row
}

// JointBins is the largest number of value bins that a feature in a joint
// column can have.
const JointBins = 16

// JoinSmall adds joint columns to the matrix. It pairs the features that have
// at most JointBins value bins, have no missing values and are not in x.Sparse.
func (x *Matrix) JoinSmall(m *Mapper, team *par.Team) {
	sparse := make([]bool, len(x.Columns))
	for _, s := range x.Sparse {
		for _, j := range s.Columns {
			sparse[j] = true
		}
	}
	var small []int
	for j := range m.Features {
		f := &m.Features[j]
		if x.Columns[j] != nil && !sparse[j] && !f.Missing && f.Codes()-1 <= JointBins {
			small = append(small, j)
		}
	}
	size := ColumnBytes(x.Rows)
	x.joint = x.memory.Like(len(small) / 2 * size)
	memory := x.joint.Bytes()
	for ; len(small) >= 2; small, memory = small[2:], memory[size:] {
		x.Joint = append(x.Joint, &Joint{small[0], small[1], memory[:x.Rows:x.Rows]})
	}
	team.Do(len(x.Joint), func(_, i int) {
		c := x.Joint[i]
		first, second := x.Columns[c.First], x.Columns[c.Second]
		for row := range c.Codes {
			c.Codes[row] = (first[row]-1)*JointBins + second[row] - 1
		}
	})
}
