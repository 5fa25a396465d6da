// Package argument has the error for a value that is not allowed.
package argument

import "fmt"

// Error reports a value that is not allowed. aoso.ArgumentError documents the fields.
type Error struct {
	Argument string
	Value    any
	Allowed  string
}

// New returns an Error, with the allowed values as by fmt.Sprintf.
func New(argument string, value any, allowed string, a ...any) error {
	return &Error{argument, value, fmt.Sprintf(allowed, a...)}
}

// Error names the argument, the value and what is allowed.
func (e *Error) Error() string {
	value := fmt.Sprint(e.Value)
	if s, ok := e.Value.(string); ok {
		value = fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("aoso: %s is %s; allowed: %s", e.Argument, value, e.Allowed)
}

// Words is a value that errors show as it is, without quotes.
type Words string
