package table

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

const bufferSize = 1 << 18

// source hands out the lines of a text, and knows where it is for the errors.
type source struct {
	name   string
	r      *bufio.Reader
	zipped bool
	line   int    // the line last returned, from 1
	long   []byte // a line that outgrew r's buffer
}

func open(r io.Reader, name string) (*source, error) {
	s := &source{name: name, r: bufio.NewReaderSize(r, bufferSize)}
	if magic, _ := s.r.Peek(2); string(magic) == "\x1f\x8b" {
		s.zipped = true
		z, err := gzip.NewReader(s.r)
		if err != nil {
			return nil, s.broken(err)
		}
		s.r = bufio.NewReaderSize(z, bufferSize)
	}
	if bom, _ := s.r.Peek(3); string(bom) == "\xef\xbb\xbf" {
		s.r.Discard(3)
	}
	if head, _ := s.r.Peek(512); bytes.IndexByte(head, 0) >= 0 {
		return nil, s.errorf("is not text in UTF-8 (it has zero bytes)")
	}
	return s, nil
}

// next returns the next line without its end, valid until the next call; io.EOF comes after the last.
func (s *source) next() ([]byte, error) {
	b, err := s.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		s.long = s.long[:0]
		for err == bufio.ErrBufferFull {
			s.long = append(s.long, b...)
			b, err = s.r.ReadSlice('\n')
		}
		s.long = append(s.long, b...)
		b = s.long
	}
	switch {
	case err == nil:
		b = b[:len(b)-1]
	case err != io.EOF:
		return nil, s.broken(err)
	case len(b) == 0:
		return nil, io.EOF
	}
	s.line++
	return bytes.TrimSuffix(b, []byte{'\r'}), nil
}

// format tells LIBSVM from CSV by the first line that is neither blank nor a comment.
func (s *source) format() string {
	head, _ := s.r.Peek(bufferSize)
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte{'\n'})
		_, rest := token(line)
		second, _ := token(rest)
		if text := bytes.TrimSpace(line); len(text) == 0 || text[0] == '#' {
			continue
		}
		index, value, ok := bytes.Cut(second, []byte{':'})
		// A clock time in a CSV cell looks like index:value too, but drags the next cells along.
		if ok && len(value) > 0 && !bytes.ContainsAny(value, ",;") &&
			(string(index) == "qid" || len(bytes.Trim(index, "0123456789")) == 0 && len(index) > 0) {
			return "libsvm"
		}
		break
	}
	return "csv"
}

func (s *source) broken(err error) error {
	e := &Error{File: s.name, Line: s.line, Msg: reason(err), Err: err}
	switch {
	case s.zipped && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)):
		e.Msg = "the gzip data ends early after this line: the file is truncated"
		if s.line == 0 {
			e.Msg = "the gzip data ends early: the file is truncated"
		}
	case s.zipped:
		e.Msg = "the gzip data is damaged: " + e.Msg
	}
	return e
}

// errorf blames the file as a whole.
func (s *source) errorf(format string, args ...any) error {
	return &Error{File: s.name, Msg: fmt.Sprintf(format, args...)}
}

// noRows blames a file that has no rows.
func (s *source) noRows(msg string) error {
	return &Error{File: s.name, Msg: msg, Err: ErrNoRows}
}
