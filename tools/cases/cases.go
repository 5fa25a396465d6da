// Package cases chooses which cases of a large product a test runs. go test and make test run a few, drawn again every day;
// make test-long runs all.
package cases

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// Long reports whether AOSO_TESTS=long asks for every case, as make test-long does.
func Long() bool { return os.Getenv("AOSO_TESTS") == "long" }

// Today returns AOSO_TEST_SEED, or the date as a number such as 20261125.
func Today() (uint64, error) {
	text := os.Getenv("AOSO_TEST_SEED")
	if text == "" {
		text = time.Now().UTC().Format("20060102")
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("AOSO_TEST_SEED=%s: want a number", text)
	}
	return seed, nil
}

// Seed returns Today's number.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, err := Today()
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// Some returns n of the cases in their order, drawn by Seed and the test's name. With -short it returns one, for a long run all.
func Some[T any](t testing.TB, n int, all []T) []T {
	t.Helper()
	if testing.Short() {
		n = 1
	}
	chosen := Draw(Seed(t), t.Name(), n, all)
	if len(chosen) < len(all) {
		t.Logf("%d of %d cases: AOSO_TEST_SEED=%d repeats them, AOSO_TESTS=long runs all", n, len(all), Seed(t))
	}
	return chosen
}

// Draw returns n of the cases in their order, drawn by a seed and a name; for a long run all.
func Draw[T any](seed uint64, name string, n int, all []T) []T {
	if Long() || n >= len(all) {
		return all
	}
	number := uint64(0)
	for _, c := range name {
		number = number*31 + uint64(c)
	}
	order := rand.New(rand.NewPCG(seed, number)).Perm(len(all))[:n]
	slices.Sort(order)
	chosen := make([]T, n)
	for i, at := range order {
		chosen[i] = all[at]
	}
	return chosen
}

// Count returns how many random inputs a test tries: n, with -short a tenth of them, for a long run all.
func Count(n, all int) int {
	switch {
	case Long():
		return all
	case testing.Short():
		return max(n/10, 1)
	}
	return n
}

// Numbers returns 0 to n-1, for Some.
func Numbers(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}
