package hash

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
)

// TestChoose compares choices with all numbers sorted by their hashes.
func TestChoose(t *testing.T) {
	var memory []uint64
	for _, count := range []int{0, 1, 2, 30, 784} {
		numbers := make([]int, count)
		for i := range numbers {
			numbers[i] = 3 * i
		}
		for n := range count + 1 {
			seed := uint64(n)
			want := slices.Clone(numbers)
			slices.SortFunc(want, func(a, b int) int { return cmp.Compare(Row(seed, uint64(a)), Row(seed, uint64(b))) })
			want = want[:n]
			slices.Sort(want)
			if got := Choose(seed, numbers, n, &memory); !slices.Equal(got, want) {
				t.Fatalf("%d of %d are %v, want %v", n, count, got, want)
			}
		}
	}
}

// TestSeed: every purpose and every number has a seed of its own.
func TestSeed(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(20) {
		for p := BinSample; p <= NodeColumns; p++ {
			for a := range 20 {
				for b := range 5 {
					for _, numbers := range [][]int{{}, {a}, {a, b}} {
						name := fmt.Sprint(seed, p, numbers)
						s := Seed(seed, p, numbers...)
						if other, ok := seen[s]; ok && other != name {
							t.Fatalf("%s and %s have the same seed", name, other)
						}
						seen[s] = name
					}
				}
			}
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	numbers := make([]int, 784)
	for i := range numbers {
		numbers[i] = i
	}
	seed, memory := uint64(0), []uint64(nil)
	for b.Loop() {
		seed++
		Choose(seed, numbers, 235, &memory)
	}
}
