// Package terminal escapes text from untrusted sources, such as names in data
// files, so that it cannot send control sequences to a terminal.
package terminal

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Plain returns s with every unprintable character escaped, as in \x1b.
func Plain(s string) string {
	return string(appendPlain(nil, []byte(s), ""))
}

// appendPlain appends text to dst and escapes the unprintable characters that
// are not in keep.
func appendPlain(dst, text []byte, keep string) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, `\x`...)
			dst = append(dst, "0123456789abcdef"[text[0]>>4], "0123456789abcdef"[text[0]&15])
		case strconv.IsPrint(r) || strings.ContainsRune(keep, r):
			dst = append(dst, text[:n]...)
		default:
			quoted := strconv.AppendQuoteRune(nil, r)
			dst = append(dst, quoted[1:len(quoted)-1]...)
		}
		text = text[n:]
	}
	return dst
}

// Writer escapes text like Plain, except newlines and tabs, and writes it to
// Terminal.
type Writer struct {
	Terminal io.Writer
	rest     []byte // first bytes of a character that is not yet complete
}

func (w *Writer) Write(b []byte) (int, error) {
	text := append(w.rest, b...)
	end := len(text)
	for i := max(0, end-utf8.UTFMax+1); i < end; i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			end = i
			break
		}
	}
	w.rest = append([]byte(nil), text[end:]...)
	if _, err := w.Terminal.Write(appendPlain(nil, text[:end], "\n\t")); err != nil {
		return 0, err
	}
	return len(b), nil
}
