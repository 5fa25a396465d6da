package bin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/par"
)

// samples returns columns of every kind.
func samples() map[string][]float64 {
	r := rand.New(rand.NewPCG(1, 0))
	column := func(n int, f func(i int) float64) (c []float64) {
		for i := range n {
			c = append(c, f(i))
		}
		return c
	}
	nan := math.NaN()
	return map[string][]float64{
		"empty":        {},
		"one":          {3},
		"constant":     {2, 2, 2},
		"missing":      {nan, nan},
		"one, missing": {nan, 4, nan},
		"two":          {1, 2, 1},
		"zeros":        {math.Copysign(0, -1), 0, 1, math.Copysign(0, -1), -1},
		"few":          column(500, func(int) float64 { return float64(r.IntN(20)) }),
		"few, missing": column(500, func(i int) float64 { return []float64{float64(r.IntN(20)), nan}[r.IntN(2)] }),
		"255 values":   column(255, func(i int) float64 { return float64(i * i) }),
		"256 values":   column(256, func(i int) float64 { return float64(i * i) }),
		"normal":       column(5000, func(int) float64 { return r.NormFloat64() }),
		"skewed":       column(5000, func(int) float64 { return math.Exp(5 * r.NormFloat64()) }),
		"mostly zero":  column(5000, func(int) float64 { return max(0, r.NormFloat64()-1.5) }),
		"half equal":   column(5000, func(i int) float64 { return []float64{7, r.Float64()}[i%2] }),
		"rounded":      column(9000, func(int) float64 { return math.Round(1000*r.NormFloat64()) / 8 }),
		"neighbours":   column(300, func(i int) float64 { return math.Float64frombits(math.Float64bits(1) + uint64(i)) }),
		"few neighbours": column(20, func(i int) float64 {
			return math.Float64frombits(math.Float64bits(1) + uint64(i/2))
		}),
		"subnormal": column(400, func(i int) float64 { return float64(i-200) * 5e-324 }),
		"huge":      column(600, func(i int) float64 { return float64(i-300) / 300 * math.MaxFloat64 }),
		"extremes":  {-math.MaxFloat64, math.MaxFloat64, 5e-324, -5e-324, 0, 1},
	}
}

func fit(values []float64, maxBins int) Feature { return FitFeature(slices.Clone(values), maxBins) }

// probes returns values to map: those fitted, the edges, their neighbours and
// some others.
func probes(f *Feature, values []float64) []float64 {
	p := []float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, -math.MaxFloat64, 5e-324}
	for _, x := range slices.Concat(values, f.Edges) {
		if !math.IsNaN(x) {
			p = append(p, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)))
		}
	}
	return slices.DeleteFunc(p, func(x float64) bool { return math.IsInf(x, 0) })
}

// TestFeature checks the invariants of a fitted feature.
func TestFeature(t *testing.T) {
	for name, values := range samples() {
		for _, maxBins := range []int{2, 3, 16, 255} {
			t.Run(fmt.Sprint(name, maxBins), func(t *testing.T) {
				f := fit(values, maxBins)
				bins := len(f.Lower)
				if bins > maxBins || f.Codes() != bins+1 || len(f.Upper) != bins || len(f.Edges) != max(bins-1, 0) {
					t.Fatalf("%d bins, at most %d allowed; %d upper bounds, %d edges", bins, maxBins, len(f.Upper), len(f.Edges))
				}
				missing := slices.ContainsFunc(values, math.IsNaN)
				if f.Missing != missing || f.Constant() != (bins == 0 || bins == 1 && !missing) {
					t.Errorf("missing %v, constant %v", f.Missing, f.Constant())
				}
				for b := range bins {
					if f.Lower[b] > f.Upper[b] || b > 0 && !(f.Upper[b-1] < f.Edges[b-1] && f.Edges[b-1] <= f.Lower[b]) {
						t.Fatalf("bin %d is [%v, %v], the bin before it ends at %v, edges %v", b+1, f.Lower[b], f.Upper[b], f.Upper[max(b-1, 0)], f.Edges)
					}
				}
				if f.Code(math.NaN()) != 0 {
					t.Error("NaN is not in the missing bin")
				}
				counts := make([]int, bins+1)
				for _, x := range values {
					c := int(f.Code(x))
					counts[c]++
					if math.IsNaN(x) == (c > 0) || c > 0 && !(f.Lower[c-1] <= x && x <= f.Upper[c-1]) {
						t.Fatalf("%v has code %d", x, c)
					}
				}
				if i := slices.Index(counts[1:], 0); i >= 0 {
					t.Errorf("bin %d is empty", i+1)
				}
				p := probes(&f, values)
				slices.Sort(p)
				last := uint8(0)
				for _, x := range p {
					c := f.Code(x)
					if bins > 0 && c == 0 || c < last {
						t.Fatalf("%v has code %d, a smaller value has code %d", x, c, last)
					}
					last = c
					for b := 1; b <= bins; b++ {
						if (x < f.Threshold(b)) != (int(c) <= b) {
							t.Fatalf("%v has code %d, but the threshold of bin %d is %v", x, c, b, f.Threshold(b))
						}
					}
				}
			})
		}
	}
}

