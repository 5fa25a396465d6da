package aoso

import (
	"errors"

	"github.com/libaoso/aoso/internal/argument"
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
func (e *ArgumentError) Error() string { return (*argument.Error)(e).Error() }

func badArgument(name string, value any, allowed string, a ...any) error {
	return public(argument.New(name, value, allowed, a...))
}

// public returns an error of an internal package as callers know it.
func public(err error) error {
	switch e := err.(type) {
	case *argument.Error:
		return (*ArgumentError)(e)
	case interface{ Unwrap() []error }:
		var all []error
		for _, err := range e.Unwrap() {
			all = append(all, public(err))
		}
		return errors.Join(all...)
	}
	if wrapped, ok := errors.AsType[*argument.Error](err); ok {
		return &argumentIn{(*ArgumentError)(wrapped), err.Error()}
	}
	return err
}

// argumentIn is an ArgumentError with a text around its own, such as the name of a file.
type argumentIn struct {
	*ArgumentError
	text string
}

func (e *argumentIn) Error() string { return e.text }
func (e *argumentIn) Unwrap() error { return e.ArgumentError }
