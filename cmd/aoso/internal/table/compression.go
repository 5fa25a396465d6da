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

// compression is a format of compressed data. Its data begin with magic.
type compression struct {
	name   string
	magic  string
	reader func(io.Reader) (io.Reader, error)
}

// mostWindow is the largest window of Zstandard in bytes. The decoder has the window in memory.
const mostWindow = 1 << 27

var compressions = []compression{
	{"gzip", "\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"Zstandard", "\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		// Without goroutines, which would have to be ended, and with the window of zstd --long.
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostWindow))
	}},
	{"bzip2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"xz", "\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }},
}

// magicBytes is the number of bytes that suffice to recognise a format.
const magicBytes = 10

// compressionOf returns the format of data that begin with these bytes; nil if they are not compressed.
func compressionOf(start []byte) *compression {
	for i := range compressions {
		if c := &compressions[i]; bytes.HasPrefix(start, []byte(c.magic)) && (c.name != "bzip2" || isBzip2(start)) {
			return c
		}
	}
	return nil
}

// isBzip2 reports whether a block of bzip2, or the end of an empty file, follows the magic bytes and the level. Text may also begin with BZh.
func isBzip2(start []byte) bool {
	return len(start) < magicBytes || string(start[4:magicBytes]) == "1AY&SY" || string(start[4:magicBytes]) == "\x17rE8P\x90"
}

// IsCompressed reports whether a file is compressed.
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

// endsEarly reports whether an error says that compressed data are truncated.
func endsEarly(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}