// TestDistinct checks that few values get a bin each, with edges at the
// midpoints.
func TestDistinct(t *testing.T) {
	for name, values := range samples() {
		distinct := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
		slices.Sort(distinct)
		distinct = slices.Compact(distinct)
		f := fit(values, 255)
		if len(distinct) > 255 {
			if len(f.Lower) < 200 && name != "mostly zero" && name != "half equal" {
				t.Errorf("%s: %d bins for %d values", name, len(f.Lower), len(distinct))
			}
			continue
		}
		if !slices.Equal(f.Lower, distinct) || !slices.Equal(f.Upper, distinct) {
			t.Errorf("%s: bins start at %v, want %v", name, f.Lower, distinct)
		}
		for b, edge := range f.Edges {
			middle := distinct[b]/2 + distinct[b+1]/2
			if distinct[b] < middle && edge != middle {
				t.Errorf("%s: edge %v between %v and %v", name, edge, distinct[b], distinct[b+1])
			}
		}
	}
}

// TestQuantiles checks that bins of many values hold about equal numbers of
// rows.
func TestQuantiles(t *testing.T) {
	for _, name := range []string{"normal", "skewed", "rounded", "256 values", "neighbours", "subnormal", "huge"} {
		values := samples()[name]
		for _, maxBins := range []int{2, 16, 100, 255} {
			f := fit(values, maxBins)
			counts := make([]int, maxBins+1)
			for _, x := range values {
				counts[f.Code(x)]++
			}
			most, want := slices.Max(counts), float64(len(values))/float64(maxBins)
			if len(f.Lower) != maxBins || float64(most) > 2*want+2 {
				t.Errorf("%s: %d bins, want %d; the largest has %d of %d rows", name, len(f.Lower), maxBins, most, len(values))
			}
		}
	}
	// A value that half of the rows have gets its own bin; the others share the rest.
	f := fit(samples()["half equal"], 100)
	if n := len(f.Lower); n < 95 || f.Lower[n-1] != 7 || f.Upper[n-1] != 7 {
		t.Errorf("%d bins, the last is [%v, %v]", n, f.Lower[n-1], f.Upper[n-1])
	}
}

