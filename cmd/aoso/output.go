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

// output is standard output. After an error it takes no more, and keeps the
// error: no command need look whether each line was written.
type output struct {
	io.Writer
	err error
}

// newOutput is w as standard output, names made harmless on a terminal.
func newOutput(w io.Writer) *output {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		w = &terminal.Writer{Terminal: w}
	}
	return &output{Writer: w}
}

func (o *output) Write(b []byte) (int, error) {
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

// code is the exit code after an error: that of a program that a pipe without
// a reader ends, or that of any failure.
func (o *output) code() int {
	if errors.Is(o.err, syscall.EPIPE) {
		return exitSignal + int(syscall.SIGPIPE)
	}
	return exitFailed
}

// unlessSaved is the error of output that tells of a model that is saved.
func unlessSaved(err error, model string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w; the model is saved in %s", err, model)
}
