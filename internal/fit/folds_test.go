package fit

import (
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/data"
)

// TestFolds: every class is spread evenly, whatever its place in the file; rows that must not be
// held out are not.
func TestFolds(t *testing.T) {
	for _, folds := range []int{5, 7} {
		target := &data.Target{Classes: make([]string, 4)}
		for row := range 1000 {
			y := int32(0)
			switch {
			case row == 500:
				y = 1 // the only row of its class
			case row > 900:
				y = 2
			case row > 895:
				y = 3
			}
			target.Labels = append(target.Labels, y)
		}
		fold := assignFolds(target, folds, folds, 3)
		if !slices.Equal(fold, assignFolds(target, folds, folds, 3)) || slices.Equal(fold, assignFolds(target, folds, folds, 4)) {
			t.Error("the folds do not depend on the seed alone")
		}
		count := make([][4]int, folds)
		for row, f := range fold {
			if (f == never) != (row == 500) {
				t.Fatalf("row %d is in fold %d", row, f)
			}
			if f != never {
				count[f][target.Labels[row]]++
			}
		}
		for y := range 4 {
			least, most := 1000, 0
			for f := range folds {
				least, most = min(least, count[f][y]), max(most, count[f][y])
			}
			if most > least+1 {
				t.Errorf("class %d has %d to %d rows in the folds", y, least, most)
			}
		}
		moved := &data.Target{Classes: target.Classes}
		for row := range 1000 {
			from := (row*7 + 3) % 1000 // another order
			moved.Labels, moved.IDs = append(moved.Labels, target.Labels[from]), append(moved.IDs, uint64(from))
		}
		for row, f := range assignFolds(moved, folds, folds, 3) {
			if from := moved.IDs[row]; f != fold[from] {
				t.Fatalf("row %d is in fold %d, and in %d where it stands at %d", from, fold[from], f, row)
			}
		}
		target.Weights = make([]float32, 1000)
		target.Weights[7], target.Weights[8] = 1, 2
		for row, f := range assignFolds(target, folds, folds, 3) {
			if (f == never) != (row != 7 && row != 8) {
				t.Fatalf("row %d of weight %g is in fold %d", row, target.Weights[row], f)
			}
		}
	}
}
