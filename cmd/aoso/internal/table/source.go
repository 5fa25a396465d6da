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

// source hands out the lines of a text, and knows where it is for the errors.
type source struct {
	name   string
	r      *bufio.Reader
	packed *compression // nil: the text is plain
	line   int          // the line last returned, from 1
	long   []byte       // a line that outgrew r's buffer

	taken, most float64 // bytes of memory
	again       *rereader
	limits      Limits
	read        int64 // bytes of the file
}

// share is how much of the machine's memory a table may take: whoever reads it
// wants to do something with it.
const share = 0.75

const bom = "\xef\xbb\xbf"

func open(r io.Reader, name string, limits Limits) (*source, error) {
	s := &source{name: name, most: share * mem.Plannable(), again: &rereader{}, limits: limits}
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
		s.r.Discard(len(bom)) // programs that add one do so each time
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

// lineEnds is a reader of a text whose lines end in carriage returns alone, as on
// old Macs. It turns them into line feeds.
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

// next returns the next line without its end, valid until the next call; io.EOF comes after the last.
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

// take counts memory that the table is going to take, and refuses more than
// the machine has: Go ends a program that runs out of it.
func (s *source) take(bytes int) error {
	s.taken += float64(bytes)
	const growing = 3 // a buffer that grows to twice its size
	if s.taken+growing*float64(s.again.read.Cap()) <= min(s.most, s.allowed()) {
		return nil
	}
	return s.tooMuch(s.line)
}

func (s *source) tooMuch(line int) error {
	if allowed := s.allowed(); allowed < s.most {
		return &Error{File: s.name, Line: line, Msg: fmt.Sprintf("the data up to here take more than %.3g GB, which is too much for the first %d bytes of the file; --max-ratio allows more", allowed/1e9, s.read)}
	}
	return &Error{File: s.name, Line: line, Msg: fmt.Sprintf("the data up to here take more than %.3g GB, %d %% of the memory there is", s.most/1e9, int(100*share))}
}

// append returns the append that takes memory.
func (s *source) append(dst, b []byte) ([]byte, error) {
	if more := len(dst) + len(b); more > cap(dst) {
		if s.take(2*more) != nil {
			return dst, s.tooMuch(s.line + 1) // not at its end
		}
		s.taken -= float64(cap(dst))
		dst = append(make([]byte, 0, 2*more), dst...)
	}
	return append(dst, b...), nil
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

// errorf blames the file as a whole.
func (s *source) errorf(format string, args ...any) error {
	return &Error{File: s.name, Msg: fmt.Sprintf(format, args...)}
}

// noRows blames a file that has no rows.
func (s *source) noRows(msg string) error {
	return &Error{File: s.name, Msg: msg, Err: ErrNoRows}
}
