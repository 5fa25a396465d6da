package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/libaoso/aoso"
)

// logColumns is the header of a training log.
var logColumns = []string{"phase", "run", "iteration", "trees", "seconds", "train_loss", "errors", "error_rate", "logloss"}

// trainLog writes each evaluation of a training to a file, as CSV, at once.
type trainLog struct {
	file  *os.File
	out   *csv.Writer
	phase string
	trees int // in the model, at the last iteration
	run   int // of the phase, from 1: phase holdout may try several parameters
}

// newLog opens a log; nil if the name is empty.
func newLog(name string) (*trainLog, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", name, withoutPath(err))
	}
	l := &trainLog{file: file, out: csv.NewWriter(file)}
	l.write(logColumns)
	return l, nil
}

func (l *trainLog) write(line []string) {
	l.out.Write(line) // its error comes again in close
	l.out.Flush()
}

// add writes an iteration, if it was evaluated.
func (l *trainLog) add(p aoso.Progress) {
	if l == nil {
		return
	}
	if p.Phase != l.phase {
		l.phase, l.run = p.Phase, 1
	} else if p.Trees < l.trees {
		l.run++
	}
	l.trees = p.Trees
	if !p.Evaluated {
		return
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	line := []string{p.Phase, strconv.Itoa(l.run), strconv.Itoa(p.Iteration), strconv.Itoa(p.Trees), number(p.Elapsed.Seconds()), number(p.TrainLoss), "", "", ""}
	if v := p.Valid; v != nil {
		copy(line[6:], []string{strconv.Itoa(v.Errors), number(v.ErrorRate), number(v.LogLoss)})
	}
	l.write(line)
}

// close closes the log, and warns if it is not complete.
func (l *trainLog) close(stderr io.Writer) {
	if l == nil {
		return
	}
	if err := cmp.Or(l.out.Error(), l.file.Close()); err != nil {
		warn(stderr, "the log %s is not complete: %v", l.file.Name(), withoutPath(err))
	}
}

// withoutPath is an error without the path, which the message has already.
func withoutPath(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
