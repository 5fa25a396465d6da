// Package modelio is the container of files of models, datasets and trainings: a
// header that a person can read, then raw arrays that can be used in place
// from mapped memory. It knows nothing about what the arrays mean.
//
// All numbers are little-endian. Every section is padded to a multiple of 64
// bytes, so each array is aligned for any vector load and the file's length
// is a multiple of 64.
//
//	offset  size  content
//	0       8     magic "AOSO\r\n\x1a\n"
//	8       4     format version, uint32
//	12      4     CRC-32C, uint32, of everything else before the first array
//	16      8     length H of the header with its padding, uint64
//	24      8     length of the file, uint64
//	32      H     header: JSON, spaces, one newline
//	32+H          the arrays in the header's order, each followed by zeros
//
// The header:
//
//	{
//	  "format": "aoso-model",  (or "aoso-dataset", "aoso-training")
//	  "version": 1,
//	  "meta": {what the caller gave},
//	  "arrays": [
//	    {"name":"feature","type":"i32","count":123,"packed":57,"offset":4096,"crc32c":"89abcdef"}
//	  ]
//	}
//
// Offsets count from the start of the file; the types are i8, u8, u16, i32,
// u32, i64, u64, f32 and f64. An array with "packed" has that many bytes in the
// file, in the form that the package pack describes. The type str is a list of
// names, which is always packed. Unpacked, the arrays of a file have at most 32 times its bytes. Only those of models
// are packed, but for lists of names. The bytes of an array are covered by its own CRC-32C, the padding by the rule
// that it is zero, so no bit of a file can change unnoticed. The checksums guard
// against accidents, not malice.
package modelio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/libaoso/aoso/internal/pack"
)

const (
	magic      = "AOSO\r\n\x1a\n"
	prefixSize = 32
	alignment  = 64
	maxHeader  = MaxHeader
)

// MaxHeader is the most bytes of a file's header.
const MaxHeader = 64 << 20

// Kind is what a file holds.
type Kind string

// The kinds of files.
const (
	Model    Kind = "model"
	Dataset  Kind = "dataset"
	Training Kind = "training" // that is under way
)

func (k Kind) format() string { return "aoso-" + string(k) }

// formatVersion is the version of the files that this build writes, and the newest that it reads.
const formatVersion = 1

// What can be wrong with a file. The errors returned are these and add the
// particulars.
var (
	ErrForeign   = errors.New("not an aoso file of the kind")
	ErrNewer     = errors.New("file is of a newer format")
	ErrTruncated = errors.New("file is truncated")
	ErrCorrupt   = errors.New("file is corrupt")
)

// foreign is an ErrForeign that names the kind.
type foreign string

func (f foreign) Error() string      { return string(f) }
func (foreign) Is(target error) bool { return target == ErrForeign }

func (k Kind) foreign(where string, args ...any) error {
	return foreign(fmt.Sprintf("not an aoso %s file"+where, append([]any{k}, args...)...))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// arrayInfo is an array's entry in the header.
type arrayInfo struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Count  uint64 `json:"count"`
	Packed uint64 `json:"packed,omitempty"` // bytes; 0: it is not packed
	Offset uint64 `json:"offset"`
	CRC    string `json:"crc32c"`
}

// size returns the number of bytes of the array in the file.
func (a *arrayInfo) size() uint64 {
	if a.Packed > 0 {
		return a.Packed
	}
	return a.Count * typeSize(a.Type)
}

// unpacked returns the number of bytes that the array takes in memory, if data is it in the file: for a name, 16 and its text.
func (a *arrayInfo) unpacked(data []byte) uint64 {
	if a.Type == listOfNames {
		return 16*a.Count + pack.NamesSize(data[:a.Packed])
	}
	return a.Count * typeSize(a.Type)
}

// maxUnpacked is how many bytes the arrays of a file take when they are unpacked, for each byte of the file, so that a
// small file cannot ask for much memory. Writers lengthen the code of arrays that are packed more densely.
const maxUnpacked = 32

func checksum(data []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(data, castagnoli))
}

// headCRC returns the checksum of head, prefix and header, less its own field.
func headCRC(head []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:12], castagnoli), castagnoli, head[16:])
}

func align(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

// checkPrefix tells from its first bytes whether data, the start of a file,
// can be a file of the kind that this build reads.
func (k Kind) checkPrefix(data []byte) error {
	start := string(data[:min(len(data), len(magic))])
	switch {
	case len(data) == 0:
		return fmt.Errorf("%w: it is empty (0 bytes)", ErrTruncated)
	case strings.HasPrefix(start, "AOSO") && !strings.HasPrefix(magic, start):
		return k.foreign(" any more: it begins with %q, as after a transfer in text mode", start)
	case !strings.HasPrefix(magic, start):
		return k.foreign(": it begins with %q", start)
	case len(data) < prefixSize:
		return fmt.Errorf("%w: it has %d bytes and should have at least %d", ErrTruncated, len(data), prefixSize)
	}
	switch v := binary.LittleEndian.Uint32(data[8:]); {
	case v == 0:
		return corrupt("format version 0 does not exist")
	case v > formatVersion:
		return fmt.Errorf("%w: it has version %d and this build of aoso reads up to version %d; please update aoso", ErrNewer, v, formatVersion)
	}
	return nil
}

func corrupt(where string, args ...any) error {
	return fmt.Errorf("%w: "+where, append([]any{ErrCorrupt}, args...)...)
}
