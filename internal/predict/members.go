package predict

import (
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// members answers the tests of a categorical feature. The keys of the answers lie
// side by side.
type members struct {
	feature int
	first   int // slot of the first test
	tests   int
	codes   int     // after these, all answers are alike
	right   []uint8 // by code, 0 for missing, and last for those after: a bit for each test, set if the answer is right
	splits  []model.Split
}

// categoricalKey is what the key of an answer is compared with: 0 is left, and
// all ones is right.
const categoricalKey = 1 << 63

// alike is what splits have in common that share a slot.
func alike(s model.Split) model.Split {
	if s.Set() != nil {
		return s
	}
	return model.NumericSplit(int(s.Feature), 0, s.MissingLeft)
}

// makeSlots finds the slots of the tests of a forest.
func (w *walks) makeSlots(f *model.Forest) map[model.Split]uint32 {
	slots := map[model.Split]uint32{}
	byFeature := map[int]*members{}
	for n := range f.AllNodes() {
		split := alike(n.Split())
		if _, known := slots[split]; known {
			continue
		}
		if split.Set() == nil {
			slots[split] = uint32(len(w.slots))
			w.slots = append(w.slots, slot{int(split.Feature), !split.MissingLeft})
			continue
		}
		m := byFeature[int(split.Feature)]
		if m == nil {
			m = &members{feature: int(split.Feature)}
			byFeature[m.feature] = m
			w.members = append(w.members, m)
		}
		m.splits = append(m.splits, split)
		slots[split] = 0 // until all numeric ones are known
	}
	next := len(w.slots)
	for _, m := range w.members {
		m.first = next
		for i, split := range m.splits {
			slots[split] = uint32(next + i)
		}
		m.answer()
		next += 8 * m.bytes()
	}
	return slots
}

// slotCount is the number of slots.
func (w *walks) slotCount() int {
	n := len(w.slots)
	for _, m := range w.members {
		n += 8 * m.bytes()
	}
	return n
}

// answer finds the answers of all codes to the tests.
func (m *members) answer() {
	m.tests = len(m.splits)
	for _, split := range m.splits {
		for code := range 256 {
			if split.Set().Has(code) {
				m.codes = max(m.codes, code+1)
			}
		}
	}
	bytes := m.bytes()
	m.right = slices.Repeat([]uint8{255}, (m.codes+1)*bytes)
	for i, split := range m.splits {
		for code := range m.codes {
			if split.Set().Has(code) {
				m.right[code*bytes+i/8] &^= 1 << (i % 8)
			}
		}
	}
	m.splits = nil
}

func (m *members) bytes() int { return (m.tests + 7) / 8 }

// keysOf is the keys of the answers of a byte.
var keysOf = func() (keys [256][8]uint64) {
	for bits := range keys {
		for i := range keys[bits] {
			keys[bits][i] = -uint64(bits >> i & 1)
		}
	}
	return keys
}()

// load writes the keys of the answers for a value of the feature.
func (m *members) load(x float64, keys []uint64) {
	code := 0
	if x == x {
		code = min(int(x), m.codes)
	}
	keys = keys[m.first:]
	for i, bits := range m.right[code*m.bytes():][:m.bytes()] {
		*(*[8]uint64)(keys[8*i:]) = keysOf[bits]
	}
}
