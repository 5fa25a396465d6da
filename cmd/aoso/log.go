package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/libaoso/aoso"
)

// logColumns is the header of a training log.
var logColumns = []string{"phase", "run", "iteration", "trees", "seconds", "train_loss", "errors", "error_rate", "logloss"}

// trainLog writes each evaluation of a training to a file, as CSV, at once.
type trainLog struct {
	file  *os.File
	out   *csv.Writer
	phase aoso.Phase
	trees int // in the model, at the last iteration
	run   int // of the phase, from 1: phase holdout may try several parameters

	columns int
}

// otherColumns returns the columns of a further validation set, from 2.
func otherColumns(set int) []string {
	return []string{fmt.Sprintf("errors_%d", set), fmt.Sprintf("error_rate_%d", set), fmt.Sprintf("logloss_%d", set)}
}

// newLog opens a log of a training with this many further validation sets; nil if the
// name is empty.
func newLog(name string, others int) (*trainLog, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", name, withoutPath(err))
	}
	l := &trainLog{file: file, out: csv.NewWriter(file)}
	header := slices.Clone(logColumns)
	for i := range others {
		header = append(header, otherColumns(i+2)...)
	}
	l.columns = len(header)
	l.write(header)
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
	line := []string{string(p.Phase), strconv.Itoa(l.run), strconv.Itoa(p.Iteration), strconv.Itoa(p.Trees), number(p.Elapsed.Seconds()), number(p.TrainLoss)}
	if p.Valid != nil {
		for _, v := range append([]*aoso.Evaluation{p.Valid}, p.Others...) {
			line = append(line, strconv.Itoa(v.Errors), number(v.ErrorRate), number(v.LogLoss))
		}
	}
	line = append(line, make([]string, l.columns-len(line))...)
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

// withoutPath returns an error without the path, which the message has already.
func withoutPath(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
