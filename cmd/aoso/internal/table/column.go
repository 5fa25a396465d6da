package table

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/category"
)

// Kind is the kind of a feature's cells. Cells of every kind may be missing.
type Kind uint8

const (
	Numbers    Kind = iota
	Dates           // read as seconds since 1970
	Booleans        // true and false, read as 1 and 0
	Categories      // strings
)

// column is a column of a CSV file.
type column struct {
	position    int    // among the features; −1: the column is not a feature
	fast        bool   // a cell of digits is a number
	numeric     bool   // text is an error
	kept        int    // among the columns to keep; −1: it is none
	categorical bool   // the feature that the file must have is categorical: marks of missing values are categories
	coded       bool   // numbers stand for categories
	marks       int    // number of cells that mark missing values
	mark        string // the first of them
	seen        [4]int // number of cells that are not missing, by kind
	text        string // the first cell with text
	textLine    int

	categories []string         // nil: the column is not categorical so far
	codes      map[string]int32 // of the categories
}

// kind returns the kind of the column, and whether its cells were read as it requires.
func (c *column) kind() (k Kind, read bool) {
	if c.categories != nil {
		return Categories, true
	}
	kinds := 0
	for kind, n := range c.seen {
		if n > 0 {
			k = Kind(kind)
			kinds++
		}
	}
	if kinds > 1 || k == Categories {
		return Categories, false
	}
	return k, true
}

// makeCategorical makes the column categorical.
func (c *column) makeCategorical() {
	c.categories, c.codes, c.fast = []string{}, map[string]int32{}, false
}

// assignRoles decides what each column is for, once label and header are known.
func (p *csvParser) assignRoles(o Options) error {
	r, err := o.roles(header{p.header, p.width}, p.label)
	if err != nil {
		return p.errorf("%v", err)
	}
	if len(r.Features) == 0 && o.Names == nil {
		return p.errorf("has no features beside the label")
	}
	p.info = make([]column, p.width)
	for j := range p.info {
		p.info[j].position, p.info[j].kept = -1, -1
	}
	for k, j := range r.Kept {
		p.info[j].kept = k
		p.kept = append(p.kept, Kept{Name: p.displayName(j)})
	}
	p.label, p.id, p.weights.column = r.Label, r.RowID, r.Weight
	p.listedAs, p.ignored, p.strange = r.Coded, r.Ignored, r.Strange
	wanted := positions(o.Names)
	for position, j := range r.Features {
		c := &p.info[j]
		c.position, c.fast = position, c.kept < 0
		_, c.numeric = slices.BinarySearch(r.Numeric, j)
		feature := position
		if p.header != nil && o.Names != nil {
			feature = wanted[p.header[j]]
		}
		c.coded = slices.Contains(r.Coded, j)
		if feature < len(o.NumericFeatures) {
			c.numeric = o.NumericFeatures[feature]
			c.categorical, c.coded = !c.numeric, !c.numeric
		}
		if p.known != nil && p.known[j] {
			c.makeCategorical()
		}
	}
	p.columns = make([][]float64, len(r.Features))
	return nil
}

// cell reads a cell, which is trimmed.
func (p *csvParser) cell(j int, b []byte) error {
	c := &p.info[j]
	if c.kept >= 0 {
		if err := p.keep(j, b); err != nil {
			return err
		}
	}
	if c.position >= 0 || j == p.label {
		if msg := p.cellTooLong(b); msg != "" {
			return p.fail(j, msg)
		}
	}
	switch {
	case j == p.label && p.labels.isMissing(b):
		return p.fail(j, missingLabel(b))
	case j == p.label:
		return p.labels.add(b, p.source, func(msg string) error { return p.fail(j, "the label "+msg) })
	case j == p.id:
		return p.rowID(b)
	case j == p.weights.column:
		return p.weight(b)
	case c.position < 0:
		return nil
	case c.categories != nil:
		return p.textCell(j, b)
	}
	v, k := p.number(b)
	kind := Numbers
	if k == mark && c.categorical {
		k = text
	}
	if k == text {
		var ok bool
		if v, ok = Date(b); ok {
			k, kind = numeric, Dates
		} else if v, ok = boolean(b); ok {
			k, kind = numeric, Booleans
		}
	}
	const exact = 1 << 53 // from here on, float64 rounds integers
	if c.coded && k == numeric && kind == Numbers && math.Abs(v) >= exact {
		k = text
	}
	switch {
	case k == tooLarge || k == text && (c.numeric || p.isOtherDecimal(b)):
		msg := complaint(b, k)
		if p.isOtherDecimal(b) {
			msg += map[bool]string{false: "; is its comma a decimal comma? Then use --decimal ,", true: "; numbers have decimal commas here. Use --decimal . if they have points"}[p.comma]
		}
		if j == p.assumed {
			msg += fmt.Sprintf("; with %d columns, as many as there should be features, the file was taken to have no label", p.width)
		}
		return p.fail(j, msg)
	case k == text && c.seen == [4]int{} && c.marks == 0 && p.emitted == 0:
		c.makeCategorical()
		return p.textCell(j, b)
	case k == text:
		c.seen[Categories]++
		v = math.NaN() // the file will be read again
	case k == numeric:
		c.seen[kind]++
	case k == mark:
		if c.marks++; c.mark == "" {
			c.mark = string(b)
		}
	}
	p.block = append(p.block, v)
	return nil
}

