package tree

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// A categorical feature is split into two sets of bins. For one class pair the
// best set is found exactly: in the order of G/H, it is on one side of a cut (W.
// Fisher, On grouping for maximum homogeneity, 1958). For several pairs, cuts in
// several orders are tried, or all sets if there are few bins.

// Subsets control categorical splits.
type Subsets struct {
	Smoothing float64 // added to the Hessian of a bin when bins are ordered
	L2        float64 // added to the L2 of leaf values, which makes these splits rarer; less with few categories
	Limit     int     // the most codes on the smaller side, not counting missing values
}

// subsetSearch finds the best set of bins of a column to send left. It reuses its memory.
type subsetSearch struct {
	Subsets
	job    kernel.ScanJob
	g, h   []int64   // by code and pair
	filled []int     // codes that hold rows, except 0
	absent model.Set // codes that hold none
	keys   []float64
	walks  []walk
	tile   scratch
}

// walk is a series of sets of codes. Each differs from the one before by some codes that join or
// leave.
type walk struct {
	codes []int // codes that join or leave, in order
	ends  []int // by set: where its changes end
}

// set returns the number-th set of the walk, counted from 1.
func (w *walk) set(number int) (s model.Set) {
	for _, code := range w.codes[:w.ends[number-1]] {
		s.Toggle(code)
	}
	return s
}

// load reads the cells of a column: m lanes of a tile, from lane on.
func (s *subsetSearch) load(cells *Histogram, bins, stride, lane, m int) {
	s.g, s.h = slices.Grow(s.g[:0], bins*m)[:bins*m], slices.Grow(s.h[:0], bins*m)[:bins*m]
	s.filled, s.absent = s.filled[:0], model.Set{0: math.MaxUint64, 1: math.MaxUint64, 2: math.MaxUint64, 3: math.MaxUint64}
	for b := range bins {
		g, h, any := s.g[b*m:][:m], s.h[b*m:][:m], int64(0)
		if at := b*stride + lane; cells.wide() {
			copy(g, cells.wideG[at:])
			copy(h, cells.wideH[at:])
			for p := range m {
				any |= g[p] | h[p]
			}
		} else {
			for p, cell := range cells.cells[at:][:m] {
				g[p], h[p] = cell>>32, cell&(1<<32-1)
				any |= cell
			}
		}
		if any == 0 {
			continue
		}
		s.absent.Toggle(b)
		if b > 0 {
			s.filled = append(s.filled, b)
		}
	}
}

// mostEnumerated is the number of bins up to which all sets are tried. All of these sets must
// fit a scan.
const mostEnumerated = 8

// findSet returns the best set of the loaded codes, for the job of a node. With counts, rows by
// code, it leaves minSamples rows on either side.
func (s *subsetSearch) findSet(k *kernel.Funcs, node *kernel.ScanJob, counts *[kernel.MaxBins]int64, minSamples int) candidate {
	best := candidate{score: math.Inf(-1), exact: counts != nil || minSamples == 1, subset: true}
	if len(s.filled) == 0 || len(s.filled) == 1 && s.absent.Has(0) {
		return best
	}
	s.plan(node)
	s.job = *node
	// Few categories have few sets. Two leave no choice: a number of two values would be split alike.
	const two, many = 2, 7
	categories := len(s.g)/node.Pairs - 1
	l2 := s.L2 * min(max(0, float64(categories-two)/(many-two)), 1)
	for p := range node.Pairs {
		if node.UnitH[p] > 0 {
			s.job.L2[p] += l2 / node.UnitH[p]
		}
	}
	width := kernel.TileLanes / node.Pairs
	for walks := range slices.Chunk(s.walks, width) {
		if counts == nil {
			s.scan(k, walks, &best)
			continue
		}
		for _, missingLeft := range []bool{false, true} {
			if !missingLeft || counts[0] > 0 {
				s.scanCounted(k, walks, counts, minSamples, missingLeft, &best)
			}
		}
	}
	if !math.IsInf(best.score, -1) {
		s.placeAbsent(&best.set, node.Pairs)
		best.missingLeft = best.set.Has(0)
	}
	return best
}

