package modelio

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/libaoso/aoso/internal/pack"
)

// Writer collects the content of a file.
type Writer struct {
	kind   Kind
	meta   []byte // compact JSON
	arrays []arrayInfo
	data   [][]byte
	groups []int // by array: see AddGroups
	err    error
}

// NewWriter returns a Writer without arrays. meta is any value that encoding/json can encode.
func NewWriter(kind Kind, meta any) *Writer {
	w := &Writer{kind: kind}
	w.meta, w.err = marshal(meta)
	return w
}

// Add appends an array. It does not copy data, which must not change before the last WriteTo or Hash.
func Add[T Element](w *Writer, name string, data []T) { AddGroups(w, name, data, 1) }

// AddGroups is Add for data that consist of groups of this many elements, such as the values of a leaf. Groups help to pack the array.
func AddGroups[T Element](w *Writer, name string, data []T, group int) {
	w.add(name, typeName[T](), encode(data, bigEndian), len(data), group)
}

func (w *Writer) add(name, typ string, data []byte, count, group int) {
	if name == "" || !utf8.ValidString(name) {
		w.fail(fmt.Errorf("bad array name %q", name))
	}
	for _, a := range w.arrays {
		if a.Name == name {
			w.fail(fmt.Errorf("two arrays named %q", name))
		}
	}
	w.arrays = append(w.arrays, arrayInfo{Name: name, Type: typ, Count: uint64(count), CRC: checksum(data)})
	w.data = append(w.data, data)
	w.groups = append(w.groups, group)
}

// AddNames appends a list of names.
func AddNames(w *Writer, name string, names []string) {
	code := pack.Names(names)
	w.add(name, listOfNames, code, len(names), 1)
	w.arrays[len(w.arrays)-1].Packed = uint64(len(code))
}

// WritePacked writes the file. It packs the arrays that become shorter.
func (w *Writer) WritePacked(out io.Writer) (int64, error) {
	p := *w
	p.arrays, p.data = slices.Clone(w.arrays), slices.Clone(w.data)
	for i := range p.arrays {
		if p.arrays[i].Packed > 0 {
			continue
		}
		if code := pack.Pack(p.arrays[i].Type, p.data[i], p.groups[i]); code != nil && align(uint64(len(code))) < align(p.arrays[i].size()) {
			p.data[i], p.arrays[i].Packed, p.arrays[i].CRC = code, uint64(len(code)), checksum(code)
		}
	}
	return p.WriteTo(out)
}

// Err returns the first error in the meta and the names of arrays.
func (w *Writer) Err() error { return w.err }

func (w *Writer) fail(err error) { w.err = cmp.Or(w.err, err) }

// lengthened returns the content with zeros after the code of the largest packed array, as many as the file needs to have a byte for every
// maxUnpacked bytes of its unpacked arrays. head is the size of prefix and header.
func (w *Writer) lengthened(head int) *Writer {
	largest, most, size, unpacked := -1, uint64(0), uint64(head), uint64(0)
	for i := range w.arrays {
		a := &w.arrays[i]
		own := a.unpacked(w.data[i])
		size, unpacked = size+align(a.size()), unpacked+own
		if a.Packed > 0 && own > most {
			largest, most = i, own
		}
	}
	due := (unpacked + maxUnpacked - 1) / maxUnpacked
	if due <= size {
		return w
	}
	l := *w
	l.arrays, l.data = slices.Clone(w.arrays), slices.Clone(w.data)
	code := slices.Clip(l.data[largest])
	code = append(code, make([]byte, align(uint64(len(code)))-uint64(len(code))+due-size)...)
	l.data[largest], l.arrays[largest].Packed, l.arrays[largest].CRC = code, uint64(len(code)), checksum(code)
	return &l
}

// WriteTo writes the file. Equal content gives equal bytes.
func (w *Writer) WriteTo(out io.Writer) (int64, error) {
	head, err := w.head()
	if longer := w.lengthened(len(head)); err == nil && longer != w {
		w = longer
		head, err = w.head()
	}
	if err != nil {
		return 0, err
	}
	var total int64
	write := func(b []byte) {
		if err == nil && len(b) > 0 {
			var n int
			n, err = out.Write(b)
			total += int64(n)
		}
	}
	write(head)
	var zeros [alignment]byte
	for _, b := range w.data {
		size := uint64(len(b))
		write(b)
		write(zeros[:align(size)-size])
	}
	return total, err
}

// head returns everything that precedes the arrays.
func (w *Writer) head() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	// The offsets depend on the length of the header, which depends on the number of digits of the offsets. The length only grows from one
	// attempt to the next, so the loop ends.
	for start := uint64(0); ; {
		end := start
		for i := range w.arrays {
			w.arrays[i].Offset = end
			end += align(w.arrays[i].size())
		}
		head, err := w.render()
		if err != nil {
			return nil, err
		}
		if uint64(len(head)) == start {
			if start-prefixSize > maxHeader {
				return nil, fmt.Errorf("the header has %d bytes and may have at most %d", start-prefixSize, maxHeader)
			}
			binary.LittleEndian.PutUint64(head[24:], end)
			binary.LittleEndian.PutUint32(head[12:], headCRC(head))
			return head, nil
		}
		start = uint64(len(head))
	}
}

// render returns prefix and header, with a line for each array. The file's length and the checksum are 0.
func (w *Writer) render() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(magic)
	b.Write(binary.LittleEndian.AppendUint32(nil, formatVersion))
	b.Write(make([]byte, prefixSize-b.Len()))
	fmt.Fprintf(&b, "{\n  \"format\": %q,\n  \"version\": %d,\n  \"meta\": ", w.kind.format(), formatVersion)
	if err := json.Indent(&b, w.meta, "  ", "  "); err != nil {
		return nil, err
	}
	b.WriteString(",\n  \"arrays\": [")
	separator := "\n    "
	for _, a := range w.arrays {
		line, err := marshal(a)
		if err != nil {
			return nil, err
		}
		b.WriteString(separator)
		b.Write(line)
		separator = ",\n    "
	}
	b.WriteString("\n  ]\n}")
	size := uint64(b.Len() + 1)
	b.Write(bytes.Repeat([]byte(" "), int(align(size)-size)))
	b.WriteByte('\n')
	head := b.Bytes()
	binary.LittleEndian.PutUint64(head[16:], uint64(len(head)-prefixSize))
	return head, nil
}

// Hash returns the SHA-256 of the content: the compact JSON of the meta, then the name, type, count and bytes of each array, in the order of
// Add. It depends neither on the format version nor on the machine. The caller must check Err before.
func (w *Writer) Hash() (sum [32]byte) {
	h := sha256.New()
	number := func(n uint64) { h.Write(binary.LittleEndian.AppendUint64(nil, n)) }
	text := func(b []byte) {
		number(uint64(len(b)))
		h.Write(b)
	}
	text(w.meta)
	for i, a := range w.arrays {
		text([]byte(a.Name))
		text([]byte(a.Type))
		number(a.Count)
		h.Write(w.data[i])
	}
	h.Sum(sum[:0])
	return sum
}

// marshal is json.Marshal without escapes for <, > and &.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