// keep keeps a cell as it is written.
func (p *csvParser) keep(j int, b []byte) error {
	if msg := p.cellTooLong(b); msg != "" {
		return p.fail(j, msg)
	}
	if msg := notText(b); msg != "" {
		return p.fail(j, msg)
	}
	const perCell = 32 // with room to grow
	if err := p.charge(len(b) + perCell); err != nil {
		return err
	}
	k := &p.kept[p.info[j].kept]
	k.Cells = append(k.Cells, string(b))
	return nil
}

func boolean(b []byte) (float64, bool) {
	switch {
	case bytes.EqualFold(b, []byte("true")):
		return 1, true
	case bytes.EqualFold(b, []byte("false")):
		return 0, true
	}
	return math.NaN(), false
}

// textCell reads a cell of a categorical column.
func (p *csvParser) textCell(j int, b []byte) error {
	c := &p.info[j]
	if isMissing(b) {
		p.block = append(p.block, math.NaN())
		return nil
	}
	code, ok := c.codes[string(b)]
	if !ok {
		if msg := notText(b); msg != "" {
			return p.fail(j, msg)
		}
		if len(c.categories) == category.MaxCategories {
			return p.fail(j, fmt.Sprintf("there are more than %d categories", category.MaxCategories))
		}
		if err := p.charge(2*len(b) + 128); err != nil {
			return err
		}
		code = int32(len(c.categories))
		name := string(b)
		c.categories, c.codes[name] = append(c.categories, name), code
	}
	if _, k := p.number(b); k == numeric {
		c.seen[Numbers]++
	} else {
		if c.seen[Categories]++; c.text == "" {
			c.text, c.textLine = string(b), p.start
		}
	}
	p.block = append(p.block, float64(code))
	return nil
}

// unreadTexts returns the columns that must be read again as categorical; nil: none.
func (p *csvParser) unreadTexts() (again map[int]bool, err error) {
	for j := range p.info {
		c := &p.info[j]
		if _, read := c.kind(); read || c.position < 0 {
			continue
		}
		if c.numeric {
			return nil, p.fail(j, "numbers, dates and truth values are mixed, and the column must be numeric")
		}
		if again == nil {
			again = map[int]bool{}
		}
		again[j] = true
	}
	return again, nil
}

// describe sets the fields of a table that describe its columns.
func (p *csvParser) describe(t *Table) {
	t.Kinds, t.DecimalComma = make([]Kind, len(t.Columns)), p.foundComma
	for _, j := range p.ignored {
		t.Ignored = append(t.Ignored, p.displayName(j))
	}
	for _, j := range p.strange {
		t.Strange = append(t.Strange, p.displayName(j))
	}
	for j := range p.info {
		c := &p.info[j]
		if c.position < 0 {
			continue
		}
		t.Kinds[c.position], _ = c.kind()
		if c.categories != nil {
			if t.Categories == nil {
				t.Categories = make([][]string, len(t.Columns))
			}
			t.Categories[c.position] = c.categories
		}
		if slices.Contains(p.listedAs, j) && c.categories == nil {
			t.Coded = append(t.Coded, c.position)
		}
		if c.isOdd() && !slices.Contains(p.listedAs, j) {
			t.Odd = append(t.Odd, fmt.Sprintf("column %s is categorical because of %s in line %d, but %d of its %d cells are numbers",
				quote(p.displayName(j)), quote(c.text), c.textLine, c.seen[Numbers], c.seen[Numbers]+c.seen[Categories]))
		}
		if c.marks > 0 && c.categories == nil {
			t.Marked = append(t.Marked, fmt.Sprintf("%s (%d times %s)", p.displayName(j), c.marks, quote(c.mark)))
		}
	}
}

// isOdd reports whether a categorical column may be meant to be numeric: nearly all cells are numbers, or most are and there are few different
// strings among them.
func (c *column) isOdd() bool {
	const few, fewTexts, manyNumbers = 10, 3, 20
	numbers, texts := c.seen[Numbers], c.seen[Categories]
	switch {
	case c.categories == nil || numbers <= texts:
		return false
	case numbers > few*texts:
		return true
	case len(c.categories) <= manyNumbers:
		return false
	}
	different := 0
	for _, name := range c.categories {
		if _, k := number([]byte(name)); k != numeric {
			different++
		}
	}
	return different <= fewTexts && len(c.categories)-different > manyNumbers
}

// displayName returns the name of a column for messages, or its index.
func (p *csvParser) displayName(j int) string { return header{p.header, p.width}.displayName(j) }

// resemblesSecond reports whether the first record has numbers, and has numbers and strings in the same columns as the second. Then it is not
// a header. It ignores column except.
func (p *csvParser) resemblesSecond(except int) bool {
	numbers := 0
	for j, cell := range p.cells {
		if j == except {
			continue
		}
		_, k := p.number(cell)
		if len(p.secondKinds) != len(p.cells) || k == text && p.secondKinds[j] != text || k == numeric && p.secondKinds[j] == text {
			return false
		}
		if k == numeric {
			numbers++
		}
	}
	return numbers > 0
}

// featureNames returns the names of the columns that are features.
func (p *csvParser) featureNames() []string {
	if p.names == nil {
		p.names = make([]string, 0, len(p.columns))
		for j := range p.info {
			if p.info[j].position >= 0 {
				p.names = append(p.names, p.header[j])
			}
		}
	}
	return p.names
}
