package page

import (
	"bytes"
	"iter"
)

// Rows that are for testing.
const (
	TestFifth = "fifth" // every fifth row
	TestLast  = "last"  // the last fifth of the rows
	TestNone  = "none"
)

// split divides the text of a CSV file into rows to train on and rows to test on. Both parts have the header.
func (s *Sheet) split(test string) (train, held []byte) {
	first, i := s.Rows-s.Rows/5, 0
	begun, named := false, s.Header
	for record := range records(s.text) {
		switch {
		case !begun && (len(bytes.TrimSpace(record)) == 0 || record[0] == '#'): // before the data
			train, held = append(train, record...), append(held, record...)
			continue
		case named:
			named = false
			train, held = append(train, record...), append(held, record...)
		case test == TestFifth && i%5 == 4, test == TestLast && i >= first:
			held = append(held, record...)
			i++
		default:
			train = append(train, record...)
			i++
		}
		begun = true
	}
	return train, held
}

// records yields the records of a CSV text: lines, or several lines if a quoted cell has line ends.
func records(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for start, end, quotes := 0, 0, 0; end < len(text); {
			line := text[end:]
			if n := bytes.IndexByte(line, '\n'); n >= 0 {
				line = line[:n+1]
			}
			end += len(line)
			if quotes += bytes.Count(line, []byte{'"'}); quotes%2 == 0 || end == len(text) {
				if !yield(text[start:end]) {
					return
				}
				start = end
			}
		}
	}
}
