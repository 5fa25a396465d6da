package table

import (
	"slices"
	"strconv"
)

// isRowOf reports whether the first record is a row of the features that the file must have: it has a cell for each feature, with numbers for
// numeric features, and is not the features' names.
func (p *csvParser) isRowOf(o *Options) bool {
	h, label := header{width: p.width}, p.width-1
	switch index, err := strconv.Atoi(o.Label); {
	case o.NumericFeatures == nil:
		return false
	case o.Label == "none":
		label = -1
	case err == nil:
		label = index
	case !o.lastLabel():
		return false // a name
	}
	if o.LabelOptional && o.isUnlabelled(h) {
		label = -1
	}
	r, err := o.roles(h, label)
	if err != nil || len(r.Features) != len(o.NumericFeatures) || o.Names != nil && p.headerIf(true).missingName(o.Names) == "" {
		return false
	}
	values := 0
	for feature, j := range r.Features {
		cell := p.cells[j]
		_, k := p.number(cell)
		if k == text {
			if _, ok := Date(cell); ok {
				k = numeric
			} else if _, ok := boolean(cell); ok {
				k = numeric
			}
		}
		switch {
		case !o.NumericFeatures[feature]:
			if feature < len(o.Categories) && slices.Contains(o.Categories[feature], string(cell)) {
				values++
			}
		case k == numeric:
			values++
		case k == text:
			return false
		}
	}
	return values > 0
}

// missingName returns the first wanted name that the header does not have; "" if it has all.
func (h header) missingName(wanted []string) string {
	at := positions(h.names)
	for _, name := range wanted {
		if _, ok := at[name]; !ok {
			return name
		}
	}
	return ""
}

// onlyHeader returns the error of a file whose only line was read as a header. It is not ErrNoRows if the line may be a row with a typo.
func (p *csvParser) onlyHeader(o Options) error {
	isNumber := func(name string) bool {
		_, k := p.number([]byte(name))
		return k == numeric
	}
	doubt := ""
	if name := (header{names: p.header}).missingName(o.Names); name != "" {
		doubt = "the feature " + quote(name) + " is missing"
	} else if p.guessed && slices.ContainsFunc(p.header, isNumber) {
		doubt = "it has numbers"
	}
	if doubt != "" {
		return p.errorf("has only one line, which was read as a header, but %s; --no-header reads it as a row", doubt)
	}
	return p.noRows("has a header but no rows")
}
