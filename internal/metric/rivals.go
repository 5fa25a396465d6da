package metric

import (
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Rival is the most likely class of a row beside the row's own.
type Rival struct {
	Class int32
	Ahead float32 // its tempered score less that of the row's own class
}

// Rivals returns the rival of each row from raw scores, rows × classes, of at least two classes. All labels are known.
func Rivals(scores []float64, temperature float64, labels []int32, team *par.Team) []Rival {
	rivals := make([]Rival, len(labels))
	classes := len(scores) / max(len(labels), 1)
	team.Do(kernel.Blocks(len(labels)), func(_, b int) {
		first, end := kernel.Block(b, len(labels))
		for i := first; i < end; i++ {
			f, y := scores[i*classes:][:classes], int(labels[i])
			best := 0
			if y > 0 {
				best = Argmax(f[:y])
			}
			if y+1 < classes {
				if after := y + 1 + Argmax(f[y+1:]); y == 0 || f[after] > f[best] {
					best = after
				}
			}
			rivals[i] = Rival{int32(best), float32((f[best] - f[y]) / temperature)}
		}
	})
	return rivals
}