// plan makes the walks to try.
func (s *subsetSearch) plan(node *kernel.ScanJob) {
	m := node.Pairs
	s.walks = s.walks[:0]
	if m > 1 && len(s.filled) <= mostEnumerated {
		s.enumerate(s.newWalk())
		return
	}
	s.keys = slices.Grow(s.keys[:0], kernel.MaxBins)[:kernel.MaxBins]
	for p := range m {
		if node.UnitH[p] == 0 {
			continue
		}
		smoothing := s.Smoothing / node.UnitH[p]
		for _, code := range s.filled {
			s.keys[code] = float64(s.g[code*m+p]) / (float64(s.h[code*m+p]) + smoothing)
		}
		s.order(s.newWalk())
	}
}

func (s *subsetSearch) newWalk() *walk {
	n := len(s.walks)
	s.walks = slices.Grow(s.walks, 1)[:n+1]
	w := &s.walks[n]
	w.codes, w.ends = w.codes[:0], w.ends[:0]
	return w
}

// endSet makes the changes so far a set of the walk, of a number of codes, unless both sides exceed
// the limit.
func (s *subsetSearch) endSet(w *walk, codes int) {
	if min(codes, len(s.filled)-codes) <= s.Limit {
		w.ends = append(w.ends, len(w.codes))
	}
}

// enumerate walks through all sets of the filled codes, one of each complementary pair.
func (s *subsetSearch) enumerate(w *walk) {
	n := len(s.filled) - 1 // the last stays right
	for i := 1; i < 1<<n; i++ {
		changed := bits.TrailingZeros(uint(i)) // Gray code: i ^ i>>1 are in the set
		w.codes = append(w.codes, s.filled[changed])
		s.endSet(w, bits.OnesCount(uint(i^i>>1)))
	}
	// The last set of a Gray code is its last bit. With the others, it is all.
	if n > 0 {
		w.codes = append(w.codes, s.filled[:n-1]...)
	}
	w.codes = append(w.codes, s.filled[n])
	s.endSet(w, n+1)
}

// order walks through the codes in the order of their keys.
func (s *subsetSearch) order(w *walk) {
	sorted := append(w.codes, s.filled...)
	if s.Limit < (len(sorted)+1)/2 { // no set ends in between
		s.sortEnds(sorted, s.Limit)
	} else {
		slices.SortFunc(sorted, s.compare)
	}
	for i := range sorted {
		w.codes = sorted[:i+1]
		s.endSet(w, i+1)
	}
}

// compare orders codes by key, the greatest first; the lower code wins a tie.
func (s *subsetSearch) compare(a, b int) int {
	switch {
	case s.keys[a] > s.keys[b]:
		return -1
	case s.keys[a] < s.keys[b]:
		return 1
	}
	return cmp.Or(cmp.Compare(s.keys[b], s.keys[a]), a-b)
}

// sortEnds sorts only the first and the last ends codes of the order, which are less than half
// of all.
func (s *subsetSearch) sortEnds(codes []int, ends int) {
	first, last := codes[:ends], codes[len(codes)-ends:]
	slices.SortFunc(first, s.compare)
	for i := ends; i < len(codes); i++ {
		if code, at := codes[i], ends-1; s.compare(code, first[at]) < 0 {
			for codes[i] = first[at]; at > 0 && s.compare(code, first[at-1]) < 0; at-- {
				first[at] = first[at-1]
			}
			first[at] = code
		}
	}
	slices.SortFunc(last, s.compare)
	for i := len(codes) - ends - 1; i >= ends; i-- {
		if code, at := codes[i], 0; s.compare(code, last[at]) > 0 {
			for codes[i] = last[at]; at+1 < ends && s.compare(code, last[at+1]) > 0; at++ {
				last[at] = last[at+1]
			}
			last[at] = code
		}
	}
}

