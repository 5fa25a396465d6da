package constraint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

const signsAllowed = `a list of -1, 0 or 1 for each feature, such as [1,0,-1], a dict such as {"age": 1}, ` +
	`or for more than two classes a dict such as {"age": {"class": 1}}`

// CheckMonotone checks a string of monotone constraints without data; "": there are none.
func CheckMonotone(text string) error {
	_, err := readSigns(text)
	return err
}

// Monotone parses a string of monotone constraints. The result says by feature and class how the
// raw score of the class may change as the feature rises: 1, it never falls; −1, it never rises;
// 0, unconstrained. A feature without constraints has nil, and so has the whole if there are
// none.
//
// The string is a list with an entry for each feature, or an object with entries for some, by
// name or number. An entry is −1, 0 or 1 if there are two classes, for the second; or a list
// with one of these for each class, or an object with these for some classes.
func Monotone(text string, names, classes []string) (signs [][]int8, err error) {
	value, err := readSigns(text)
	if value == nil || err != nil {
		return nil, err
	}
	signs = make([][]int8, len(names))
	set := func(j int, entry any) (err error) {
		signs[j], err = signsOf(entry, names[j], classes)
		return err
	}
	found := false
	switch v := value.(type) {
	case []any:
		if len(v) != len(names) && len(v) > 0 {
			return nil, wrong(fmt.Sprintf("a list of %d values", len(v)), "%d values, one for each feature", len(names))
		}
		for j, entry := range v {
			if err := set(j, entry); err != nil {
				return nil, err
			}
			found = found || signs[j] != nil
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			j, ok := position(key, names)
			if !ok {
				return nil, wrong("for feature "+strconv.Quote(key), "features of the data: %s", listed(names))
			}
			if err := set(j, v[key]); err != nil {
				return nil, err
			}
			found = found || signs[j] != nil
		}
	}
	if !found {
		return nil, nil
	}
	return signs, nil
}

// readSigns decodes a string and checks all that needs no data.
func readSigns(text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	value, err := read(text, signsAllowed)
	if err != nil {
		return nil, err
	}
	var entries []any
	switch v := value.(type) {
	case []any:
		entries = v
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			entries = append(entries, v[key])
		}
	default:
		return nil, wrong(show(value), "%s", signsAllowed)
	}
	for _, entry := range entries {
		each := []any{entry}
		switch e := entry.(type) {
		case []any:
			each = e
		case map[string]any:
			each = slices.Collect(maps.Values(e))
		}
		for _, sign := range each {
			if _, err := signOf(sign); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

func signOf(value any) (int8, error) {
	if n, ok := value.(json.Number); ok {
		if x, err := n.Float64(); err == nil && (x == -1 || x == 0 || x == 1) {
			return int8(x), nil
		}
	}
	return 0, wrong("a sign of "+show(value), "-1, 0 or 1")
}

// signsOf reads the entry of a feature.
func signsOf(entry any, name string, classes []string) (signs []int8, err error) {
	signs = make([]int8, len(classes))
	switch e := entry.(type) {
	case []any:
		if len(e) != len(classes) {
			return nil, wrong(fmt.Sprintf("a list of %d signs for feature %s", len(e), name), "%d, one for each class", len(classes))
		}
		for k, sign := range e {
			signs[k], _ = signOf(sign)
		}
	case map[string]any:
		for _, class := range slices.Sorted(maps.Keys(e)) {
			k := slices.Index(classes, class)
			if k < 0 {
				return nil, wrong(fmt.Sprintf("for class %s of feature %s", class, name), "the classes: %s", listed(classes))
			}
			signs[k], _ = signOf(e[class])
		}
	default:
		sign, _ := signOf(entry)
		if len(classes) > 2 && sign != 0 {
			return nil, wrong(fmt.Sprintf("%d for feature %s", sign, name), "a sign for each class, such as {%q: {%q: %d}}, as there are %d classes",
				name, classes[len(classes)-1], sign, len(classes))
		}
		if len(classes) == 2 {
			signs[1] = sign
		}
	}
	if len(classes) == 2 { // the score of one class is minus the other's
		if signs[0]*signs[1] > 0 {
			return nil, wrong(fmt.Sprintf("%d for both classes, feature %s", signs[0], name), "opposite signs for two classes")
		}
		signs[1] -= signs[0]
		signs[1] = min(max(signs[1], -1), 1)
		signs[0] = -signs[1]
	}
	if len(classes) < 2 || !slices.ContainsFunc(signs, func(s int8) bool { return s != 0 }) {
		return nil, nil
	}
	return signs, nil
}
