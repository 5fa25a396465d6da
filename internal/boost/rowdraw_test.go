package boost

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/hash"
	"github.com/libaoso/aoso/internal/par"
)

// TestRowDraw compares draws with all rows sorted by the hashes of their ids.
func TestRowDraw(t *testing.T) {
	team := par.NewTeam(3)
	defer team.Close()
	r := rand.New(rand.NewPCG(1, 0))
	counts := []int{1, 2, 63, 64, 65, 1000, drawBlock, 2*drawBlock + 1}
	if testing.Short() {
		counts = []int{65, 2*drawBlock + 1}
	}
	for _, rows := range counts {
		ids := make([]uint64, rows)
		for i, p := range r.Perm(rows) {
			ids[i] = uint64(p) << 20
		}
		for _, size := range []int{1, rows / 100, rows / 2, rows - 1, rows} {
			if size == 0 {
				continue
			}
			for _, ids := range [][]uint64{nil, ids} {
				d := newRowDraw(ids, rows, rows, size, nil)
				for seed := range uint64(2) {
					want := make([]uint32, rows)
					hashes := make([]uint64, rows)
					for row := range want {
						want[row], hashes[row] = uint32(row), hash.Row(seed, uint64(row))
						if ids != nil {
							hashes[row] = hash.Row(seed, ids[row])
						}
					}
					slices.SortFunc(want, func(a, b uint32) int { return cmp.Compare(hashes[a], hashes[b]) })
					want = want[:size]
					slices.Sort(want)
					if got := d.draw(seed, team); !slices.Equal(got, want) {
						t.Fatalf("%d of %d rows, seed %d: not those of the least hashes", size, rows, seed)
					}
					if !d.drawWithin(seed, 0, 1<<64-1, team) {
						t.Fatalf("%d of %d rows, seed %d: not drawn without a window", size, rows, seed)
					}
					if got := d.listed(); !slices.Equal(got, want) {
						t.Fatalf("%d of %d rows, seed %d: others without a window", size, rows, seed)
					}
				}
			}
		}
	}
}

// listed returns the rows that are drawn.
func (d *rowDraw) listed() []uint32 {
	clear(d.drawn)
	for b := range d.near {
		d.list(b)
	}
	return d.drawn
}

// TestRowDrawWindow: a window that misses the last row drawn is noticed.
func TestRowDrawWindow(t *testing.T) {
	d := newRowDraw(nil, 1000, 1000, 500, nil)
	for _, window := range [][2]uint64{{0, 1 << 62}, {1 << 63 / 4 * 7, 1<<64 - 1}} {
		if d.drawWithin(1, window[0], window[1], new(par.Team)) {
			t.Errorf("the window %x drew rows", window)
		}
	}
}

// TestRowDrawShare: every row has a chance, and draws of two seeds have little in common.
func TestRowDrawShare(t *testing.T) {
	const rows, size, draws = 1000, 300, 2000
	d := newRowDraw(nil, rows, rows, size, nil)
	counts := make([]int, rows)
	both, before := 0, make([]bool, rows)
	for tree := range draws {
		drawn := make([]bool, rows)
		for _, row := range d.draw(hash.Seed(7, hash.TreeRows, tree, 0), new(par.Team)) {
			counts[row]++
			drawn[row] = true
			if before[row] {
				both++
			}
		}
		before = drawn
	}
	for row, n := range counts {
		if n < 500 || n > 700 { // five standard deviations
			t.Errorf("row %d is drawn %d times of %d, want about %d", row, n, draws, draws*size/rows)
		}
	}
	if mean := float64(both) / draws; mean < 88 || mean > 92 {
		t.Errorf("two draws share %.1f rows, want about 90", mean)
	}
}

func BenchmarkRowDraw(b *testing.B) {
	const rows = 300_000
	for _, share := range []float64{0.1, 0.5, 0.9} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("share=%g/threads=%d", share, threads), func(b *testing.B) {
				team := par.NewTeam(threads)
				defer team.Close()
				d := newRowDraw(nil, rows, rows, int(share*rows), nil)
				seed := uint64(0)
				for b.Loop() {
					seed++
					d.draw(seed, team)
				}
			})
		}
	}
}
