package modelio

import (
	"fmt"
	"strconv"
)

// MaxClasses is the largest number of classes.
const MaxClasses = 1 << 24

// CheckNames checks names that must differ: at least one, at most this many.
func CheckNames(what string, names []string, most int) error {
	if len(names) == 0 || len(names) > most {
		return fmt.Errorf("there are %d %s", len(names), what)
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if name == "" || seen[name] {
			return fmt.Errorf("%q is among the %s twice, or no name", name, what)
		}
		seen[name] = true
	}
	return nil
}

// GeneratedName returns the name of feature j where nobody has named the features.
func GeneratedName(j int) string { return "f" + strconv.Itoa(j) }

// Generated reports whether names are those of features that nobody has named, or
// equal to them.
func Generated(names []string) bool {
	for j, name := range names {
		if name != GeneratedName(j) {
			return false
		}
	}
	return true
}
