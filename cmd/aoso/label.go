package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/cmd/aoso/internal/shell"
	"github.com/libaoso/aoso/cmd/aoso/internal/table"
)

// usualLabels are names that a column of labels usually has.
var usualLabels = []string{"class", "label", "target"}

func isUsualLabel(name string) bool { return slices.Contains(usualLabels, strings.ToLower(name)) }

// checkLabel refuses the last column as the label, where no flag names another, if it
// does not look like one. It says which column the label is, and warns of features that
// have the name of a label.
func (r *reader) checkLabel(file string, t *table.Table, labels []string) error {
	if t.Kinds == nil { // of a LIBSVM file
		return nil
	}
	if !r.labelIsLast() {
		r.warnOtherLabels(file, t)
		return nil
	}
	column, flag := "the last column", strconv.Itoa(len(t.Columns)+len(t.Ignored)) // without weights and row ids
	if t.Names != nil {
		column, flag = fmt.Sprintf("the last column, %q,", t.LabelName), shell.Word(t.LabelName)
	}
	if i := slices.IndexFunc(t.Names, isUsualLabel); i >= 0 && !isUsualLabel(t.LabelName) {
		return fmt.Errorf("%s: the label is %s by default, but there is a column %q; --label %s or --label %s must say which is the label",
			file, column, t.Names[i], shell.Word(t.Names[i]), flag)
	}
	if different, example := continuous(labels); example != "" && !isUsualLabel(t.LabelName) {
		as := "--label names the column of the labels"
		if t.Names != nil {
			as += "; --label " + flag + " takes this one"
		}
		return fmt.Errorf("%s: %s would be the label by default, but it has %d different numbers in %d rows, such as %s, as a feature has; %s",
			file, column, different, len(labels), example, as)
	}
	r.tell(file, fmt.Sprintf("label: %s by default; --label names another", column))
	r.warnOtherLabels(file, t)
	return nil
}

// warnOtherLabels warns of features called as labels usually are: they may give the label
// away. A y beside an x is a coordinate.
func (r *reader) warnOtherLabels(file string, t *table.Table) {
	has := func(name string) bool {
		return slices.ContainsFunc(t.Names, func(other string) bool { return strings.EqualFold(name, other) })
	}
	for _, name := range t.Names {
		if isUsualLabel(name) || strings.EqualFold(name, "y") && !has("x") {
			warn(r.stderr(), "%s: the label is %q, and column %q is a feature; --ignore %s leaves it out, if it is a label too", file, t.LabelName, name, shell.Word(name))
		}
	}
}

// labelIsLast reports whether no flag names the label.
func (r *reader) labelIsLast() bool { return r.layout.Label == "" || r.layout.Label == "last" }

// continuous counts the different labels and returns one of them if they look like
// values of a numeric feature: more than a few fractions, or numbers of which most
// rows have one of their own. Otherwise the example is "".
func continuous(labels []string) (different int, example string) {
	const fewFractions, fewRows, fewIntegers = 10, 4, 20
	seen, fraction := map[string]bool{}, ""
	for _, label := range labels {
		if seen[label] {
			continue
		}
		seen[label] = true
		v, err := strconv.ParseFloat(label, 64)
		if err != nil {
			return 0, ""
		}
		if v != math.Trunc(v) && fraction == "" {
			fraction = label
		}
	}
	most := 2*len(seen) > len(labels)
	switch {
	case fraction != "" && (len(seen) > fewFractions || most && len(labels) >= fewRows):
		return len(seen), fraction
	case most && len(labels) > fewIntegers:
		return len(seen), labels[0]
	}
	return 0, ""
}
