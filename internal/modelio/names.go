package modelio

import (
	"fmt"
	"strconv"
)

// MaxClasses is the largest number of classes.
const MaxClasses = 1 << 24

// CheckNames returns an error unless there are 1 to most names, which are different and not empty. what names them in messages.
func CheckNames(what string, names []string, most int) error {
	if len(names) == 0 || len(names) > most {
		return fmt.Errorf("there are %d %s", len(names), what)
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if name == "" || seen[name] {
			return fmt.Errorf("%q is among the %s twice, or is empty", name, what)
		}
		seen[name] = true
	}
	return nil
}

// GeneratedName returns the name of feature j if the user gives no names.
func GeneratedName(j int) string { return "f" + strconv.Itoa(j) }

// Generated reports whether all names equal generated ones.
func Generated(names []string) bool {
	for j, name := range names {
		if name != GeneratedName(j) {
			return false
		}
	}
	return true
}
