// Package hash makes pseudo-random numbers that depend only on their arguments, not on the order
// of calls.
package hash

import "slices"

const golden = 0x9e3779b97f4a7c15

// Mix returns a pseudo-random number, different for every x (S. Vigna's splitmix64).
func Mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Row returns a pseudo-random number, different for every row id.
func Row(seed, id uint64) uint64 { return Mix(seed + id*golden) }

// Purpose separates draws: those of one purpose are independent of those of another.
type Purpose uint64

const (
	BinSample   Purpose = iota + 1 // rows that bins are fitted to
	TreeRows                       // rows of a tree
	TreeColumns                    // columns of a tree
	NodeColumns                    // columns of the nodes of a tree
)

// Seed returns a seed for a purpose that depends on numbers, such as an iteration and a tree.
func Seed(seed uint64, p Purpose, numbers ...int) uint64 {
	seed = Mix(Mix(seed) + uint64(p))
	for _, n := range numbers {
		seed = Mix(seed + uint64(n))
	}
	return seed
}

// Fraction returns a fraction of the range of hashes.
func Fraction(of float64) uint64 {
	const steps = 1 << 53
	return uint64(min(max(of*steps, 0), steps-1)) * (1 << 64 / steps)
}

// Choose returns the n numbers with the least hashes, in the given order. No two may be the
// same. It uses memory, and makes it larger if it is too small.
func Choose(seed uint64, numbers []int, n int, memory *[]uint64) []int {
	if n == len(numbers) {
		return numbers
	}
	if n == 0 {
		return nil
	}
	hashes := slices.Grow((*memory)[:0], len(numbers))
	*memory = hashes
	for _, number := range numbers {
		hashes = append(hashes, Row(seed, uint64(number)))
	}
	chosen, most := make([]int, 0, n), nth(hashes, n)
	for i, number := range numbers {
		if hashes[i] <= most {
			chosen = append(chosen, number)
		}
	}
	return chosen
}

// nth returns the n-th of hashes in order, from 1. It sorts only those that share its first
// bits.
func nth(hashes []uint64, n int) uint64 {
	const first = 8 // bits
	var counts [1 << first]int
	for _, h := range hashes {
		counts[h>>(64-first)]++
	}
	bucket := 0
	for ; counts[bucket] < n; bucket++ {
		n -= counts[bucket]
	}
	const few = 128
	shared := make([]uint64, 0, few) // on the stack if they are few
	for _, h := range hashes {
		if h>>(64-first) == uint64(bucket) {
			shared = append(shared, h)
		}
	}
	slices.Sort(shared)
	return shared[n-1]
}
