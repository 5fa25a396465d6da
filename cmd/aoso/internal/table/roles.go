package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/cmd/aoso/internal/spelling"
)

// Roles has the roles of the columns of a file, as indices of columns.
type Roles struct {
	Label, Weight, RowID int // −1: none
	Features             []int
	Ignored              []int // left out, as the options say
	Strange              []int // left out, as Options.Names does not have them
	Numeric, Coded       []int
	Kept                 []int
}

// header has the columns of a file.
type header struct {
	names []string // nil: the file has no header
	width int      // number of columns
}

// RolesOf returns the roles of columns with these names. It leaves out columns of an index, as pandas writes them, unless the options name
// them.
func (o *Options) RolesOf(names []string, index []bool) (*Roles, error) {
	h, label := header{names, len(names)}, -1
	o = o.withoutIndex(h, index)
	switch o.Label {
	case "none":
	case "", "last":
		for label = len(names) - 1; label > 0 && index[label]; label-- {
		}
	default:
		var err error
		if label, err = h.find(o.Label, "label"); err != nil {
			return nil, err
		}
	}
	if o.LabelOptional && label >= 0 && o.isUnlabelled(h) {
		label = -1
	}
	return o.roles(h, label)
}

// withoutIndex returns the options, with the columns of an index that they do not name added to Ignore.
func (o *Options) withoutIndex(h header, index []bool) *Options {
	if !slices.Contains(index, true) {
		return o
	}
	var single []string
	for _, name := range []string{o.Label, o.Weight, o.RowID} {
		if j, err := h.find(name, ""); err == nil {
			single = append(single, h.names[j])
		}
	}
	named, err := h.list(slices.Concat(o.Columns, o.Numeric, o.Categorical, o.Ignore), "columns")
	if err != nil {
		return o // roles reports the error
	}
	changed := *o
	changed.Ignore = slices.Clone(o.Ignore)
	for j, name := range h.names {
		if index[j] && !slices.Contains(named, j) && !slices.Contains(single, name) && !slices.Contains(o.Names, name) {
			changed.Ignore = append(changed.Ignore, name)
		}
	}
	return &changed
}

// isUnlabelled reports whether a file that need not have labels has none, or needs none because its features are known by name.
func (o *Options) isUnlabelled(h header) bool {
	if h.names != nil && o.Names != nil {
		return o.lastLabel()
	}
	ignored, _ := h.list(o.Ignore, "ignore") // roles reports the error
	return h.width-len(ignored) == o.Features
}

// lastLabel reports whether the label is in the last column, as the options name no other.
func (o *Options) lastLabel() bool { return o.Label == "" || o.Label == "last" }

// roles returns the roles of the columns. label is the column of the label; −1: none.
func (o *Options) roles(h header, label int) (*Roles, error) {
	r := &Roles{Label: label, Weight: -1, RowID: -1}
	taken := make([]string, h.width) // the roles
	for _, one := range []struct {
		name, role string
		at         *int
	}{{o.Weight, "weight", &r.Weight}, {o.RowID, "row id", &r.RowID}} {
		if one.name == "" || one.role == "row id" && o.RowIDOptional && h.names != nil && !slices.Contains(h.names, one.name) {
			continue
		}
		j, err := h.find(one.name, one.role)
		if err == nil && taken[j] != "" {
			err = fmt.Errorf("%s: column %s is the %s", one.role, quote(one.name), taken[j])
		}
		if err != nil {
			return nil, err
		}
		*one.at, taken[j] = j, one.role
	}
	ignored, err := h.list(o.Ignore, "ignore")
	if err != nil {
		return nil, err
	}
	if err := o.findLabel(h, r, taken, ignored); err != nil {
		return nil, err
	}
	if r.Label >= 0 {
		if taken[r.Label] != "" {
			return nil, fmt.Errorf("%s: column %s is the label", taken[r.Label], quote(h.displayName(r.Label)))
		}
		taken[r.Label] = "label"
	}
	if err := o.chooseFeatures(h, r, taken, ignored); err != nil {
		return nil, err
	}
	if r.Kept, err = h.list(o.Keep, "keep-columns"); err != nil {
		return nil, err
	}
	for _, listed := range []struct {
		names []string
		what  string
		to    *[]int
	}{{o.Numeric, "numeric", &r.Numeric}, {o.Categorical, "categorical", &r.Coded}} {
		if *listed.to, err = h.list(listed.names, listed.what); err != nil {
			return nil, err
		}
		for _, j := range *listed.to {
			if role := taken[j]; role != "" {
				return nil, fmt.Errorf("%s: column %s is %s", listed.what, quote(h.displayName(j)), described(role))
			}
		}
	}
	return r, nil
}

