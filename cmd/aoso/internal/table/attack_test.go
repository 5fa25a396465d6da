package table

import (
	"bytes"
	"encoding/csv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// attacked returns a good file with a few typical faults.
func attacked(t *testing.T, r *rand.Rand) (text []byte, zipped bool) {
	good := []string{
		"a,b,class\n1,2,x\n3.5,-4e2,y\n,6,x\n7,8,y\n",
		"1;2;3;x\n4;5;6;y\n7;8;9;x\n",
		"\"a\",\"b \"\"c\"\"\",\"class\"\r\n1,\"2\",\"x, y\"\r\n3,4,\"two\r\nlines\"\r\n",
		"1\t2\tx\n3\t4\ty\n",
		"x 1:1 2:0.5\ny 2:3 4:1\nx 1:2\n",
	}
	text = []byte(good[r.IntN(len(good))])
	pieces := []string{"\"", "\r", "\n", "\r\n", "\x00", "\xe9", "\xff\xfe", bom, ",", ";", "\t", ":", " ", "NaN", "inf", "1e999", "0x1p3", "1_000",
		"-", "#", "label", strings.Repeat("9", 400), strings.Repeat("x", 70000), "\n\n", "", "١", "1.2.3", "+-1", "\x1f\x8b"}
	for range 1 + r.IntN(2) {
		at, piece := r.IntN(len(text)+1), pieces[r.IntN(len(pieces))]
		end := min(len(text), at+[]int{0, 0, 1, 3, 20}[r.IntN(5)])
		text = append(append(bytes.Clone(text[:at]), piece...), text[end:]...)
		switch r.IntN(12) {
		case 0:
			text = append([]byte(bom), text...)
		case 1: // UTF-16
			wide := []byte("\xff\xfe")
			for _, c := range text {
				wide = append(wide, c, 0)
			}
			text = wide
		}
	}
	if r.IntN(10) == 0 {
		text = zip(t, string(text))
		return text[:r.IntN(len(text)+1)], true
	}
	return text, false
}

// TestAttack: no bad file causes a panic, and a CSV file that is read has the cells that encoding/csv finds.
func TestAttack(t *testing.T) {
	read, refused, compared := 0, 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		text, zipped := attacked(t, r)
		o := Options{Label: []string{"", "", "", "", "none", "0"}[r.IntN(6)], Header: []string{"", "", "", "yes"}[r.IntN(4)]}
		if r.IntN(8) == 0 {
			o.LabelOptional, o.Features = true, 1+r.IntN(4)
		}
		got, err := Parse(bytes.NewReader(text), "f", o)
		if err != nil {
			refused++
			checkError(t, err)
			continue
		}
		read++
		checkTable(t, got)
		if zipped || bytes.Contains(text, []byte(":")) || bytes.Contains(text, []byte("\"\t")) || bytes.Count(text, []byte{'\r'}) > bytes.Count(text, []byte("\r\n")) {
			continue // not CSV, or what encoding/csv takes for text after a quote
		}
		compared++
		if !agrees(text, got) {
			t.Errorf("seed %d: %.300q is read as %+v", seed, text, *got)
		}
	}
	t.Logf("%d read, %d of them compared, %d refused", read, compared, refused)
	if read < 300 || compared < 200 || refused < 1000 {
		t.Errorf("%d read, %d compared, %d refused: want many of each", read, compared, refused)
	}
}

// agrees compares a table with what encoding/csv reads.
func agrees(text []byte, got *Table) bool {
	for bytes.HasPrefix(text, []byte(bom)) {
		text = text[len(bom):]
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	c := csv.NewReader(bytes.NewReader(text))
	c.Comma, c.FieldsPerRecord, c.TrimLeadingSpace = rune(separator(line, nil)), -1, false
	c.LazyQuotes = true // blanks about quotes
	records, err := c.ReadAll()
	if err != nil {
		return true // it is the stricter
	}
	rows := records[len(records)-min(got.Rows, len(records)):]
	width := len(got.Columns)
	if got.Labels != nil {
		width++
	}
	for len(rows) > 0 && len(rows[len(rows)-1]) == 1 && strings.TrimSpace(rows[len(rows)-1][0]) == "" && width > 1 {
		return true // blanks at the end
	}
	if len(rows) != got.Rows {
		return false
	}
	for i, row := range rows {
		if len(row) != width {
			return false
		}
		numbers, texts := map[float64]int{}, map[string]int{}
		for j, column := range got.Columns {
			v := column[i]
			switch {
			case v != v:
			case got.Categories != nil && got.Categories[j] != nil:
				texts[got.Categories[j][int(v)]]++
			default:
				numbers[v]++
			}
		}
		for _, cell := range row {
			if text := strings.TrimSpace(cell); texts[text] > 0 {
				texts[text]--
			} else if v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err == nil && !math.IsNaN(v) && numbers[v] > 0 {
				numbers[v]--
			}
		}
		for _, n := range slices.Concat(slices.Collect(maps.Values(numbers)), slices.Collect(maps.Values(texts))) {
			if n != 0 {
				return false
			}
		}
	}
	return true
}
