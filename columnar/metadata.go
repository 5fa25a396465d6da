package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
)

// arrow-go trusts the lengths in the schema of an IPC file or stream and allocates
// as much as they say. The checks here are made before: a schema cannot have more
// fields than bytes.

// mostMetadata is the most bytes that the schema of an IPC file or stream may take.
const mostMetadata = 1 << 26

// newStreamReader reads a stream of this many bytes, whose schema it checks first.
func newStreamReader(r io.Reader, length int64) (*ipc.Reader, error) {
	var start bytes.Buffer
	if _, err := io.CopyN(&start, r, 8); err != nil {
		return nil, truncated(err)
	}
	size := binary.LittleEndian.Uint32(start.Bytes()[4:])
	if size > mostMetadata {
		return nil, fmt.Errorf("the schema takes %d bytes; allowed: at most %d", size, mostMetadata)
	}
	if _, err := io.CopyN(&start, r, int64(size)); err != nil {
		return nil, truncated(err)
	}
	const header, schema = 8, 1 // the place of the header in a message, and its type
	message := root(start.Bytes()[8:])
	if kind := message.GetByteSlot(6, 0); kind != schema {
		return nil, errors.New("the stream does not begin with a schema")
	}
	if err := checkSchema(message, header); err != nil {
		return nil, err
	}
	return ipc.NewReader(io.MultiReader(&start, r), ipcOptions(length)...)
}

func truncated(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the file ends early: it is truncated")
	}
	return err
}

// checkFooter checks the schema in the footer of a file: the footer, its length in
// 4 bytes, and 6 bytes of magic are the end of the file.
func checkFooter(r ipc.ReadAtSeeker) error {
	const length, magic, schema = 4, 6, 6 // schema: its place in the footer
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	end := make([]byte, length+magic)
	if _, err := r.ReadAt(end, size-int64(len(end))); err != nil || !bytes.Equal(end[length:], ipc.Magic) {
		return errors.New("the end of the file is not that of an Arrow IPC file: it is truncated or damaged")
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if n > size-int64(len(end)) || n > mostMetadata || n < 8 {
		return fmt.Errorf("the footer claims to take %d bytes: the file is damaged", n)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-int64(len(end))-n); err != nil {
		return err
	}
	return checkSchema(root(footer), schema)
}

// root returns the table that is the root of a flatbuffer.
func root(b []byte) *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
}

// checkSchema checks the schema at a place of a table.
func checkSchema(t *flatbuffers.Table, place flatbuffers.VOffsetT) error {
	o := t.Offset(place)
	if o == 0 {
		return errors.New("there is no schema")
	}
	const fields, metadata = 6, 8
	c := &lengths{left: len(t.Bytes) / 4}
	schema := child(t, t.Pos+flatbuffers.UOffsetT(o))
	if err := c.take(schema, metadata); err != nil {
		return err
	}
	return c.fields(schema, fields, 0)
}

// child returns the table that an offset leads to.
func child(t *flatbuffers.Table, at flatbuffers.UOffsetT) *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}
}

// lengths counts the elements of all vectors, of which this many are left.
type lengths struct{ left int }

// take counts the elements of a vector.
func (c *lengths) take(t *flatbuffers.Table, place flatbuffers.VOffsetT) error {
	o := t.Offset(place)
	if o == 0 {
		return nil
	}
	if n := t.VectorLen(flatbuffers.UOffsetT(o)); n > c.left {
		return fmt.Errorf("the schema claims to have %d elements in a list: the file is damaged", n)
	} else {
		c.left -= n
	}
	return nil
}

// fields checks a vector of fields.
func (c *lengths) fields(t *flatbuffers.Table, place flatbuffers.VOffsetT, depth int) error {
	const mostDepth = 64
	if depth > mostDepth {
		return fmt.Errorf("the schema has columns nested deeper than %d", mostDepth)
	}
	if err := c.take(t, place); err != nil {
		return err
	}
	o := flatbuffers.UOffsetT(t.Offset(place))
	if o == 0 {
		return nil
	}
	const typeOf, union, children, metadata = 10, 14, 14, 16
	first := t.Vector(o)
	for i := range t.VectorLen(o) {
		field := child(t, first+flatbuffers.UOffsetT(4*i))
		if err := c.take(field, metadata); err != nil {
			return err
		}
		if at := field.Offset(typeOf); at != 0 && field.GetByteSlot(8, 0) == union {
			const typeIDs = 6
			if err := c.take(child(field, field.Pos+flatbuffers.UOffsetT(at)), typeIDs); err != nil {
				return err
			}
		}
		if err := c.fields(field, children, depth+1); err != nil {
			return err
		}
	}
	return nil
}
