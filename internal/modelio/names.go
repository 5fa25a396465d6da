package modelio

import "fmt"

// MaxClasses is the largest number of classes.
const MaxClasses = 1 << 24

// CheckNames checks names that must differ: at least one, at most so many.
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