// TestCutBetween compares with a search through all edges.
func TestCutBetween(t *testing.T) {
	for name, values := range samples() {
		f := fit(values, 40)
		bins := len(f.Lower)
		for low := 1; low <= bins; low++ {
			for high := low + 1; high <= bins; high++ {
				got := f.CutBetween(low, high)
				middle := midpoint(f.Upper[low-1], f.Lower[high-1])
				want := low
				for b := low; b < high; b++ {
					if f.Threshold(b) <= middle {
						want = b
					}
				}
				if got != want {
					t.Fatalf("%s: CutBetween(%d, %d) = %d, want %d", name, low, high, got, want)
				}
			}
			if got := f.CutBetween(low, bins+1); got != low {
				t.Fatalf("%s: CutBetween(%d, %d) = %d with no bin %[3]d, want %[2]d", name, low, bins+1, got)
			}
		}
	}
	// The node has 1 and 9 but nothing between: the cut is as near to 5 as the edges allow.
	f := fit([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 255)
	if got := f.Threshold(f.CutBetween(1, 9)); got != 4.5 {
		t.Errorf("the cut is at %v, want 4.5", got)
	}
}

func TestThreshold(t *testing.T) {
	f := fit([]float64{1, 2}, 255)
	if f.Threshold(1) != 1.5 || !math.IsInf(f.Threshold(2), 1) {
		t.Errorf("thresholds %v and %v", f.Threshold(1), f.Threshold(2))
	}
	f = fit([]float64{math.NaN(), 2}, 255)
	if !math.IsInf(f.Threshold(1), 1) {
		t.Errorf("threshold %v", f.Threshold(1))
	}
}

func TestMidpoint(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	pairs := [][2]float64{{1, 2}, {-1, 1}, {0, 5e-324}, {-5e-324, 0}, {5e-324, 1e-323}, {-math.MaxFloat64, math.MaxFloat64},
		{math.MaxFloat64 / 2, math.MaxFloat64}, {1, math.Nextafter(1, 2)}, {math.Nextafter(-1, -2), -1}, {math.Copysign(0, -1), 5e-324}}
	for range 2000 {
		a, b := math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
		if a-a == 0 && b-b == 0 && a != b {
			pairs = append(pairs, [2]float64{min(a, b), max(a, b)})
		}
	}
	for _, p := range pairs {
		if m := midpoint(p[0], p[1]); !(p[0] < m && m <= p[1]) {
			t.Errorf("midpoint(%v, %v) = %v is not between them", p[0], p[1], m)
		}
	}
	if midpoint(2, 5) != 3.5 {
		t.Error(midpoint(2, 5))
	}
}

// columns is a Source.
type columns [][]float64

func (c columns) Rows() int                          { return len(c[0]) }
func (c columns) Cols() int                          { return len(c) }
func (c columns) Column(j, first int, dst []float64) { copy(dst, c[j][first:]) }

// TestMap maps the values that the bins were fitted to, and others.
func TestMap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	source := make(columns, 7)
	for i := range 1000 {
		for j, x := range []float64{r.NormFloat64(), float64(r.IntN(9)), 4, math.NaN(), r.ExpFloat64(), float64(i % 2), 8} {
			if r.IntN(10) == 0 && j > 4 {
				x = math.NaN()
			}
			source[j] = append(source[j], x)
		}
	}
	for _, workers := range []int{1, 3} {
		team := par.NewTeam(workers)
		defer team.Close()
		m := mustFit(source, nil, 64, nil, team)
		other := columns{}
		for _, column := range source {
			c := slices.Clone(column)
			for i := range c {
				if i%3 == 0 {
					c[i] = 3 * r.NormFloat64()
				}
				if i%50 == 0 {
					c[i] = math.NaN()
				}
			}
			other = append(other, c)
		}
		for _, s := range []columns{source, other} {
			x := m.Map(s, team)
			for j, column := range x.Columns {
				if (column == nil) != m.Features[j].Constant() || (column == nil) != (j == 2 || j == 3) {
					t.Fatalf("feature %d has %d codes", j, len(column))
				}
				for i, c := range column {
					if c != m.Features[j].Code(s[j][i]) {
						t.Fatalf("feature %d, row %d: code %d of %v", j, i, c, s[j][i])
					}
				}
			}
			x.Free()
		}
	}
}

// TestFitSample checks that bins come from the sample, but Missing from all
// rows.
func TestFitSample(t *testing.T) {
	source := columns{{1, 2, 3, 4, math.NaN(), 6}, {5, 5, 5, 5, 5, 9}, {math.NaN(), 1, 2, 3, 4, 5}}
	m := mustFit(source, []int{1, 3, 5}, 255, nil, par.NewTeam(1))
	for j, want := range [][]float64{{2, 4, 6}, {5, 9}, {1, 3, 5}} {
		if f := m.Features[j]; !slices.Equal(f.Lower, want) || f.Missing != (j != 1) {
			t.Errorf("feature %d: %+v, want values %v", j, f, want)
		}
	}
}

// TestInfinite checks that infinite values count as the largest finite ones,
// and negative zero as zero.
func TestInfinite(t *testing.T) {
	inf, most := math.Inf(1), math.MaxFloat64
	source := columns{{1, inf, 3, -inf}, {math.Copysign(0, -1), 0, 1, math.NaN()}, {inf, inf, inf, inf}, {most, inf, -most, -inf}}
	for _, workers := range []int{1, 3} {
		team := par.NewTeam(workers)
		defer team.Close()
		m := mustFit(source, nil, 255, nil, team)
		x := m.Map(source, team)
		for j, want := range [][]uint8{{2, 4, 3, 1}, {1, 1, 2, 0}, nil, {2, 2, 1, 1}} {
			if !slices.Equal(x.Columns[j], want) {
				t.Errorf("column %d has codes %v, want %v", j, x.Columns[j], want)
			}
			if f := &m.Features[j]; !f.Valid() {
				t.Errorf("column %d has invalid bins: %+v", j, f)
			}
		}
		if f := m.Features[1]; math.Signbit(f.Lower[0]) || math.Signbit(f.Upper[0]) {
			t.Errorf("a bin has a bound of negative zero: %+v", f)
		}
	}
}

