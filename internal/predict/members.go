package predict

import (
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

// members evaluates the tests of a categorical feature for a single row. The results of the tests are keys in adjacent slots.
type members struct {
	feature int
	first   int         // slot of the first test
	sets    []model.Set // by test: the codes that go left
	codes   int         // no set has this code or a higher one
	right   []uint8     // by code, missing values being 0, and last for all higher codes: a bit for each test, set if the row goes right
}

// categoricalKey is the key of a branch that tests a category. The results of tests are below it for left (0), and above it for right (all ones).
const categoricalKey = 1 << 63

// member is a test of a categorical feature.
type member struct {
	feature int32
	set     model.Set
}

// addMembers adds the tests of categorical features, and returns the slot of each. These slots precede the slots of numeric features.
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
		slots[test] = uint32(len(m.sets)) // m.first is added below
		m.sets = append(m.sets, test.set)
	}
	for _, m := range w.members {
		m.first = w.memberSlots
		w.memberSlots += 8 * m.bytes()
		m.evaluate()
	}
	for test := range slots {
		slots[test] += uint32(byFeature[test.feature].first)
	}
	return slots
}

// evaluate evaluates the tests for all codes.
func (m *members) evaluate() {
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

// bytes returns the number of bytes of m.right for a code.
func (m *members) bytes() int { return (len(m.sets) + 7) / 8 }

// keysOf has the keys of the eight results in a byte of members.right.
var keysOf = func() (keys [256][8]uint64) {
	for bits := range keys {
		for i := range keys[bits] {
			keys[bits][i] = -uint64(bits >> i & 1)
		}
	}
	return keys
}()

// load writes the results of the tests for a value of the feature to their slots of keys.
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
