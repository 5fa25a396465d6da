package tree

import (
	"slices"
	"sync"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/kernel"
)

// Histogram holds the gradients of a node by feature and bin, tile by tile. Nodes of more than
// kernel.SpillRows rows use the wide arrays.
type Histogram struct {
	cells        []int64
	wideG, wideH []int64
	memory       *mem.Block // nil: the cells belong to somebody else
}

func (h *Histogram) wide() bool { return h.wideG != nil }

// HistogramPool lends histograms of one size. They may hold old contents. Several goroutines may
// use it at once.
type HistogramPool struct {
	cells int
	most  int // histograms that Get may lend at once

	mu   sync.Mutex
	out  int
	free []*Histogram
}

// NewHistogramPool returns a pool of MostHistograms histograms with a number of cells.
func NewHistogramPool(cells, matrixBytes int) HistogramPool {
	return HistogramPool{cells: cells, most: MostHistograms(cells, matrixBytes)}
}

// MostHistograms returns how many histograms may be kept: they take at most an eighth of the
// matrix's memory, or 6 MiB where that is more.
func MostHistograms(cells, matrixBytes int) int {
	const poolBytes = 6 << 20
	return max(poolBytes, matrixBytes/8) / max(8*cells, 1)
}

// Get returns a histogram for a node; nil: the limit is reached.
func (p *HistogramPool) Get(rows int) *Histogram {
	p.mu.Lock()
	full := p.out >= p.most
	p.mu.Unlock()
	if full {
		return nil
	}
	return p.GetUnbounded(rows)
}

// GetUnbounded is Get without the limit, for a histogram that is put back at once.
func (p *HistogramPool) GetUnbounded(rows int) *Histogram {
	p.mu.Lock()
	p.out++
	h := take(&p.free)
	p.mu.Unlock()
	if h == nil {
		memory := mem.New(8 * p.cells)
		h = &Histogram{cells: mem.View[int64](memory), memory: memory}
	}
	h.setWide(rows > kernel.SpillRows)
	return h
}

// Put returns a histogram to the pool; it ignores nil.
func (p *HistogramPool) Put(h *Histogram) {
	if h != nil {
		p.mu.Lock()
		p.out--
		p.free = append(p.free, h)
		p.mu.Unlock()
	}
}

// Free releases the memory of all histograms that are not lent.
func (p *HistogramPool) Free() {
	for _, h := range p.free {
		h.memory.Free()
	}
	p.free = nil
}

// lend gives a job the cells.
func (h *Histogram) lend(job *kernel.ScanJob) {
	job.Tile, job.WideG, job.WideH = h.cells, h.wideG, h.wideH
	if h.wide() {
		job.Tile = nil
	}
}

func (h *Histogram) setWide(wide bool) {
	switch {
	case !wide:
		h.wideG, h.wideH = nil, nil
	case h.wideG == nil:
		h.wideG, h.wideH = make([]int64, len(h.cells)), make([]int64, len(h.cells))
	}
}

// scratch is memory for one histogram at a time.
type scratch []int64

// histogram returns a histogram of a number of cells, not cleared.
func (m *scratch) histogram(cells int, wide bool) Histogram {
	need := cells
	if wide {
		need *= 3
	}
	*m = slices.Grow((*m)[:0], need)[:need]
	h := Histogram{cells: (*m)[:cells]}
	if wide {
		h.wideG, h.wideH = (*m)[cells:2*cells], (*m)[2*cells:]
	}
	return h
}

// tile returns the part of a histogram that holds the cells from first to end.
func (h *Histogram) tile(first, end int) Histogram {
	t := Histogram{cells: h.cells[first:end]}
	if h.wide() {
		t.wideG, t.wideH = h.wideG[first:end], h.wideH[first:end]
	}
	return t
}

func (h *Histogram) clear() {
	clear(h.cells)
	clear(h.wideG)
	clear(h.wideH)
}

// add adds a histogram of other rows of the same node.
func (h *Histogram) add(o *Histogram) {
	sum := func(dst, src []int64) {
		for i, c := range src {
			dst[i] += c
		}
	}
	if h.wide() {
		sum(h.wideG, o.wideG)
		sum(h.wideH, o.wideH)
	} else {
		sum(h.cells, o.cells)
	}
}

// subtract turns a parent's histogram into the histogram of the sibling of h's node.
func (parent *Histogram) subtract(k *kernel.Funcs, h *Histogram) {
	switch {
	case !parent.wide():
		k.Subtract(parent.cells, parent.cells, h.cells)
	case h.wide():
		k.Subtract(parent.wideG, parent.wideG, h.wideG)
		k.Subtract(parent.wideH, parent.wideH, h.wideH)
	default:
		for i, c := range h.cells {
			parent.wideG[i] -= c >> 32
			parent.wideH[i] -= c & (1<<32 - 1)
		}
	}
}
