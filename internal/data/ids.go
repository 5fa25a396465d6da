package data

import "slices"

// RepeatedID finds two rows with the same id.
func RepeatedID(ids []uint64) (first, second int, found bool) {
	rising := true
	for i := 1; i < len(ids) && rising; i++ {
		rising = ids[i-1] < ids[i]
	}
	if rising {
		return 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(ids))
	for i, id := range sorted[1:] {
		if id == sorted[i] {
			first = slices.Index(ids, id)
			return first, first + 1 + slices.Index(ids[first+1:], id), true
		}
	}
	return 0, 0, false
}
