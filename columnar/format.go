package columnar

import (
	"bytes"
	"unsafe"
)

// Format is a file format.
type Format uint8

// The formats that FormatOf tells apart.
const (
	Unknown Format = iota
	Parquet
	ArrowFile   // of Arrow IPC, also known as Feather
	ArrowStream // of Arrow IPC, for pipes
)

// magicBytes is how many of the first bytes of a file tell its format.
const magicBytes = 8

// FormatOf returns the format of a file that starts with the given bytes, of which it
// looks at the first 8.
func FormatOf(start []byte) Format {
	switch {
	case bytes.HasPrefix(start, []byte("PAR1")), bytes.HasPrefix(start, []byte("PARE")):
		return Parquet
	case bytes.HasPrefix(start, []byte("ARROW1")):
		return ArrowFile
	case bytes.HasPrefix(start, []byte("\xff\xff\xff\xff")):
		return ArrowStream
	}
	return Unknown
}

// bytesOf returns the bytes of a text, which must not be changed.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
