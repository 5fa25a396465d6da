package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/libaoso/aoso/internal/mem"
)

const bufferSize = 1 << 18

// source reads a text line by line, counts lines for errors, and counts memory.
type source struct {
	name   string
	r      *bufio.Reader
	packed *compression // nil: the text is plain
	line   int          // the line last returned, from 1
	long   []byte       // a line that outgrew r's buffer

	charged, budget float64 // bytes of memory
	rereader        *rereader
	limits          Limits
	read            int64 // bytes of the file
}

// share is the share of the machine's memory that a table may take. The rest is for its use.
const share = 0.75

const bom = "\xef\xbb\xbf"

// Text returns the text of a data file: unpacked, without byte order marks, and with line feeds at the ends of lines.
func Text(r io.Reader, name string, limits Limits) (io.Reader, error) {
	s, err := open(r, name, limits)
	if err != nil {
		return nil, err
	}
	return s.r, nil
}

func open(r io.Reader, name string, limits Limits) (*source, error) {
	s := &source{name: name, budget: share * mem.Plannable(), rereader: &rereader{}, limits: limits}
	s.r = bufio.NewReaderSize(&counted{r, func(bytes int) { s.read += int64(bytes) }}, bufferSize)
	start, _ := s.r.Peek(magicBytes)
	if s.packed = compressionOf(start); s.packed != nil {
		unpacked, err := s.packed.reader(s.r)
		if err != nil {
			return nil, s.broken(err)
		}
		s.r = bufio.NewReaderSize(&bounded{Reader: unpacked, s: s}, bufferSize)
	}
	if mark, _ := s.r.Peek(4); string(mark) == "\xff\xfe\x00\x00" || string(mark) == "\x00\x00\xfe\xff" {
		return nil, s.errorf("is text in UTF-32; it must be UTF-8")
	}
	if mark, _ := s.r.Peek(2); string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff" {
		return nil, s.errorf("is text in UTF-16; it must be UTF-8")
	}
	for mark, _ := s.r.Peek(len(bom)); string(mark) == bom; mark, _ = s.r.Peek(len(bom)) {
		s.r.Discard(len(bom)) // there may be several, as some programs add one each time they write the file
	}
	head, _ := s.r.Peek(bufferSize)
	if other := otherFormat(head); other != "" {
		return nil, s.errorf("is %s; allowed: CSV and LIBSVM, plain or compressed with gzip, zstd, bzip2 or xz, Parquet and Arrow IPC", other)
	}
	if bytes.IndexByte(head[:min(512, len(head))], 0) >= 0 {
		return nil, s.errorf("is not text in UTF-8 (it has zero bytes)")
	}
	if i := bytes.IndexByte(head, '\r'); i >= 0 && i < len(head)-1 && bytes.IndexByte(head, '\n') < 0 {
		s.r = bufio.NewReaderSize(&lineEnds{s.r}, bufferSize)
	}
	return s, nil
}

// lineEnds replaces carriage returns by line feeds, in a text whose lines end in carriage returns alone, as on old Macs.
type lineEnds struct{ io.Reader }

func (l *lineEnds) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	for i, c := range b[:n] {
		if c == '\r' {
			b[i] = '\n'
		}
	}
	return n, err
}

// next returns the next line without its end; io.EOF after the last. The line is valid until the next call.
func (s *source) next() ([]byte, error) {
	b, err := s.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		s.long = s.long[:0]
		for err == bufio.ErrBufferFull {
			if err := s.checkLine(len(s.long)+len(b), s.line+1); err != nil {
				return nil, err
			}
			if s.long, err = s.append(s.long, b); err != nil {
				return nil, err
			}
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
	if err := s.checkLine(len(b), s.line); err != nil {
		return nil, err
	}
	if len(b) > 0 && b[0] == bom[0] && bytes.HasPrefix(b, []byte(bom)) {
		return nil, &Error{File: s.name, Line: s.line, Msg: "a byte order mark within the file, as where two files were joined"}
	}
	return bytes.TrimSuffix(b, []byte{'\r'}), nil
}

// charge counts memory that the table will take, and returns an error if there is too little. Go would end a program that runs out of memory.
func (s *source) charge(bytes int) error {
	s.charged += float64(bytes)
	const growing = 3 // the buffer and a copy of twice its size, while it grows
	if s.charged+growing*float64(s.rereader.read.Cap()) <= min(s.budget, s.allowed()) {
		return nil
	}
	return s.tooMuch(s.line)
}

func (s *source) tooMuch(line int) error {
	if allowed := s.allowed(); allowed < s.budget {
		return &Error{File: s.name, Line: line, Msg: fmt.Sprintf("the data up to here take more than %.3g GB, which is too much for the first %d bytes of the file; --max-ratio allows more", allowed/1e9, s.read)}
	}
	return &Error{File: s.name, Line: line, Msg: fmt.Sprintf("the data up to here take more than %.3g GB, %d %% of the memory there is", s.budget/1e9, int(100*share))}
}

// append appends b to dst, and charges the memory.
func (s *source) append(dst, b []byte) ([]byte, error) {
	if more := len(dst) + len(b); more > cap(dst) {
		if s.charge(2*more) != nil {
			return dst, s.tooMuch(s.line + 1) // the line is not complete yet
		}
		s.charged -= float64(cap(dst))
		dst = append(make([]byte, 0, 2*more), dst...)
	}
	return append(dst, b...), nil
}

// format returns the format, libsvm or csv, by the first line that is neither blank nor a comment.
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
		// A time of day in a CSV cell also looks like index:value, but other cells follow in the same word.
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
	case s.packed == nil:
	case errors.Is(err, errUnpacked):
		e.Msg = fmt.Sprintf("the %s data unpack to more than %.3g GB, which is too much for the first %d bytes of the file; --max-ratio allows more", s.packed.name, s.allowed()/1e9, s.read)
	case endsEarly(err) && s.line == 0:
		e.Msg = "the " + s.packed.name + " data ends early: the file is truncated"
	case endsEarly(err):
		e.Msg = "the " + s.packed.name + " data ends early after this line: the file is truncated"
	default:
		e.Msg = "the " + s.packed.name + " data is damaged: " + e.Msg
	}
	return e
}

// errorf returns an error of the whole file.
func (s *source) errorf(format string, args ...any) error {
	return &Error{File: s.name, Msg: fmt.Sprintf(format, args...)}
}

// noRows returns the error of a file without rows.
func (s *source) noRows(msg string) error {
	return &Error{File: s.name, Msg: msg, Err: ErrNoRows}
}
