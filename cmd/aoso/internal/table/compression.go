package table

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// compression is a format of compressed data, which its first bytes tell.
type compression struct {
	name   string
	magic  string
	reader func(io.Reader) (io.Reader, error)
}

var compressions = []compression{
	{"gzip", "\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"Zstandard", "\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) // with no goroutine to end
	}},
	{"bzip2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"xz", "\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }},
}

// magicBytes is the most first bytes that tell a format.
const magicBytes = 6

// compressionOf is the format of data that begin with these bytes; nil: none.
func compressionOf(start []byte) *compression {
	for i := range compressions {
		if bytes.HasPrefix(start, []byte(compressions[i].magic)) {
			return &compressions[i]
		}
	}
	return nil
}

// IsCompressed tells whether a file is compressed.
func IsCompressed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, magicBytes)
	n, _ := io.ReadFull(f, start)
	return compressionOf(start[:n]) != nil
}

// otherFormat is a format of files that are no text, by their first bytes; "": none
// is known.
func otherFormat(start []byte) string {
	for magic, name := range map[string]string{
		"PK\x03\x04": "a zip archive or a workbook", "FEA1": "a Feather file of version 1", "\x89HDF": "an HDF5 file",
		"PAR1": "a compressed Parquet file", "ARROW1": "a compressed Arrow IPC file", "AOSO": "a model or dataset file of aoso",
	} {
		if bytes.HasPrefix(start, []byte(magic)) {
			return name
		}
	}
	return ""
}

// endsEarly tells whether an error says that compressed data are cut off.
func endsEarly(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}