// TestGroupSparse reconstructs the codes from the entries.
func TestGroupSparse(t *testing.T) {
	const rows = 1200
	r := rand.New(rand.NewPCG(4, 0))
	for _, test := range []struct {
		name           string
		sparse, values int // number of features and of the distinct values of each
		groups         int
	}{{"none", 0, 2, 0}, {"three", 3, 2, 0}, {"four", 4, 2, 1}, {"many", 50, 3, 1}, {"wide", 270, 254, 2}} {
		t.Run(test.name, func(t *testing.T) {
			source := columns{}
			for j := range test.sparse {
				c := make([]float64, rows)
				for i := range c {
					switch {
					case i >= rows-test.values: // each value occurs
						c[i] = float64(i - rows + test.values)
					case r.IntN(12) == 0:
						c[i] = float64(r.IntN(test.values))
					case r.IntN(40) == 0:
						c[i] = math.NaN()
					default:
						c[i] = float64(j % test.values)
					}
				}
				if test.values > 100 { // keep the features sparse
					for i := range 3 * rows / 4 {
						c[i] = 1
					}
				}
				dense := make([]float64, rows)
				for i := range dense {
					dense[i] = float64(r.IntN(9))
				}
				source = append(source, c, dense)
			}
			source = append(source, make([]float64, rows)) // constant
			team := par.NewTeam(2)
			defer team.Close()
			m := mustFit(source, nil, 255, nil, team)
			x := m.Map(source, team)
			x.GroupSparse(m, team)
			if len(x.Sparse) != test.groups {
				t.Fatalf("%d groups, want %d", len(x.Sparse), test.groups)
			}
			seen := map[int]bool{}
			for _, g := range x.Sparse {
				for _, j := range g.Columns {
					if seen[j] || j%2 == 1 {
						t.Errorf("feature %d occurs twice or is not sparse", j)
					}
					seen[j] = true
				}
				first := make([]int, len(g.Bins)+1)
				for i, bins := range g.Bins {
					first[i+1] = first[i] + bins*SparseWidth
				}
				for i := range rows {
					codes := slices.Clone(g.Default)
					for _, e := range g.Entries[g.First[i]:g.First[i+1]] {
						tile := 0
						for first[tile+1] <= int(e) {
							tile++
						}
						cell := int(e) - first[tile]
						codes[tile*SparseWidth+cell%SparseWidth] = uint8(cell / SparseWidth)
					}
					for p, j := range g.Columns {
						if codes[p] != x.Columns[j][i] {
							t.Fatalf("row %d, feature %d: code %d, want %d", i, j, codes[p], x.Columns[j][i])
						}
					}
				}
			}
			if test.groups > 0 && len(seen) != test.sparse {
				t.Errorf("%d sparse features, want %d", len(seen), test.sparse)
			}
		})
	}
}

// TestJoinSmall splits the codes of joint columns into those of the features.
func TestJoinSmall(t *testing.T) {
	const rows = 500
	r := rand.New(rand.NewPCG(5, 0))
	values := func(n int) []float64 {
		c := make([]float64, rows)
		for i := range c {
			c[i] = float64(i % n)
			if i >= n {
				c[i] = float64(r.IntN(n))
			}
		}
		return c
	}
	missing := values(3)
	missing[7] = math.NaN()
	rare := values(2)
	clear(rare[10:])
	source := columns{values(JointBins), values(JointBins + 1), values(3), missing, make([]float64, rows), values(5), values(9), values(4)}
	for range SparseWidth {
		source = append(source, rare)
	}
	team := par.NewTeam(2)
	defer team.Close()
	m := mustFit(source, nil, 255, nil, team)
	x := m.Map(source, team)
	x.GroupSparse(m, team)
	x.JoinSmall(m, team)
	var joined [][2]int
	for _, c := range x.Joint {
		joined = append(joined, [2]int{c.First, c.Second})
		for i, code := range c.Codes {
			if a, b := 1+code/JointBins, 1+code%JointBins; a != x.Columns[c.First][i] || b != x.Columns[c.Second][i] {
				t.Fatalf("row %d: codes %d and %d, want %d and %d", i, a, b, x.Columns[c.First][i], x.Columns[c.Second][i])
			}
		}
	}
	// Features with too many, missing or constant values and sparse ones are left out. The last has no partner.
	if want := [][2]int{{0, 2}, {5, 6}}; !slices.Equal(joined, want) {
		t.Errorf("joined %v, want %v", joined, want)
	}
}

// mustFit is Fit without limits of memory.
func mustFit(s Source, sample []int, maxBins int, categories []int, team *par.Team) *Mapper {
	m, err := Fit(s, sample, maxBins, categories, team)
	if err != nil {
		panic(err)
	}
	return m
}
