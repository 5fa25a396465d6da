package kerneltest

import (
	"math"
	"math/rand/v2"

	"github.com/libaoso/aoso/kernel"
)

// dice makes every choice of a trial.
type dice struct{ *rand.Rand }

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

func (d dice) yes() bool { return d.IntN(2) == 0 }

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// rows returns a rising list of n row numbers and the number of rows of a matrix
// whose last one is on the list.
func (d dice) rows(n int) (list []uint32, total int) {
	list = make([]uint32, n)
	next, gap := 0, 1
	switch d.IntN(4) {
	case 1:
		next = d.IntN(20)
	case 2:
		next, gap = d.IntN(3), 3
	case 3:
		gap = 1 + 1024/(n+8)
	}
	for i := range list {
		if gap > 1 {
			next += d.IntN(gap)
		}
		list[i] = uint32(next)
		next++
	}
	return list, next
}

// lead returns the number of rows before a matrix of n rows: mostly none, else so
// many that addresses and row numbers outgrow 31 or 32 bits.
func (d dice) lead(n, rowBytes int) int {
	if n == 0 || d.IntN(farOdds) > 0 {
		return 0
	}
	return min(pick(d, 1<<24, 1<<31-n/2, 1<<32-1-n), farBytes/rowBytes)
}

// shifted adds a lead to row numbers.
func shifted(rows []uint32, lead int) []uint32 {
	for i := range rows {
		rows[i] += uint32(lead)
	}
	return rows
}

// weights returns the weights of rows.
func (d dice) weights(n int) []float32 {
	w := make([]float32, n)
	for i := range w {
		switch d.IntN(8) {
		case 0:
			w[i] = 0
		case 1:
			w[i] = 1
		case 2:
			w[i] = d.tiny()
		case 3:
			w[i] = 1000 * d.Float32()
		default:
			w[i] = 2 * d.Float32()
		}
	}
	return w
}

// tiny returns 2⁻⁹⁹ … 2⁻⁷, every exponent as likely.
func (d dice) tiny() float32 {
	return math.Float32frombits(uint32(127-99+d.IntN(93))<<23 | d.Uint32()>>9)
}

// residuals returns rows as boosting leaves them, and as it rarely does.
func (d dice) residuals(rows, classes, stride int) []float32 {
	data := make([]float32, rows*stride)
	for i := range rows {
		d.residualRow(data[i*stride:][:classes])
	}
	return data
}

func (d dice) residualRow(row []float32) {
	y := d.IntN(len(row))
	var own float32 // odds
	switch d.IntN(10) {
	case 0: // certain: all others zero
		own = 1
	case 1: // score zero
		own = 1
		for k := range row {
			row[k] = 1
		}
	case 2: // p_y close to one
		own = 1
		for k := range row {
			row[k] = d.tiny()
		}
	case 3: // p_y close to zero, or zero
		own = pick(d, 0, d.tiny())
		for k := range row {
			row[k] = d.Float32()
		}
		row[(y+1)%len(row)] = 1
	case 4: // most others zero
		own = d.Float32()
		row[d.IntN(len(row))] = 1
	case 5: // all but one class tiny, y among the tiny ones or not
		own = d.tiny()
		for k := range row {
			row[k] = d.tiny()
		}
		row[(y+d.IntN(2))%len(row)] = 1
	default:
		own = d.Float32()
		for k := range row {
			row[k] = d.Float32()
		}
	}
	row[y] = 0
	others := 0.0
	for _, v := range row {
		others += float64(v)
	}
	inverse := 1 / max(others+float64(own), 1e-30)
	for k, v := range row {
		row[k] = float32(float64(v) * inverse)
		if row[k] < kernel.FlushBelow {
			row[k] = 0
		}
	}
	row[y] = -float32(min(others*inverse, 1))
	if row[y] == 0 {
		row[y] = float32(math.Copysign(0, -1))
	}
}

// codes returns n bin codes below bins.
func (d dice) codes(n, bins int) []uint8 {
	column := make([]uint8, n)
	few := [4]uint8{}
	for i := range few {
		few[i] = uint8(d.IntN(bins))
	}
	kind, code := d.IntN(5), few[0]
	for i := range column {
		switch kind {
		case 0: // one bin
		case 1: // the same few bins again and again
			code = few[d.IntN(4)]
		case 2: // runs
			if d.IntN(16) == 0 {
				code = uint8(d.IntN(bins))
			}
		default:
			code = uint8(d.IntN(bins))
		}
		column[i] = code
	}
	return column
}

// set returns a set of bin codes.
func (d dice) set() (set [4]uint64) {
	kind := d.IntN(6)
	for w := range set {
		switch kind {
		case 0: // none
		case 1: // all
			set[w] = math.MaxUint64
		case 2: // few
			set[w] = d.Uint64() & d.Uint64() & d.Uint64()
		default:
			set[w] = d.Uint64()
		}
	}
	if kind < 2 && d.yes() { // all but one, or one
		set[d.IntN(4)] ^= 1 << d.IntN(64)
	}
	return set
}
