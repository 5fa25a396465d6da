package aoso

import "fmt"

// ArgumentError is a value that a function or parameter does not take.
type ArgumentError struct {
	Argument string // its name
	Value    any    // what was given
	Allowed  string // what may be given
}

func (e *ArgumentError) Error() string {
	value := fmt.Sprint(e.Value)
	if s, ok := e.Value.(string); ok {
		value = fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("aoso: %s is %s; allowed: %s", e.Argument, value, e.Allowed)
}

func badArgument(argument string, value any, allowed string, a ...any) error {
	return &ArgumentError{argument, value, fmt.Sprintf(allowed, a...)}
}
