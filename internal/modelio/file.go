package modelio

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/libaoso/aoso/internal/pack"
)

// File is a file that Open has checked.
type File struct {
	kind   Kind
	meta   json.RawMessage
	arrays map[string]array
}

type array struct {
	arrayInfo
	data []byte // the part of the file
}

// Open checks data, which is a whole file. The File refers to data, which must not change while the File or one of its arrays is in use.
func Open(kind Kind, data []byte) (*File, error) {
	if err := kind.checkPrefix(data); err != nil {
		return nil, err
	}
	start, size, err := checkSizes(data, uint64(len(data)), false)
	if err != nil {
		return nil, err
	}
	var header struct {
		Format  string          `json:"format"`
		Version uint32          `json:"version"`
		Meta    json.RawMessage `json:"meta"`
		Arrays  json.RawMessage `json:"arrays"`
	}
	if err := json.Unmarshal(data[prefixSize:start], &header); err != nil {
		return nil, corrupt("header: %v", err)
	}
	for _, other := range []Kind{Model, Dataset, Training} {
		if other != kind && header.Format == other.format() {
			return nil, kind.foreign(": it is a %s", other)
		}
	}
	if header.Format != kind.format() || header.Version != binary.LittleEndian.Uint32(data[8:]) || header.Meta == nil {
		return nil, corrupt("header: format, version or meta is missing or wrong")
	}
	f := &File{kind: kind, meta: header.Meta, arrays: map[string]array{}}
	end, err := f.readArrays(header.Arrays, data, start)
	if err != nil {
		return nil, err
	}
	if end != size {
		return nil, corrupt("%d bytes after the last array belong to none", size-end)
	}
	return f, nil
}

// checkSizes returns the offsets at which the header and the file end, according to the prefix. data begins with prefix and header. have
// is the length of the file; it is not checked if stream is true.
func checkSizes(data []byte, have uint64, stream bool) (start, size uint64, err error) {
	headerSize := binary.LittleEndian.Uint64(data[16:])
	size = binary.LittleEndian.Uint64(data[24:])
	if headerSize > maxHeader || (prefixSize+headerSize)%alignment != 0 || prefixSize+headerSize > size {
		return 0, 0, corrupt("a header of %d bytes in a file of %d", headerSize, size)
	}
	start = prefixSize + headerSize
	switch {
	case uint64(len(data)) < start:
		return 0, 0, truncated(have, size)
	case headCRC(data[:start]) != binary.LittleEndian.Uint32(data[12:]): // the two sizes are not checked before
		return 0, 0, corrupt("the checksum of the header (bytes 0 to %d) does not match", start)
	case stream:
	case have < size:
		return 0, 0, truncated(have, size)
	case have > size:
		return 0, 0, corrupt("%d bytes follow its end at byte %d", have-size, size)
	}
	return start, size, nil
}

func truncated(have, size uint64) error {
	return fmt.Errorf("%w: it has %d bytes and should have %d", ErrTruncated, have, size)
}

// readArrays reads the arrays of list, the first at offset pos of data, and returns the offset at which the padding of the last one ends.
// It decodes one entry at a time, so that it refuses an invalid list before the list can claim much memory.
func (f *File) readArrays(list json.RawMessage, data []byte, pos uint64) (uint64, error) {
	dec := json.NewDecoder(bytes.NewReader(list))
	if t, _ := dec.Token(); t != json.Delim('[') {
		return 0, corrupt("header: there is no list of arrays")
	}
	var unpacked uint64
	limit := maxUnpacked * uint64(len(data))
	for dec.More() {
		var a arrayInfo
		if err := dec.Decode(&a); err != nil {
			return 0, corrupt("header: %v", err)
		}
		next, err := f.readArray(a, data, pos)
		if err != nil {
			return 0, err
		}
		if unpacked += a.unpacked(data[pos:next]); unpacked > limit {
			return 0, corrupt("its arrays up to %q have %d bytes when they are unpacked; allowed: %d, which is %d times the size of the file",
				a.Name, unpacked, limit, maxUnpacked)
		}
		pos = next
	}
	return pos, nil
}

