package data

import (
	"slices"
	"strconv"

	"github.com/libaoso/aoso/internal/modelio"
)

// Match finds the features among columns by name. It returns the position of each feature's column, or the names of the features that
// have no column; it ignores other columns.
//
// It returns nil twice if columns are matched by position: columns is nil, the names are those of the features, or the features have
// generated names (named is false). But if the columns are called as the features or 0, 1, …, in any order, their names count.
func Match(columns, features []string, named bool) (positions []int, missing []string) {
	if columns == nil || slices.Equal(columns, features) {
		return nil, nil
	}
	columnOf := make(map[string]int, len(columns))
	for j, name := range columns {
		columnOf[name] = j
	}
	positions = make([]int, len(features))
	if !named {
		if len(columnOf) == len(features) && (find(positions, columnOf, modelio.GeneratedName) || find(positions, columnOf, strconv.Itoa)) {
			return positions, nil
		}
		return nil, nil
	}
	for j, name := range features {
		p, found := columnOf[name]
		if !found {
			missing = append(missing, name)
		}
		positions[j] = p
	}
	if missing != nil {
		return nil, missing
	}
	return positions, nil
}

// find sets the position of each feature's column, and reports whether all features have one. name returns the name of feature j.
func find(positions []int, columnOf map[string]int, name func(j int) string) bool {
	for j := range positions {
		p, found := columnOf[name(j)]
		if !found {
			return false
		}
		positions[j] = p
	}
	return true
}
