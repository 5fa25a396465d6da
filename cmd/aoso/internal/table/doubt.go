package table

import "strconv"

// isNumberedHeader reports whether the features' cells of the first line are 0, 1, 2, …, the names that pandas writes for columns
// without names. They are numbered with or without the label. Fewer than three of them may well be a row.
func (p *csvParser) isNumberedHeader() bool {
	features := 0
	for j, cell := range p.cells {
		if j == p.label {
			continue
		}
		if name := string(cell); name != strconv.Itoa(features) && name != strconv.Itoa(j) {
			return false
		}
		features++
	}
	return features > 2
}

// headerIsRow reports whether all features have categories and their names are among them, as in a file of categories that has no
// header.
func (p *csvParser) headerIsRow() bool {
	for j := range p.info {
		if c := &p.info[j]; c.position >= 0 {
			if _, ok := c.codes[p.header[j]]; !ok {
				return false
			}
		}
	}
	return len(p.columns) > 0
}
