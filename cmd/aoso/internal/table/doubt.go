package table

import (
	"fmt"
	"slices"
	"strings"
)

// doubtOf tells what is odd about the first line of a file that was taken, by its cells, for a
// header or for a row; "" if nothing is.
func (p *csvParser) doubtOf(t *Table) string {
	if !p.guessed {
		return ""
	}
	if p.header != nil {
		if p.headerIsRow() {
			return "the first line was taken for a header, though all its cells occur in other lines"
		}
		return p.doubtfulHeader()
	}
	if t.Categories == nil && doubtfulRow(t) || t.Categories != nil && onlyRow(t) {
		return "the first line was taken for a row, but is unlike the others: a header of numbers?"
	}
	return ""
}

// doubtfulHeader: names that are numbers beside others that are not, or missing ones, may be a row
// with a slip in it.
func (p *csvParser) doubtfulHeader() string {
	var numbers []string
	texts := 0
	for j, name := range p.header {
		if _, k := number([]byte(name)); j != p.label {
			if k == numeric {
				numbers = append(numbers, quote(name))
			} else if k == text {
				texts++
			}
		}
	}
	if len(numbers) == 0 || texts == 0 {
		return ""
	}
	const most = 5
	if len(numbers) > most {
		numbers = append(numbers[:most], "…")
	}
	return fmt.Sprintf("the first line was taken for a header, though it has the numbers %s", strings.Join(numbers, ", "))
}

// doubtfulRow reports whether the first row is of other types than the rest: its label is no number
// and theirs are, or its features are 0, 1, 2, … or the only integers, and its label occurs once.
func doubtfulRow(t *Table) bool {
	if t.Rows < 2 {
		return false
	}
	if len(t.Labels) > 0 {
		isText := func(label string) bool {
			_, k := number([]byte(label))
			return k == text
		}
		if isText(t.Labels[0]) && !slices.ContainsFunc(t.Labels[1:], isText) {
			return true
		}
		if slices.Contains(t.Labels[1:], t.Labels[0]) {
			return false
		}
	}
	counted, integers := len(t.Columns) > 2, true
	for j, column := range t.Columns {
		first := column[0]
		counted = counted && first-float64(j) == t.Columns[0][0] && (t.Columns[0][0] == 0 || t.Columns[0][0] == 1)
		integers = integers && isInteger(first) && !slices.ContainsFunc(column[1:], isInteger)
	}
	return counted || integers
}

// onlyRow reports whether no label and no text of the first row occurs again.
func onlyRow(t *Table) bool {
	if t.Rows < 2 || len(t.Labels) > 0 && slices.Contains(t.Labels[1:], t.Labels[0]) {
		return false
	}
	for j, column := range t.Columns {
		if t.Categories[j] != nil && slices.Contains(column[1:], column[0]) {
			return false
		}
	}
	return true
}

func isInteger(v float64) bool { return v == float64(int64(v)) }
