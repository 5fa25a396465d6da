package data

import (
	"slices"
	"strconv"

	"github.com/libaoso/aoso/internal/modelio"
)

// Match finds the features among columns with the given names. It returns the position
// of each feature, or the features that are missing; further columns do not matter.
// Both results are nil if the positions of the columns count: they have no names, or
// the features have none. Where the features have generated names, columns of these
// names in another order count as named, and so do columns that are called 0, 1, ….
func Match(columns, features []string, named bool) (positions []int, missing []string) {
	if columns == nil || slices.Equal(columns, features) {
		return nil, nil
	}
	place := make(map[string]int, len(columns))
	for j, name := range columns {
		place[name] = j
	}
	positions = make([]int, len(features))
	if !named {
		if len(place) == len(features) && (find(positions, place, modelio.GeneratedName) || find(positions, place, strconv.Itoa)) {
			return positions, nil
		}
		return nil, nil
	}
	for j, name := range features {
		p, found := place[name]
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

// find sets the position of every feature, and reports whether all have one.
func find(positions []int, place map[string]int, name func(j int) string) bool {
	for j := range positions {
		p, found := place[name(j)]
		if !found {
			return false
		}
		positions[j] = p
	}
	return true
}