func described(role string) string {
	if role == "ignore" {
		return "ignored"
	}
	return "the " + role
}

// findLabel finds the label among the columns that are not features, if the features are known by name and the options do not name the label.
func (o *Options) findLabel(h header, r *Roles, taken []string, ignored []int) error {
	if h.names == nil || o.Names == nil || r.Label < 0 || !o.lastLabel() {
		return nil
	}
	var others []int
	wanted := positions(o.Names)
	for j, name := range h.names {
		if _, ok := wanted[name]; !ok && taken[j] == "" && !slices.Contains(ignored, j) {
			others = append(others, j)
		}
	}
	switch {
	case slices.Contains(others, r.Label):
	case len(others) == 1:
		r.Label = others[0]
	case len(others) == 0:
		return fmt.Errorf("has no column for the label: all columns are features; allowed: a file with a column of labels")
	default:
		return fmt.Errorf("its last column, %s, is a feature; --label must say which column is the label: %s", quote(h.names[r.Label]), h.listed(others))
	}
	return nil
}

// chooseFeatures sets the features among the columns without a role.
func (o *Options) chooseFeatures(h header, r *Roles, taken []string, ignored []int) error {
	for _, j := range ignored {
		if taken[j] != "" {
			return fmt.Errorf("ignore: column %s is %s", quote(h.displayName(j)), described(taken[j]))
		}
		r.Ignored = append(r.Ignored, j)
	}
	for _, j := range r.Ignored {
		taken[j] = "ignore"
	}
	if o.Columns != nil {
		chosen, err := h.list(o.Columns, "columns")
		if err != nil {
			return err
		}
		for _, j := range chosen {
			if taken[j] != "" {
				return fmt.Errorf("columns: column %s is %s", quote(h.displayName(j)), described(taken[j]))
			}
		}
		for j := range taken {
			if _, ok := slices.BinarySearch(chosen, j); !ok && taken[j] == "" {
				r.Ignored, taken[j] = append(r.Ignored, j), "ignore"
			}
		}
	}
	var wanted map[string]int
	if h.names != nil && o.Names != nil {
		wanted = positions(o.Names)
	}
	for j := range taken {
		if taken[j] != "" {
			continue
		}
		if wanted != nil {
			if _, ok := wanted[h.names[j]]; !ok {
				r.Strange, taken[j] = append(r.Strange, j), "ignore"
				continue
			}
		}
		r.Features = append(r.Features, j)
	}
	return nil
}

// find finds a column by name or index. If a name is a number, the name wins.
func (h header) find(name, role string) (int, error) {
	if j := slices.Index(h.names, name); j >= 0 {
		return j, nil
	}
	index, err := strconv.Atoi(name)
	switch {
	case err == nil && index >= 0 && index < h.width:
		return index, nil
	case err == nil:
		return 0, fmt.Errorf("%s: column %d is out of range: the columns are 0..%d", role, index, h.width-1)
	case h.names == nil:
		return 0, fmt.Errorf("%s: no column %s: the file has no header, so it is an index in 0..%d", role, quote(name), h.width-1)
	}
	return 0, fmt.Errorf("%s: no column %s%s", role, quote(name), h.suggestion(name))
}

// list finds columns by names or indices, and sorts them. A string with commas that is not a name is a list of names.
func (h header) list(names []string, role string) (found []int, err error) {
	for _, name := range names {
		j, err := h.find(name, role)
		if err == nil {
			found = append(found, j)
			continue
		}
		if !strings.Contains(name, ",") {
			return nil, err
		}
		parts, err := h.list(strings.Split(name, ","), role)
		if err != nil {
			return nil, err
		}
		found = append(found, parts...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// suggestion returns the end of a message about a name that no column has: a similar name, or all names.
func (h header) suggestion(name string) string {
	if near := spelling.Suggestion(name, h.names, "%q"); near != "" {
		return near
	}
	all := make([]int, len(h.names))
	for j := range all {
		all[j] = j
	}
	return "; the columns are " + h.listed(all)
}

// listed returns the names of columns for a message, at most 30.
func (h header) listed(columns []int) string {
	const most = 30
	var names []string
	for _, j := range columns {
		if len(names) == most {
			names = append(names, fmt.Sprintf("and %d more", len(columns)-most))
			break
		}
		names = append(names, quote(h.names[j]))
	}
	return strings.Join(names, ", ")
}

// displayName returns the name of a column for messages, or its index.
func (h header) displayName(j int) string {
	if h.names != nil {
		return h.names[j]
	}
	return strconv.Itoa(j)
}

func positions(names []string) map[string]int {
	at := make(map[string]int, len(names))
	for j, name := range names {
		at[name] = j
	}
	return at
}
