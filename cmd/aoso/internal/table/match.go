package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libaoso/aoso/cmd/aoso/internal/spelling"
	rows "github.com/libaoso/aoso/internal/data"
)

// Owner is a model or dataset whose features a file must have.
type Owner interface {
	FeatureNames() []string
	Named() bool
	Categories(feature int) []string
	Classes() []string
}

// As returns the options for a file that must have the features of a model or dataset.
func (o Options) As(of Owner) Options {
	names := of.FeatureNames()
	o.Features, o.Columns, o.Numeric, o.Categorical = len(names), nil, nil, nil
	o.Names, o.Categories, o.NumericFeatures, o.Classes = nil, nil, nil, of.Classes()
	if of.Named() {
		o.Names = names
	}
	for j := range names {
		categories := of.Categories(j)
		o.Categories, o.NumericFeatures = append(o.Categories, categories), append(o.NumericFeatures, categories == nil)
	}
	return o
}

// Match returns the position of each feature of a model or dataset among the columns of the table, which was read from a file of this name.
// Messages call the owner by the given name ("the model").
func (t *Table) Match(file string, of Owner, called string) ([]int, error) {
	names := of.FeatureNames()
	position, missing := rows.Match(t.Names, names, of.Named())
	if len(missing) > 0 {
		return nil, t.lacks(file, missing, called)
	}
	if len(t.Columns) != len(names) {
		beside := ""
		if t.Labels != nil {
			beside = " beside the label"
			if t.LabelName != "" {
				beside += fmt.Sprintf(" %q", t.LabelName)
			}
		}
		return nil, fmt.Errorf("%s has %d features%s, %s has %d", file, len(t.Columns), beside, called, len(names))
	}
	if position == nil {
		for j := range names {
			position = append(position, j)
		}
	}
	return position, nil
}

// lacks returns the error that a file does not have some features.
func (t *Table) lacks(file string, missing []string, owner string) error {
	what := fmt.Sprintf("column %q, a feature", missing[0])
	if len(missing) > 1 {
		what = "columns " + Listed(missing) + ", features"
	}
	var instead string
	switch {
	case slices.Contains(missing, t.LabelName) && t.Labels != nil:
		instead = fmt.Sprintf("; %q was taken as the label: set --label", t.LabelName)
	case len(t.Strange) == 0:
	default:
		if instead = spelling.Suggestion(missing[0], t.Strange, "%q"); instead == "" {
			instead = "; it has others: " + Listed(t.Strange)
		}
	}
	return fmt.Errorf("%s has no %s of %s%s", file, what, owner, instead)
}

// Listed lists names for a message, but only the first few of many.
func Listed(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", Listed(names[:most]), len(names)-most)
	}
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	return strings.Join(quoted, ", ")
}
