// Package page is the Go part of the page in web/: people train on their own tables in a browser. It reads files as the command does,
// and trains the same models.
package page

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libaoso/aoso/cmd/aoso/internal/table"
)

// Sheet describes a CSV file: its columns, and which may be the label.
type Sheet struct {
	Name    string   `json:"name"`
	Rows    int      `json:"rows"`
	Header  bool     `json:"header"` // the first line has the names of the columns
	Label   int      `json:"label"`  // the column that is likely to be the label
	Columns []Column `json:"columns"`
	Notes   []string `json:"notes"` // what is doubtful

	text []byte
}

// Column describes a column of a sheet.
type Column struct {
	Name     string  `json:"name"` // its index, if the file has no header
	Flag     string  `json:"flag"` // as flags of the command name it
	Kind     string  `json:"kind"` // number, category, date or truth value
	Missing  int     `json:"missing"`
	Distinct int     `json:"distinct"`
	Least    string  `json:"least"` // the smallest value of a column that is no category
	Most     string  `json:"most"`
	Common   []Value `json:"common"`  // the most frequent values
	Index    bool    `json:"index"`   // it numbers or names the rows
	Problem  string  `json:"problem"` // why it cannot be the label
	Doubt    string  `json:"doubt"`   // why it may not be meant as the label
}

// Value is a value of a column, and how many rows have it.
type Value struct {
	Text string `json:"text"`
	Rows int    `json:"rows"`
}

const (
	minRows    = 10
	maxClasses = 1000 // a browser has one thread and no vector instructions
	mostCommon = 5
)

// Open reads a CSV file, plain or compressed. header says whether the first line is a header: yes, no, or auto.
func Open(name string, file []byte, header string) (*Sheet, error) {
	r, err := table.Text(bytes.NewReader(file), name, table.Limits{})
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t, err := table.Parse(bytes.NewReader(text), name, table.Options{Label: "none", Header: header})
	switch {
	case err != nil:
		return nil, err
	case t.Kinds == nil:
		return nil, fmt.Errorf("%s: is in the LIBSVM format, which this page does not read; allowed: CSV", name)
	case len(t.Columns) < 2:
		return nil, fmt.Errorf("%s: has one column only; allowed: a column of labels and at least one of features, with commas, semicolons or tabs between them", name)
	case t.Rows < minRows:
		return nil, fmt.Errorf("%s: has too few rows, %d; allowed: at least %d", name, t.Rows, minRows)
	}
	s := &Sheet{Name: name, Rows: t.Rows, Header: t.Names != nil, Label: len(t.Columns) - 1, text: text, Notes: t.Odd}
	if t.Doubt != "" {
		s.Notes = append(s.Notes, t.Doubt)
	}
	if len(t.Marked) > 0 {
		s.Notes = append(s.Notes, "missing values in numeric columns: "+strings.Join(t.Marked, ", "))
	}
	if t.DecimalComma {
		s.Notes = append(s.Notes, "numbers have decimal commas")
	}
	for j := range t.Columns {
		c := describe(t, j)
		if c.Index {
			s.Notes = append(s.Notes, fmt.Sprintf("column %q has another value in each row, as an index has, so it is left out", c.Name))
		}
		s.Columns = append(s.Columns, c)
	}
	for j := range slices.Backward(s.Columns) {
		if slices.Contains([]string{"class", "label", "target", "y"}, strings.ToLower(s.Columns[j].Name)) {
			s.Label = j
		}
	}
	return s, nil
}

func describe(t *table.Table, j int) Column {
	c := Column{Name: strconv.Itoa(j), Flag: strconv.Itoa(j), Kind: map[table.Kind]string{
		table.Numbers: "number", table.Dates: "date", table.Booleans: "truth value", table.Categories: "category",
	}[t.Kinds[j]]}
	if t.Names != nil && t.Names[j] != "" {
		c.Name, c.Flag = t.Names[j], t.Names[j]
	}
	rows, least, most := map[float64]int{}, math.Inf(1), math.Inf(-1)
	for _, v := range t.Columns[j] {
		if math.IsNaN(v) {
			c.Missing++
			continue
		}
		rows[v]++
		least, most = min(least, v), max(most, v)
	}
	c.Distinct = len(rows)
	if t.Kinds[j] != table.Categories && c.Distinct > 0 {
		c.Least, c.Most = cell(t, j, least), cell(t, j, most)
	}
	for v, n := range rows {
		c.Common = append(c.Common, Value{cell(t, j, v), n})
	}
	slices.SortFunc(c.Common, func(a, b Value) int { return cmp.Or(b.Rows-a.Rows, strings.Compare(a.Text, b.Text)) })
	c.Common = c.Common[:min(len(c.Common), mostCommon)]
	c.Index = c.Distinct == t.Rows && (t.Kinds[j] == table.Categories || t.Kinds[j] == table.Numbers && counts(t.Columns[j]))
	c.Problem, c.Doubt = asLabel(t, j, &c)
	return c
}

// asLabel returns why a column cannot be the label, or why it may not be meant to be.
func asLabel(t *table.Table, j int, c *Column) (problem, doubt string) {
	const few = 20
	switch {
	case c.Missing > 0:
		return fmt.Sprintf("Column %q has no value in %d of the %d rows; allowed as the label: a column with a value in every row.", c.Name, c.Missing, t.Rows), ""
	case c.Distinct == 1:
		return fmt.Sprintf("Column %q has the same value, %q, in every row; allowed as the label: a column with at least two classes.", c.Name, c.Common[0].Text), ""
	case c.Distinct > maxClasses:
		return fmt.Sprintf("Column %q has %d different values; allowed as the label in this page: at most %d classes. The command aoso train takes more.", c.Name, c.Distinct, maxClasses), ""
	case 2*c.Distinct > t.Rows, c.Distinct > few && c.Kind == "number" && !whole(t.Columns[j]):
		return "", fmt.Sprintf("Column %q has %d different values in %d rows. Each would be a class.", c.Name, c.Distinct, t.Rows)
	}
	return "", ""
}

// counts reports whether a column counts the rows, from any number on and in steps of any size.
func counts(column []float64) bool {
	for i := 2; i < len(column); i++ {
		if column[i]-column[i-1] != column[1]-column[0] {
			return false
		}
	}
	return true
}

func whole(column []float64) bool {
	return !slices.ContainsFunc(column, func(v float64) bool { return v != math.Trunc(v) })
}

// cell returns a value of a column as a cell of a CSV file.
func cell(t *table.Table, j int, v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case t.Kinds[j] == table.Categories && t.Categories != nil && t.Categories[j] != nil:
		return t.Categories[j][int(v)]
	case t.Kinds[j] == table.Dates && v == math.Trunc(v):
		return strings.TrimSuffix(time.Unix(int64(v), 0).UTC().Format("2006-01-02T15:04:05"), "T00:00:00")
	case t.Kinds[j] == table.Booleans:
		return strconv.FormatBool(v == 1)
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
