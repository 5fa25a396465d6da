package odds

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/libaoso/aoso/internal/par"
)

// BenchmarkMove moves rows by one more tree, where rows of a leaf have other leaves in common.
func BenchmarkMove(b *testing.B) {
	team := par.NewTeam(1)
	defer team.Close()
	for _, size := range []struct{ rows, classes, named, leaves, trees int }{
		{50_000, 1000, 32, 1000, 40}, {50_000, 100_000, 20, 500, 80},
	} {
		b.Run(fmt.Sprintf("%d classes", size.classes), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			labels := make([]int32, size.rows)
			for i := range labels {
				labels[i] = int32(i * size.classes / size.rows)
			}
			r := newResiduals(labels, nil, size.classes, 32)
			defer r.Free()
			add := func() {
				steps, reached := make([]Step, size.leaves), make([]LeafRows, size.leaves)
				for s := range steps {
					centre := s * size.classes / size.leaves
					for j := range size.named {
						k := (centre + 2*j + rng.IntN(2)) % size.classes
						steps[s].Classes, steps[s].By = append(steps[s].Classes, uint32(k)), append(steps[s].By, 0.7+0.6*rng.Float64())
					}
					reached[s].Leaf = s
				}
				for i := range labels {
					s := (i*size.leaves/size.rows + int(8*rng.NormFloat64()) + size.leaves) % size.leaves
					reached[s].Rows = append(reached[s].Rows, uint32(i))
				}
				r.Apply(steps, reached, team)
			}
			for range size.trees {
				add()
			}
			for b.Loop() {
				add()
			}
		})
	}
}
