// Package terminal keeps texts that others wrote, as names in files, from
// giving orders to a terminal.
package terminal

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Plain is s with the characters escaped, as in \x1b, that do not print.
func Plain(s string) string {
	return string(appendPlain(nil, []byte(s), ""))
}

// appendPlain appends text, its characters escaped that neither print nor are
// among those to keep.
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

// Writer writes to a terminal, lines and tabs as they are and all else as
// Plain.
type Writer struct {
	Terminal io.Writer
	rest     []byte // the start of a character
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
