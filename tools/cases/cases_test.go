package cases

import (
	"slices"
	"testing"
)

// TestSome: every case comes up on some day, a seed gives the same cases again, and a long run has all.
func TestSome(t *testing.T) {
	if testing.Short() {
		t.Skip("-short has one case a day")
	}
	t.Setenv("AOSO_TESTS", "")
	all := []string{"a", "b", "c", "d", "e", "f"}
	seen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"} {
		t.Setenv("AOSO_TEST_SEED", seed)
		got := Some(t, 3, all)
		if len(got) != 3 || !slices.IsSorted(got) || !slices.Equal(got, Some(t, 3, all)) {
			t.Errorf("seed %s: %v", seed, got)
		}
		for _, c := range got {
			seen[c] = true
		}
	}
	if len(seen) != len(all) {
		t.Errorf("only %v were drawn", seen)
	}
	t.Setenv("AOSO_TESTS", "long")
	if got := Some(t, 3, all); !slices.Equal(got, all) {
		t.Errorf("a long run has %v", got)
	}
}
