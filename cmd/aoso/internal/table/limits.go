package table

import (
	"cmp"
	"errors"
	"fmt"
	"io"
)

// Limits bound the memory that a file takes, as files may come from anyone. 0 is the default.
type Limits struct {
	Line  int // bytes of a line, or of a CSV record with line ends in quotes
	Cell  int // bytes of a cell, unless its column is left out
	Ratio int // bytes in memory, and uncompressed bytes, for each byte of the file, beyond the first FreeBytes
}

// The default limits. A number has at least two characters in a file, and takes up to 24 bytes of memory while its column grows. A category
// takes more than 100 bytes.
const (
	DefaultLine   = 1 << 26
	DefaultCell   = 1 << 20
	DefaultRatio  = 100  // of plain text
	DefaultPacked = 1000 // of compressed files, Parquet and Arrow IPC
	FreeBytes     = 1 << 28
)

// Check checks the limits.
func (l *Limits) Check() error {
	for _, one := range []struct {
		name  string
		value int
	}{{"max_line", l.Line}, {"max_cell", l.Cell}, {"max_ratio", l.Ratio}} {
		if one.value < 0 {
			return fmt.Errorf("%s is %d; allowed: at least 1, or 0 for the default", one.name, one.value)
		}
	}
	return nil
}

// Bytes returns the memory in bytes that this many bytes of a file may take.
func (l *Limits) Bytes(ofFile int64, packed bool) float64 {
	ratio := DefaultRatio
	if packed {
		ratio = DefaultPacked
	}
	return FreeBytes + float64(cmp.Or(l.Ratio, ratio))*float64(ofFile)
}

// MaxCell returns the limit of a cell.
func (l *Limits) MaxCell() int { return cmp.Or(l.Cell, DefaultCell) }

// allowed returns the memory in bytes that the part of the file read so far may take.
func (s *source) allowed() float64 { return s.limits.Bytes(s.read, s.packed != nil) }

// checkLine checks the length of a line, or of a part of it.
func (s *source) checkLine(length, line int) error {
	if most := cmp.Or(s.limits.Line, DefaultLine); length > most {
		return &Error{File: s.name, Line: line, Msg: fmt.Sprintf("the line is longer than %d bytes; --max-line allows more", most)}
	}
	return nil
}

// cellTooLong returns the message for a cell above the limit; "" if it is within.
func (s *source) cellTooLong(b []byte) string {
	if most := s.limits.MaxCell(); len(b) > most {
		return fmt.Sprintf("a cell has %d bytes; allowed: at most %d, unless --max-cell allows more", len(b), most)
	}
	return ""
}

// errUnpacked is the error if compressed data unpack to more than the limit.
var errUnpacked = errors.New("unpacked, the data are too large for the size of the file")

// bounded reads unpacked data, up to the limit.
type bounded struct {
	io.Reader
	s        *source
	unpacked float64 // bytes
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.unpacked > b.s.allowed() {
		return 0, errUnpacked
	}
	n, err := b.Reader.Read(p)
	b.unpacked += float64(n)
	return n, err
}
