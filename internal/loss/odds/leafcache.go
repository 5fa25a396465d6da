package odds

import "slices"

// leafCache finds the odds of a few classes for rows of one leaf, from their leaf path. Such rows
// share most of their other leaves, too, and most leaves move few of the classes, or none.
// So what a leaf does to the classes is looked up once for all rows: by leaf, or by class,
// where that is less work.
type leafCache struct {
	slots   []uint8  // by class: its place among the classes, from 1; 0: it is none of them
	known   []uint32 // by tree of a span and leaf: its effects, manyEffects × the first + how many; 0: unknown, or none
	used    []uint32 // places of known that are not 0
	effects []effect
	odds    []float32 // rows × classes
	scratch []float64 // likewise
}

// effect is what a leaf does to one of the classes.
type effect struct {
	slot uint32 // from 1
	by   float32
}

// manyEffects is more than the classes of a leaf.
const manyEffects = 64

// LeafCacheBytes bounds the memory of a worker for the cached effects of leaves that change this many classes.
func LeafCacheBytes(named, leaves float64) float64 {
	const place, effect, odds = 4 + 8, 8, 4
	return SpanTrees*place*(leaves+1) + rowsTogether*named*(2*SpanTrees*effect+2*odds)
}

// prepare prepares the cache for classes, fewer than manyEffects.
func (r *leafCache) prepare(wanted []uint32, classes int) {
	if r.slots == nil {
		r.slots = make([]uint8, classes+1)
	}
	for i, k := range wanted {
		r.slots[k] = uint8(i + 1)
	}
}

// reset undoes prepare.
func (r *leafCache) reset(wanted []uint32) {
	for _, k := range wanted {
		r.slots[k] = 0
	}
}

// find returns the odds of the classes wanted, by row and class, which are good until the
// next are found.
func (r *leafCache) find(t *leafPath[float32], rows, wanted []uint32) []float32 {
	n := len(rows) * len(wanted)
	r.odds = slices.Grow(r.odds[:0], n)[:n]
	if t.base != nil {
		r.scratch = slices.Grow(r.scratch[:0], n)[:n]
		t.base.pick(rows, wanted, r.scratch, r.odds)
	} else {
		for i := range r.odds {
			r.odds[i] = 1
		}
	}
	for s := range t.spans {
		r.multiply(t, s, rows, wanted)
	}
	return r.odds
}

// multiply multiplies the odds by what the leaves of a span do.
func (r *leafCache) multiply(t *leafPath[float32], s int, rows, wanted []uint32) {
	trees, leaves, index := t.spanTrees(s), t.spans[s].leaves, t.spans[s].index
	first, all := r.begin(trees)
	byClass := index != nil && index.saves(wanted, len(rows))
	if byClass {
		r.lookUp(index, wanted)
	}
	known := r.known[:all]
	var odds [manyEffects]float32
	for i, row := range rows {
		kept := r.odds[i*len(wanted):][:len(wanted)]
		copy(odds[1:], kept)
		for j, leaf := range leaves[int(row)*SpanTrees:][:len(trees)] {
			at := first[j] + leaf
			of := known[at]
			if of == 0 {
				if byClass {
					continue
				}
				of = r.addEffects(trees[j].of(leaf), at)
			}
			begin, n := of/manyEffects, of%manyEffects
			for _, e := range r.effects[begin:][:n] {
				x := &odds[e.slot%manyEffects]
				*x = times(*x, e.by)
			}
		}
		copy(kept, odds[1:])
	}
	for _, at := range r.used {
		known[at] = 0
	}
}

// begin allocates the effects of the leaves of trees, and returns where each of them
// begins.
func (r *leafCache) begin(trees []leafChanges[float32]) (first [SpanTrees]uint32, all uint32) {
	for i := range trees {
		first[i] = all
		all += trees[i].leaves
	}
	if int(all) > len(r.known) {
		r.known = make([]uint32, all)
	}
	r.used, r.effects = r.used[:0], append(r.effects[:0], effect{}) // so that nothing known is 0
	return first, all
}

// lookUp looks up what all leaves of an index do to the classes.
func (r *leafCache) lookUp(index *index, wanted []uint32) {
	for _, k := range wanted {
		for _, m := range index.of(k) {
			if r.known[m.at] == 0 {
				r.used = append(r.used, m.at)
			}
			r.known[m.at]++
		}
	}
	end := uint32(len(r.effects))
	for _, at := range r.used {
		n := r.known[at]
		r.known[at] = end * manyEffects
		end += n
	}
	r.effects = slices.Grow(r.effects, int(end))[:end]
	for i, k := range wanted {
		for _, m := range index.of(k) {
			of := r.known[m.at]
			r.effects[of/manyEffects+of%manyEffects] = effect{uint32(i + 1), m.by}
			r.known[m.at]++
		}
	}
}

// addEffects adds what a leaf does to the classes.
func (r *leafCache) addEffects(changes []change[float32], at uint32) uint32 {
	begin := len(r.effects)
	effects := slices.Grow(r.effects, len(changes))[:begin+len(changes)]
	n := begin
	for _, c := range changes { // none of it depends on a guess of the processor
		slot := r.slots[c.class]
		effects[n] = effect{uint32(slot), c.by}
		n += int((uint32(slot) + manyEffects*4 - 1) / (manyEffects * 4))
	}
	r.effects, r.used = effects[:n], append(r.used, at)
	r.known[at] = uint32(begin*manyEffects + n - begin)
	return r.known[at]
}