func (f *File) readArray(a arrayInfo, data []byte, pos uint64) (next uint64, err error) {
	if _, double := f.arrays[a.Name]; double || a.Name == "" {
		return 0, corrupt("header: array name %q is empty or occurs twice", a.Name)
	}
	size := typeSize(a.Type)
	if size == 0 {
		return 0, corrupt("header: array %q has the unknown type %q", a.Name, a.Type)
	}
	if a.Packed > 0 && a.Type != listOfNames && f.kind != Model {
		return 0, corrupt("header: array %q is packed; allowed: packed arrays in models only", a.Name)
	}
	if a.Offset != pos {
		return 0, corrupt("header: array %q starts at byte %d instead of %d", a.Name, a.Offset, pos)
	}
	// Dividing cannot overflow; multiplying could.
	rest := uint64(len(data)) - pos
	if a.Packed == 0 && a.Count > rest/size || a.Packed > rest || a.Packed > 0 && a.Count/pack.MostPerByte > a.Packed || align(a.size()) > rest {
		return 0, corrupt("header: array %q of %d %s does not fit in the file", a.Name, a.Count, a.Type)
	}
	end := pos + a.size()
	next = align(end)
	body := data[pos:end:end]
	if checksum(body) != a.CRC {
		return 0, corrupt("the checksum of array %q (bytes %d to %d) does not match", a.Name, pos, end)
	}
	for i, b := range data[end:next] {
		if b != 0 {
			return 0, corrupt("the padding after array %q is not zero at byte %d", a.Name, end+uint64(i))
		}
	}
	f.arrays[a.Name] = array{a, body}
	return next, nil
}

// Meta decodes the meta into v as encoding/json does. A key that v does not have is an error.
func (f *File) Meta(v any) error {
	d := json.NewDecoder(bytes.NewReader(f.meta))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		return nil
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return UnknownKey(key)
	}
	return corrupt("meta: %v", err)
}

// UnknownKey returns the error for a key of the meta that this build does not know.
func UnknownKey(key string) error {
	return fmt.Errorf("%w: its header has %s, which this build of aoso does not know; please update aoso", ErrNewer, key)
}

// Read sets *dst to an array of f, see [Array].
func Read[T Element](f *File, name string, dst *[]T) (err error) {
	*dst, err = Array[T](f, name)
	return err
}

// Array returns an array of f. It may share memory with the file, so it must not be changed.
func Array[T Element](f *File, name string) ([]T, error) {
	data, err := f.array(name, typeName[T]())
	if err != nil {
		return nil, err
	}
	return decode[T](data, bigEndian), nil
}

// array returns the bytes of an array, unpacked.
func (f *File) array(name, typ string) ([]byte, error) {
	a, ok := f.arrays[name]
	if !ok {
		return nil, corrupt("there is no array %q of type %s", name, typ)
	}
	if a.Type != typ {
		return nil, corrupt("array %q has type %s instead of %s", name, a.Type, typ)
	}
	if a.Packed == 0 {
		return a.data, nil
	}
	data, ok := pack.Unpack(a.data, typ, int(a.Count))
	if !ok {
		return nil, corrupt("array %q is not packed as it should be", name)
	}
	return data, nil
}

// Names returns a list of names.
func (f *File) Names(name string) ([]string, error) {
	a, ok := f.arrays[name]
	if !ok || a.Type != listOfNames {
		return nil, corrupt("there is no array %q of type %s", name, listOfNames)
	}
	names, ok := pack.UnpackNames(a.data, int(a.Count))
	if !ok {
		return nil, corrupt("array %q is not packed as it should be", name)
	}
	return names, nil
}

// Has reports whether the file has an array.
func (f *File) Has(name string) bool {
	_, ok := f.arrays[name]
	return ok
}
