package predict

import (
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// members evaluates the tests of a categorical feature. The keys of the answers are adjacent.
type members struct {
	feature int
	first   int         // slot of the first test
	sets    []model.Set // by test: the codes that go left
	codes   int         // all codes from here on have the same answers
	right   []uint8     // by code, 0 for missing, and last for all others: a bit for each test, set if the row goes right
}

// categoricalKey is compared with the key of an answer: 0 is left, all ones is right.
const categoricalKey = 1 << 63

// member is a test of a categorical feature.
type member struct {
	feature int32
	set     model.Set
}

// addMembers gives each test of a categorical feature a slot, before those of
// numeric ones.
func (w *walks) addMembers(f *model.Forest) map[member]uint32 {
	slots, byFeature := map[member]uint32{}, map[int32]*members{}
	for n := range f.AllNodes() {
		split := n.Split()
		if split.Set() == nil {
			continue
		}
		test := member{split.Feature, *split.Set()}
		if _, known := slots[test]; known {
			continue
		}
		m := byFeature[split.Feature]
		if m == nil {
			m = &members{feature: int(split.Feature)}
			byFeature[split.Feature] = m
			w.members = append(w.members, m)
		}
		slots[test] = uint32(len(m.sets)) // after m.first
		m.sets = append(m.sets, test.set)
	}
	for _, m := range w.members {
		m.first = w.memberSlots
		w.memberSlots += 8 * m.bytes()
		m.answer()
	}
	for test := range slots {
		slots[test] += uint32(byFeature[test.feature].first)
	}
	return slots
}

// answer evaluates the tests for all codes.
func (m *members) answer() {
	for i := range m.sets {
		for code := range 256 {
			if m.sets[i].Has(code) {
				m.codes = max(m.codes, code+1)
			}
		}
	}
	m.right = slices.Repeat([]uint8{255}, (m.codes+1)*m.bytes())
	for i := range m.sets {
		for code := range m.codes {
			if m.sets[i].Has(code) {
				m.right[code*m.bytes()+i/8] &^= 1 << (i % 8)
			}
		}
	}
}

func (m *members) bytes() int { return (len(m.sets) + 7) / 8 }

// keysOf holds the keys of the answers of each byte.
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
