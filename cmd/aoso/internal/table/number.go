package table

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// kind is the kind of a cell.
type kind uint8

const (
	numeric kind = iota
	missing
	mark // a missing value in a column of numbers, otherwise a string
	tooLarge
	text
)

// number reads a trimmed cell. The value is NaN unless the cell is a number or an infinity.
func number(b []byte) (float64, kind) {
	var i, digits, scale int
	var m uint64
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		i = 1
	}
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		m = m*10 + uint64(b[i]-'0')
		digits++
	}
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && b[i]-'0' <= 9; i++ {
			m = m*10 + uint64(b[i]-'0')
			digits++
			scale++
		}
	}
	// Both operands are exact, so the division rounds once, correctly.
	if i == len(b) && digits > 0 && digits <= 19 && m < 1<<53 {
		v := float64(m) / pow10[scale]
		if negative {
			v = -v
		}
		return v, numeric
	}
	return slowNumber(b)
}

// pow10 has the powers of ten for all numbers of digits in number. All are exact.
var pow10 = [20]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

func slowNumber(b []byte) (float64, kind) {
	if isMissing(b) {
		return math.NaN(), missing
	}
	if isMark(b) {
		return math.NaN(), mark
	}
	word := b
	if b[0] == '+' || b[0] == '-' {
		word = b[1:]
	}
	switch {
	case bytes.EqualFold(word, []byte("inf")), bytes.EqualFold(word, []byte("infinity")):
		return math.Inf(1 - 2*bytes.Count(b, []byte("-"))), numeric
	case len(bytes.Trim(b, "0123456789+-.eE")) > 0: // ParseFloat would accept hexadecimal numbers and underscores
		return math.NaN(), text
	}
	v, err := strconv.ParseFloat(string(b), 64)
	switch {
	case err == nil:
		return v, numeric
	case math.IsInf(v, 0):
		return math.NaN(), tooLarge
	}
	return math.NaN(), text
}

func isMissing(b []byte) bool {
	switch len(b) {
	case 0:
		return true
	case 1:
		return b[0] == '?'
	case 2:
		return bytes.EqualFold(b, []byte("na"))
	case 3:
		return bytes.EqualFold(b, []byte("nan"))
	case 4:
		return bytes.EqualFold(b, []byte("null"))
	}
	return false
}

// isMark reports whether a cell marks a missing value as other programs do: the marks of pandas, a minus, and the point of SAS.
func isMark(b []byte) bool {
	switch string(b) {
	case "-", ".", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "None", "NaT", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN":
		return true
	}
	return false
}

// complaint returns the message for a cell that is not a number.
func complaint(b []byte, k kind) string {
	if k == tooLarge {
		return quote(b) + " is beyond the range of numbers"
	}
	return quote(b) + " is not a number (numbers, or empty / NA / NaN / ? for missing)"
}

// missingLabel returns the message for a missing label.
func missingLabel(b []byte) string {
	if len(b) == 0 {
		return "the label is missing"
	}
	return "the label is missing (" + quote(b) + " stands for a missing value; --text-labels takes it as a class)"
}

// notText returns the message for a name or label that is not text; "" if it is.
func notText(b []byte) string {
	switch {
	case !utf8.Valid(b):
		return quote(b) + " is not text in UTF-8"
	case bytes.IndexByte(b, 0) >= 0:
		return quote(b) + " has a zero byte"
	}
	return ""
}

// quote returns the beginning of b in quotes, with escapes for bytes that are not text.
func quote[T string | []byte](b T) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q...", string(b[:most]))
	}
	return fmt.Sprintf("%q", string(b))
}
