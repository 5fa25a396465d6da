package aoso

import (
	"fmt"

	"github.com/libaoso/aoso/internal/mem"
)

// ErrMemory is what errors of datasets and trainings are that need more memory than the limits
// of the process (RLIMIT_AS, RLIMIT_DATA) leave. It comes before the memory is asked for:
// Go ends a process that cannot get memory.
var ErrMemory = mem.ErrShort

// ArgumentError reports a value that is not allowed.
type ArgumentError struct {
	Argument string // name of the argument or parameter
	Value    any    // the given value
	Allowed  string // which values are allowed
}

// Error names the argument, the value and what is allowed.
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
