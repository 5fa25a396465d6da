package export

import (
	"encoding/binary"
	"math"
)

// message is a protobuf message in wire format. ONNX needs so little of it that a library would
// only enlarge libaoso.so.
type message []byte

// The wire types.
const (
	wireVarint = 0
	wireBytes  = 2
)

func (m *message) tag(field, wire int) {
	*m = binary.AppendUvarint(*m, uint64(field<<3|wire))
}

func (m *message) integer(field int, v int64) {
	m.tag(field, wireVarint)
	*m = binary.AppendUvarint(*m, uint64(v))
}

func (m *message) text(field int, s string) {
	m.tag(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(s)))
	*m = append(*m, s...)
}

// message adds a message within m.
func (m *message) message(field int, fill func(*message)) {
	var inner message
	fill(&inner)
	m.text(field, string(inner))
}

// integers adds a packed list.
func (m *message) integers(field int, v []int64) {
	m.message(field, func(m *message) {
		for _, x := range v {
			*m = binary.AppendUvarint(*m, uint64(x))
		}
	})
}

// doubles adds a packed list.
func (m *message) doubles(field int, v []float64) {
	m.message(field, func(m *message) {
		for _, x := range v {
			*m = binary.LittleEndian.AppendUint64(*m, math.Float64bits(x))
		}
	})
}
