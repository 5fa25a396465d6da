package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/kernel"
)

// TestRow compares single rows with plain walks through the forest: leaves, scores, and the class, which must be the class after all trees.
func TestRow(t *testing.T) {
	const trees, cols = 300, 7
	for seed, test := range []struct {
		leaves, classes, pairs int
		full                   bool
		scale                  func(r *rand.Rand, tree int) float64 // of the tree's values
	}{
		{20, 5, 1, true, func(*rand.Rand, int) float64 { return 1 }},
		{20, 40, 2, false, func(*rand.Rand, int) float64 { return 1 }},
		{300, 3, 1, false, func(*rand.Rand, int) float64 { return 1 }},
		{1, 2, 1, true, func(*rand.Rand, int) float64 { return 1 }},
		// the first trees decide, or all but do
		{9, 4, 1, true, func(_ *rand.Rand, tree int) float64 { return math.Ldexp(1, -tree/8) }},
		{9, 3, 4, false, func(_ *rand.Rand, tree int) float64 { return math.Ldexp(1, -tree/2) }},
		{9, 20, 1, true, func(*rand.Rand, int) float64 { return 1 }}, // short
		// sums that cancel to what rounding left of them
		{3, 3, 1, true, func(r *rand.Rand, tree int) float64 { return math.Ldexp(1, r.IntN(2)*90-45) }},
	} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 31))
			scales := make([]float64, trees)
			for tree := range scales {
				scales[tree] = test.scale(r, tree)
			}
			f := randomForest(r, trees, test.leaves, cols, test.classes, test.pairs, test.full, func(tree int, values []float32) {
				for i, v := range values {
					values[i] = float32(math.Round(float64(v)*4) / 4 * scales[tree]) // with ties
				}
			})
			w := newWalks(f, newValues(f, 4096))
			x := newSource(r, 300, cols)
			left := 0
			for _, use := range []int{trees, 0, 1, 64, 65, 299} {
				row := w.newRow(kernel.Generic, use)
				for i, values := range x {
					want := make([]float64, test.classes)
					for tree := range use {
						t := f.Tree(tree)
						t.Leaf(t.Find(values)).AddTo(want)
					}
					row.Load(values)
					if got := row.Scores(); !slices.Equal(got, want) {
						t.Fatalf("%d trees, row %d: scores %v, want %v", use, i, got, want)
					}
					some := r.Perm(test.classes)[:1]
					few := make([]float64, 1)
					row.Load(values)
					if row.ScoresOf(some, few); few[0] != want[some[0]] {
						t.Fatalf("%d trees, row %d: score %v, want %v", use, i, few[0], want[some[0]])
					}
					row.Load(values)
					class, walked := row.Class()
					if class != slices.Index(want, slices.Max(want)) || walked > use {
						t.Fatalf("%d trees, row %d: class %d of %v after %d", use, i, class, want, walked)
					}
					left += use - walked
				}
			}
			if halving := seed == 4 || seed == 5; halving && left == 0 {
				t.Error("no tree was left out")
			}
		})
	}
}

// TestKey: keys compare as numbers do.
func TestKey(t *testing.T) {
	numbers := []float64{
		math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1),
	}
	for i, x := range numbers {
		if i > 0 && bin.Key(numbers[i-1]) >= bin.Key(x) || bin.Key(x) == 0 || bin.Key(x) == math.MaxUint64 {
			t.Errorf("the key of %v is %x", x, bin.Key(x))
		}
	}
	if bin.Key(math.Copysign(0, -1)) != bin.Key(0) {
		t.Error("two zeros")
	}
}
