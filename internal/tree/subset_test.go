package tree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/kernel"
)

// smallNode is the gradients of a node in the bins of a categorical column.
type smallNode struct {
	cells  Histogram
	job    kernel.ScanJob
	counts [kernel.MaxBins]int64
	bins   int // in use, the missing one included
}

// newSmallNode draws a node of a number of categories. Some of its gradients agree between
// pairs, as with similar classes.
func newSmallNode(r *rand.Rand, categories, pairs int) *smallNode {
	n := &smallNode{bins: categories + 1}
	var memory scratch
	n.cells = memory.histogram(n.bins*kernel.TileLanes, true)
	n.cells.clear()
	n.job = kernel.ScanJob{Pairs: pairs, MinHessian: 1e-200}
	for b := range n.bins {
		if b == 0 && r.IntN(2) == 0 {
			continue // nothing is missing
		}
		n.counts[b] = int64(1 + r.IntN(30))
		common := r.NormFloat64()
		for p := range pairs {
			h := 1 + r.Int64N(1000*n.counts[b])
			g := int64((common + r.NormFloat64()) / 2 * float64(h))
			n.cells.wideG[b*kernel.TileLanes+p], n.cells.wideH[b*kernel.TileLanes+p] = g, h
			n.job.TotalG[p], n.job.TotalH[p] = n.job.TotalG[p]+g, n.job.TotalH[p]+h
		}
	}
	for p := range pairs {
		n.job.UnitH[p], n.job.Scale[p] = 1e-3, 0.5
	}
	return n
}

// score returns the score of sending a set left, computed directly, and the rows on its sides.
func (n *smallNode) score(set func(code int) bool) (score float64, left, right int) {
	for p := range n.job.Pairs {
		var g, h [2]float64
		for b := range n.bins {
			side := 1
			if set(b) {
				side = 0
			}
			g[side] += float64(n.cells.wideG[b*kernel.TileLanes+p])
			h[side] += float64(n.cells.wideH[b*kernel.TileLanes+p])
		}
		for side := range 2 {
			score += g[side] * g[side] / max(h[side], 1) / 2
		}
	}
	for b := range n.bins {
		if set(b) {
			left += int(n.counts[b])
		} else {
			right += int(n.counts[b])
		}
	}
	return score, left, right
}

// best returns the best score of all sets that leave minSamples rows on either side.
func (n *smallNode) best(minSamples int) float64 {
	best := math.Inf(-1)
	for bits := range 1 << n.bins {
		score, left, right := n.score(func(code int) bool { return bits>>code&1 != 0 })
		if left >= minSamples && right >= minSamples {
			best = max(best, score)
		}
	}
	return best
}

func unlimited() *subsetSearch {
	return &subsetSearch{Subsets: Subsets{Limit: kernel.MaxBins}}
}

// TestBestSubset: with one pair, or up to mostEnumerated categories, the set found is the best
// of all, and its score is right.
func TestBestSubset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 16))
	search := unlimited()
	for i := range 10_000 {
		pairs := []int{1, 1, 1, 2, 4}[i%5]
		categories := 1 + r.IntN(9)
		if pairs > 1 {
			categories = 1 + r.IntN(min(mostEnumerated, 6))
		}
		n := newSmallNode(r, categories, pairs)
		search.load(&n.cells, n.bins, kernel.TileLanes, 0, pairs)
		got := search.findSet(kernel.Generic, &n.job, nil, 1)
		want := n.best(1)
		if math.IsInf(want, -1) {
			if !math.IsInf(got.score, -1) {
				t.Fatalf("node %d: a split of one category", i)
			}
			continue
		}
		score, _, _ := n.score(got.set.Has)
		if math.Abs(got.score-want) > 1e-9*want || math.Abs(score-got.score) > 1e-9*want {
			t.Fatalf("node %d, %d categories, %d pairs: score %v, the set's is %v, the best %v", i, categories, pairs, got.score, score, want)
		}
	}
}

