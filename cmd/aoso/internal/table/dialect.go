package table

import (
	"bytes"
	"fmt"
	"math"
)

// blanks is the separator if any number of blanks and tabs separate cells. squeeze replaces them by one.
const blanks = ' '

// Check checks the names in the dialect.
func (d *Dialect) Check() error {
	switch d.Decimal {
	case "", ".", ",":
	default:
		return fmt.Errorf("decimal is %q; allowed: . or ,", d.Decimal)
	}
	if d.Separator == "" || d.Separator == "space" || d.Separator == "tab" {
		return nil
	}
	if c := d.Separator[0]; len(d.Separator) > 1 || c > 126 || c < 32 && c != '\t' || '0' <= c && c <= '9' || c == '"' || c == '.' || c == '-' {
		return fmt.Errorf("separator is %q; allowed: tab, space, or one character such as ; (no letter beyond ASCII, digit, quote, point or minus)", d.Separator)
	}
	if d.Decimal == d.Separator {
		return fmt.Errorf("separator and decimal are both %q; allowed: two different characters", d.Decimal)
	}
	return nil
}

// openDialect skips the comments before the data, and returns a copy of the first lines after them.
func (p *csvParser) openDialect(d Dialect) (head []byte, err error) {
	p.comment = []byte(d.Comment)
	const most = 1 << 16
	ahead, _ := p.r.Peek(most)
	head = bytes.Clone(ahead)
	if d.Comment != "" {
		return head, nil
	}
	for range leadingComments(head) {
		if _, err := p.source.next(); err != nil {
			return nil, err
		}
		_, head, _ = bytes.Cut(head, []byte{'\n'})
	}
	return head, nil
}

// leadingComments returns the number of comments before the data, which begin with #. The last such line is a header instead if it has as
// many cells as the line after it.
func leadingComments(head []byte) (n int) {
	var line, last []byte
	for {
		line, head, _ = bytes.Cut(head, []byte{'\n'})
		if len(line) == 0 || line[0] != '#' {
			break
		}
		n, last = n+1, line
	}
	if n == 0 || len(line) == 0 {
		return n
	}
	if c := separator(line, head); c != blanks && bytes.IndexByte(line, c) >= 0 && bytes.Count(last, []byte{c}) == bytes.Count(line, []byte{c}) {
		n--
	}
	return n
}

// findDialect sets the separator and the decimal mark that the dialect leaves open, from the first two records and the first lines.
func (p *csvParser) findDialect(d Dialect, first, second, head []byte) {
	switch d.Separator {
	case "":
		p.separator = separator(first, second)
	case "tab":
		p.separator = '\t'
	case "space":
		p.separator = blanks
	default:
		p.separator = d.Separator[0]
	}
	p.comma = d.Decimal == ","
	if d.Decimal == "" && p.separator != ',' {
		p.comma = hasDecimalCommas(head, p.separator)
		p.foundComma = p.comma
	}
}

// separator returns the most frequent of comma, semicolon and tab outside quotes. In a tie, the comma is a decimal comma, and loses. If first
// has none of them, the separator is | if there is one, or blanks if both records have as many words.
func separator(first, second []byte) byte {
	var count [256]int
	quoted := false
	for _, c := range first {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			count[c]++
		}
	}
	best := byte('\t')
	for _, c := range []byte(";,") {
		if count[c] > count[best] || count[best] == 0 {
			best = c
		}
	}
	switch {
	case count[best] > 0:
	case count['|'] > 0:
		return '|'
	case words(first) > 1 && words(first) == words(second):
		return blanks
	}
	return best
}

// words returns the number of words of a record, which blanks and tabs separate.
func words(record []byte) int {
	_, blanks := squeezed(bytes.Clone(record))
	return blanks + 1
}

// squeeze replaces each run of blanks and tabs outside quotes by one blank, and removes the runs at both ends. It changes the record.
func squeeze(record []byte) []byte {
	record, _ = squeezed(record)
	return record
}

// squeezed is squeeze; it also returns the number of blanks outside quotes.
func squeezed(record []byte) (result []byte, count int) {
	record = bytes.Trim(record, " \t")
	to, quoted, between := 0, false, false
	for _, c := range record {
		if c == '"' {
			quoted = !quoted
		}
		was := between
		if between = !quoted && (c == ' ' || c == '\t'); between {
			if was {
				continue
			}
			c = blanks
			count++
		}
		record[to] = c
		to++
	}
	return record[:to], count
}

// hasDecimalCommas reports whether the numbers in a text certainly have decimal commas: no number has a decimal point, and not all commas can
// be thousands separators.
func hasDecimalCommas(text []byte, separator byte) bool {
	sure := false
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte{'\n'})
		for cell := range bytes.SplitSeq(line, []byte{separator}) {
			cell = bytes.Trim(cell, " \t\r\"")
			whole, decimals, _ := bytes.Cut(cell, []byte{','})
			if hasDecimalComma(cell) {
				sure = sure || len(whole) > 0 && len(decimals) > 0 && len(decimals) != 3
			} else if _, k := number(cell); k == numeric && bytes.IndexByte(cell, '.') >= 0 {
				return false
			}
		}
	}
	return sure
}

// number reads a trimmed cell, as the function number does, with the decimal mark of the file.
func (p *csvParser) number(b []byte) (float64, kind) {
	if !p.comma {
		return number(b)
	}
	if bytes.IndexByte(b, '.') >= 0 {
		if isMark(b) {
			return math.NaN(), mark
		}
		return math.NaN(), text
	}
	p.scratch = append(p.scratch[:0], b...)
	if i := bytes.IndexByte(p.scratch, ','); i >= 0 {
		p.scratch[i] = '.'
	}
	return number(p.scratch)
}

// isOtherDecimal reports whether a cell would be a number if the file had the other decimal mark.
func (p *csvParser) isOtherDecimal(b []byte) bool {
	if p.comma {
		_, k := number(b)
		return k == numeric
	}
	return p.separator != ',' && hasDecimalComma(b)
}

// hasDecimalComma reports whether a cell is a number with a decimal comma.
func hasDecimalComma(b []byte) bool {
	_, k := number(bytes.Replace(b, []byte{','}, []byte{'.'}, 1))
	return k == numeric && bytes.IndexByte(b, ',') >= 0
}
