package bin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/par"
)

// numbers returns n finite numbers of all magnitudes, with repetitions.
func numbers(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		switch r.IntN(6) {
		case 0:
			x[i] = float64(float32(r.NormFloat64()))
		case 1:
			x[i] = float64(r.IntN(9) - 4)
		case 2:
			x[i] = math.Ldexp(r.Float64()-0.5, r.IntN(2000)-1000)
		case 3:
			x[i] = []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324}[r.IntN(6)]
		default:
			x[i] = r.NormFloat64()
		}
	}
	return x
}

// narrow returns n numbers that float32 holds.
func narrow(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(float32(r.NormFloat64()))
	}
	return x
}

func TestSortNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, radixSortMin - 1, radixSortMin, 10_000} {
		for name, x := range map[string][]float64{"random": numbers(r, n), "equal": make([]float64, n), "narrow": narrow(r, n)} {
			want := slices.Clone(x)
			slices.Sort(want)
			sortNumbers(x, make([]float64, n))
			if !slices.Equal(x, want) {
				t.Errorf("%d %s numbers are not sorted", n, name)
			}
		}
	}
}

// TestDistinctCounts counts numbers by sorting and by tally, around the most that
// a tally can count.
func TestDistinctCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, different := range []int{0, 1, 2, 255, maxTally - 1, maxTally, maxTally + 1, 3000} {
		x := []float64{}
		want := map[float64]uint32{}
		for i := range different {
			number := math.Ldexp(float64(i-different/2), r.IntN(2)*(i%300))
			for ; want[number] > 0; number++ {
			}
			for range 1 + r.IntN(5) {
				x = append(x, number)
				want[number]++
			}
		}
		r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		check := func(name string, d distinct) {
			if len(d.values) != different || len(d.counts) != different || !slices.IsSorted(d.values) {
				t.Fatalf("%s: %d values with %d counts, want %d in order", name, len(d.values), len(d.counts), different)
			}
			for i, number := range d.values {
				if d.counts[i] != want[number] {
					t.Errorf("%s: %v occurs %d times, want %d", name, number, d.counts[i], want[number])
				}
			}
		}
		if d, few := new(tally).count(slices.Clone(x), make([]uint32, len(x))); few != (different <= maxTally) {
			t.Errorf("a tally counts %d different numbers: %v", different, few)
		} else if few {
			check("tally", d)
		}
		slices.Sort(x)
		check("sorted", countSorted(x, make([]uint32, len(x))))
	}
}

// TestCoder compares with Feature.Code: edges that are evenly spread, crowded, far
// apart, neighbours, and so far apart that their distance is infinite.
func TestCoder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	fitted := [][]float64{}
	for range 300 {
		fitted = append(fitted, numbers(r, 1+r.IntN(600)))
	}
	for _, values := range samples() {
		fitted = append(fitted, values)
	}
	for _, values := range fitted {
		f := FitFeature(slices.Clone(values), 2+r.IntN(MaxValueBins-1))
		if len(f.Lower) == 0 {
			continue // has no column to map
		}
		x := append(numbers(r, 200), math.NaN(), math.Inf(1), math.Inf(-1))
		x = append(x, probes(&f, values)...)
		codes := make([]uint8, len(x))
		c := (&Mapper{[]Feature{f}}).Coder()
		c.coders[0].code(codes, x)
		for i, code := range codes {
			if want := f.Code(x[i]); code != want {
				t.Fatalf("%v with %d bins has code %d, want %d", x[i], len(f.Lower), code, want)
			}
		}
	}
}

// TestCoderBlocks maps a source in blocks of rows.
func TestCoderBlocks(t *testing.T) {
	const rows = 3 * rowBlock
	r := rand.New(rand.NewPCG(7, 8))
	source := make(columns, 2*tileColumns+1)
	for j := range source {
		source[j] = numbers(r, rows)
	}
	clear(source[3]) // constant
	team := par.NewTeam(2)
	defer team.Close()
	m := mustFit(source, nil, 255, nil, team)
	want := m.Map(source, team)
	for _, block := range []int{1000, rowBlock + 1} {
		x := m.layOut(make([]byte, m.CodesBytes(rows)), rows, nil)
		coder := m.Coder()
		for first := 0; first < rows; first += block {
			part := make(columns, len(source))
			for j := range part {
				part[j] = source[j][first:min(first+block, rows)]
			}
			coder.Map(part, x.Columns, first, team)
		}
		for j := range source {
			if !slices.Equal(x.Columns[j], want.Columns[j]) {
				t.Errorf("column %d in blocks of %d rows differs", j, block)
			}
		}
	}
}
