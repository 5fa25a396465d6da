package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/term"

	"github.com/libaoso/aoso/internal/terminal"
)

// standardOutput is standard output. It remembers its first error and then discards
// everything, so that commands need not check each line.
type standardOutput struct {
	io.Writer
	err      error
	terminal bool
}

// newOutput returns w as standard output. On a terminal, control characters in
// names are escaped.
func newOutput(w io.Writer) *standardOutput {
	o := &standardOutput{Writer: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		o.Writer, o.terminal = &terminal.Writer{Terminal: w}, true
	}
	return o
}

// isTerminal reports whether the output of a command is a terminal.
func isTerminal(w io.Writer) bool {
	o, ok := w.(*standardOutput)
	return ok && o.terminal
}

func (o *standardOutput) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(b)
	if err != nil {
		if e, ok := errors.AsType[*os.PathError](err); ok {
			err = e.Err
		}
		o.err = fmt.Errorf("cannot write standard output: %w", err)
	}
	return n, o.err
}

// code returns the exit code after an error: that of SIGPIPE if the reader has
// closed the pipe, else that of any failure.
func (o *standardOutput) code() int {
	if errors.Is(o.err, syscall.EPIPE) {
		return exitSignal + int(syscall.SIGPIPE)
	}
	return exitFailed
}

// unlessSaved adds to an output error that the model is saved all the same.
func unlessSaved(err error, model string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w; the model is saved in %s", err, model)
}