// scan scores the sets of a few walks, side by side.
func (s *subsetSearch) scan(k *kernel.Funcs, walks []walk, best *candidate) {
	m, bins := s.job.Pairs, 1
	for i := range walks {
		bins = max(bins, len(walks[i].ends)+1)
	}
	h := s.tile.histogram(bins*kernel.TileLanes, true)
	h.clear()
	for f := range walks {
		for p := range m {
			h.wideG[f*m+p], h.wideH[f*m+p] = s.g[p], s.h[p] // missing values
		}
		var now model.Set
		begin := 0
		for i, end := range walks[f].ends {
			for _, code := range walks[f].codes[begin:end] {
				s.change(&h, (i+1)*kernel.TileLanes+f*m, code, &now)
			}
			begin = end
		}
	}
	s.score(k, &h, bins)
	for f := range walks {
		if s.job.Score[f] > best.score {
			best.score = s.job.Score[f]
			best.set = walks[f].set(int(s.job.Bin[f]))
			if s.job.MissingLeft[f] {
				best.set.Add(0)
			}
		}
	}
}

// change adds a code that joins a set, or subtracts one that leaves it.
func (s *subsetSearch) change(h *Histogram, cell, code int, now *model.Set) {
	m, sign := s.job.Pairs, int64(1)
	if now.Has(code) {
		sign = -1
	}
	now.Toggle(code)
	for p := range m {
		h.wideG[cell+p] += sign * s.g[code*m+p]
		h.wideH[cell+p] += sign * s.h[code*m+p]
	}
}

func (s *subsetSearch) score(k *kernel.Funcs, h *Histogram, bins int) {
	s.job.Bins, s.job.Stride, s.job.Tile = bins, kernel.TileLanes, nil
	s.job.WideG, s.job.WideH = h.wideG, h.wideH
	k.Scan(&s.job)
}

// scanCounted scores those sets of walks that leave minSamples rows on either
// side, with missing values on one side.
func (s *subsetSearch) scanCounted(k *kernel.Funcs, walks []walk, counts *[kernel.MaxBins]int64, minSamples int, missingLeft bool, best *candidate) {
	m, most := s.job.Pairs, 1
	for i := range walks {
		most = max(most, len(walks[i].ends)+1)
	}
	total := 0
	for _, n := range counts {
		total += int(n)
	}
	h := s.tile.histogram((most+1)*kernel.TileLanes, true)
	h.clear()
	numbers := make([][]int, len(walks)) // by walk: the sets allowed
	bins := 1
	for f := range walks {
		var now model.Set
		rows, begin := 0, 0
		if missingLeft {
			s.change(&h, kernel.TileLanes+f*m, 0, &now)
			rows = int(counts[0])
		}
		for i, end := range walks[f].ends {
			for _, code := range walks[f].codes[begin:end] {
				if now.Has(code) {
					rows -= int(counts[code])
				} else {
					rows += int(counts[code])
				}
				s.change(&h, (len(numbers[f])+1)*kernel.TileLanes+f*m, code, &now)
			}
			begin = end
			if rows >= minSamples && total-rows >= minSamples {
				numbers[f] = append(numbers[f], i+1)
			}
		}
		// The cells after the last allowed set must not count as one.
		last := (len(numbers[f]) + 1) * kernel.TileLanes
		for p := range m {
			h.wideG[last+f*m+p], h.wideH[last+f*m+p] = 0, 0
		}
		bins = max(bins, len(numbers[f])+1)
	}
	if bins == 1 {
		return
	}
	s.score(k, &h, bins)
	for f := range walks {
		if len(numbers[f]) > 0 && s.job.Score[f] > best.score {
			best.score = s.job.Score[f]
			best.set = walks[f].set(numbers[f][s.job.Bin[f]-1])
			if missingLeft {
				best.set.Add(0)
			}
		}
	}
}

// placeAbsent sends codes that hold no rows to the side of the greater Hessian.
func (s *subsetSearch) placeAbsent(set *model.Set, m int) {
	left, right := int64(0), s.h[0]
	if set.Has(0) {
		left, right = s.h[0], 0
	}
	for _, code := range s.filled {
		if h := s.h[code*m]; set.Has(code) {
			left += h
		} else {
			right += h
		}
	}
	if left > right {
		for i := range set {
			set[i] |= s.absent[i]
		}
	}
}