// TestSubsetMinSamples: a set that leaves too few rows on a side is not found. For
// one pair and few rows required, the best of the others hardly ever escapes.
func TestSubsetMinSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 16))
	search := unlimited()
	found, best := 0.0, 0.0
	for i := range 3000 {
		pairs, minSamples := []int{1, 2, 4, 8}[i%4], 1+r.IntN(60)
		n := newSmallNode(r, 1+r.IntN(8), pairs)
		search.load(&n.cells, n.bins, kernel.TileLanes, 0, pairs)
		got := search.findSet(kernel.Generic, &n.job, &n.counts, minSamples)
		want := n.best(minSamples)
		if math.IsInf(got.score, -1) {
			continue
		}
		score, left, right := n.score(got.set.Has)
		if left < minSamples || right < minSamples {
			t.Fatalf("node %d: %d rows left and %d right, %d required", i, left, right, minSamples)
		}
		if math.Abs(score-got.score) > 1e-9*score || score > want*(1+1e-9) {
			t.Fatalf("node %d: score %v, the set's is %v, the best %v", i, got.score, score, want)
		}
		found, best = found+got.score, best+want
	}
	if found < 0.99*best {
		t.Errorf("the sets found score %v of what the best do", found/best)
	}
}

// TestSubsetsOfPairs: with several pairs and more categories, orders find nearly
// the best sets.
func TestSubsetsOfPairs(t *testing.T) {
	for _, pairs := range []int{2, 4, 8} {
		r := rand.New(rand.NewPCG(3, 16))
		search := unlimited()
		found, best, none := 0.0, 0.0, 0.0
		for range 60 {
			n := newSmallNode(r, mostEnumerated+2+r.IntN(2), pairs)
			search.load(&n.cells, n.bins, kernel.TileLanes, 0, pairs)
			got := search.findSet(kernel.Generic, &n.job, nil, 1)
			whole, _, _ := n.score(func(int) bool { return true })
			found, best, none = found+got.score, best+n.best(1), none+whole
		}
		share := (found - none) / (best - none)
		t.Logf("%d pairs: the gain is %.4f of the best", pairs, share)
		if share < 0.9 {
			t.Errorf("%d pairs: the gain is %.4f of the best", pairs, share)
		}
	}
}

// TestSubsetLimit: the sets found are within the limit. Up to mostEnumerated
// categories with several pairs, they are the best of these.
func TestSubsetLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 16))
	for i := range 2000 {
		pairs, limit := []int{1, 2, 4, 8}[i%4], 1+r.IntN(4)
		if i%50 == 0 {
			limit = math.MaxInt
		}
		n := newSmallNode(r, 2+r.IntN(9), pairs)
		search := subsetSearch{Subsets: Subsets{Limit: limit}}
		search.load(&n.cells, n.bins, kernel.TileLanes, 0, pairs)
		got := search.findSet(kernel.Generic, &n.job, nil, 1)
		smaller := func(set func(int) bool) int {
			left := 0
			for b := 1; b < n.bins; b++ {
				if set(b) {
					left++
				}
			}
			return min(left, n.bins-1-left)
		}
		if side := smaller(got.set.Has); side > limit {
			t.Fatalf("node %d: %d categories on the smaller side, at most %d are allowed", i, side, limit)
		}
		if pairs == 1 || n.bins-1 > mostEnumerated {
			continue
		}
		best := math.Inf(-1)
		for bits := range 1 << n.bins {
			if set := func(code int) bool { return bits>>code&1 != 0 }; smaller(set) <= limit {
				if score, left, right := n.score(set); left > 0 && right > 0 {
					best = max(best, score)
				}
			}
		}
		if math.Abs(got.score-best) > 1e-9*best {
			t.Fatalf("node %d: score %v, the best within the limit has %v", i, got.score, best)
		}
	}
}

// TestSortEnds: the ends agree with the whole order, and no code is lost.
func TestSortEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	for range 300 {
		n := 3 + r.IntN(60)
		s := subsetSearch{keys: make([]float64, n)}
		codes := r.Perm(n)
		for i := range s.keys {
			s.keys[i] = float64(r.IntN(n)) // some tie
		}
		want := slices.Clone(codes)
		slices.SortFunc(want, s.compare)
		ends := 1 + r.IntN((n-1)/2)
		s.sortEnds(codes, ends)
		if !slices.Equal(codes[:ends], want[:ends]) || !slices.Equal(codes[n-ends:], want[n-ends:]) {
			t.Fatalf("%d of %v: %v, want the ends of %v", ends, s.keys, codes, want)
		}
		if slices.Sort(codes); codes[n-1] != n-1 || len(slices.Compact(codes)) != n {
			t.Fatalf("codes are lost: %v", codes)
		}
	}
}
