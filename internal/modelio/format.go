// Package modelio reads and writes the container of model, dataset and checkpoint files: a readable header, then raw arrays that can be used
// in place if the file is mapped. The package does not know what the arrays mean.
//
// All numbers are little-endian. Every section is padded to a multiple of 64
// bytes, so each array is aligned for any vector load and the file's length
// is a multiple of 64.
//
//	offset  size  content
//	0       8     magic "AOSO\r\n\x1a\n"
//	8       4     format version, uint32
//	12      4     CRC-32C, uint32, of all other bytes before the first array
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
//	  "meta": {the caller's object},
//	  "arrays": [
//	    {"name":"feature","type":"i32","count":123,"packed":57,"offset":4096,"crc32c":"89abcdef"}
//	  ]
//	}
//
// Offsets count from the start of the file. The types are i8, u8, u16, i32, u32, i64, u64, f32 and f64, and str for a list of names. An array
// with "packed" has that many bytes in the file, which package pack describes. Lists of names are always packed, other arrays in model files
// only. Unpacked, the arrays of a file have at most 32 times the bytes of the file.
//
// Each array has a CRC-32C, and the padding must be zero, so any change of a bit is detected. The checksums protect against accidents, not
// against malice.
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

// MaxHeader is the largest size of a header in bytes.
const MaxHeader = 64 << 20

// Kind is what a file holds.
type Kind string

// The kinds of files.
const (
	Model    Kind = "model"
	Dataset  Kind = "dataset"
	Training Kind = "training" // a checkpoint
)

func (k Kind) format() string { return "aoso-" + string(k) }

// formatVersion is the version of the files that this build writes, and the newest that it reads.
const formatVersion = 1

// The errors of this package wrap one of these if a file is unusable, and add the details.
var (
	ErrForeign   = errors.New("not an aoso file of the kind")
	ErrNewer     = errors.New("file is of a newer format")
	ErrTruncated = errors.New("file is truncated")
	ErrCorrupt   = errors.New("file is corrupt")
)

// foreign is an ErrForeign with a message that names the kind.
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
	Packed uint64 `json:"packed,omitempty"` // size in bytes; 0: it is not packed
	Offset uint64 `json:"offset"`
	CRC    string `json:"crc32c"`
}

// size returns the size of the array in the file, in bytes.
func (a *arrayInfo) size() uint64 {
	if a.Packed > 0 {
		return a.Packed
	}
	return a.Count * typeSize(a.Type)
}

// unpacked returns the size of the array in memory, in bytes. A name takes 16 bytes and its length. data is the array in the file.
func (a *arrayInfo) unpacked(data []byte) uint64 {
	if a.Type == listOfNames {
		return 16*a.Count + pack.NamesSize(data[:a.Packed])
	}
	return a.Count * typeSize(a.Type)
}

// maxUnpacked bounds the bytes of the unpacked arrays for each byte of a file, so that a small file cannot claim much memory. Writers add
// zeros to arrays that are packed more densely.
const maxUnpacked = 32

func checksum(data []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(data, castagnoli))
}

// headCRC returns the checksum of head, which is prefix and header, without the checksum's own field.
func headCRC(head []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:12], castagnoli), castagnoli, head[16:])
}

func align(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

// checkPrefix returns an error if data, the beginning of a file, cannot belong to a file of the kind that this build reads.
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
