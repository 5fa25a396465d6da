// Package trials keeps the trials of a search for parameters in a CSV file, from which a later
// search goes on.
package trials

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/internal/argument"
	"github.com/libaoso/aoso/internal/settings"
	"github.com/libaoso/aoso/internal/tune"
)

// Trial is a line of the table. aoso.Trial documents the fields.
type Trial struct {
	Number      int
	Rung        int
	Params      string
	Trained     int
	Best        int
	Iterations  int
	RefinedLoss float64
	LogLoss     float64
	Errors      int
	Temperature float64
	Seconds     float64
}

// New returns the line of a record. chosen says whether training chooses the number of trees.
func New(r *tune.Record, chosen bool) Trial {
	return Trial{
		Number: r.Trial, Rung: r.Rung, Params: searched(settings.Params(r.Params), chosen), Trained: r.Trained, Best: r.Least, Iterations: r.Iterations,
		RefinedLoss: r.Refined, LogLoss: r.Raw, Errors: r.Errors, Temperature: r.Temperature, Seconds: r.Seconds,
	}
}

// searched returns the parameters of a trial as text, without the number of trees if
// that is chosen.
func searched(p settings.Params, chosen bool) string {
	p.NThread, p.Level, p.TimeLimit = 0, "", 0
	if chosen {
		p.NEstimators = 0
	}
	return p.Changes()
}

var columns = []string{
	"trial", "rung", "trained", "best_iteration", "iterations", "refined_loss", "log_loss", "errors", "temperature", "seconds", "params",
}

func (t *Trial) cells() []string {
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return []string{
		strconv.Itoa(t.Number), strconv.Itoa(t.Rung), strconv.Itoa(t.Trained), strconv.Itoa(t.Best), strconv.Itoa(t.Iterations),
		exact(t.RefinedLoss), exact(t.LogLoss), strconv.Itoa(t.Errors), exact(t.Temperature),
		strconv.FormatFloat(t.Seconds, 'f', 3, 64), t.Params,
	}
}

// readTrial is the inverse of cells.
func readTrial(cells []string) (t Trial, err error) {
	for i, field := range []any{
		&t.Number, &t.Rung, &t.Trained, &t.Best, &t.Iterations, &t.RefinedLoss, &t.LogLoss, &t.Errors, &t.Temperature, &t.Seconds, &t.Params,
	} {
		if allowed, ok := settings.ParseInto(field, cells[i]); !ok {
			return t, argument.New(columns[i], cells[i], "%s", allowed)
		}
	}
	return t, nil
}

// Table is a file of trials. A nil one keeps nothing.
type Table struct {
	file  *os.File
	lines map[[2]int]bool // trial and rung of the lines it has
	seen  int             // records looked at
}

// Open opens a file for the trials of a search, and returns those that it
// has already.
func Open(path, description string) (*Table, []tune.Record, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, err
	}
	t := &Table{file: file, lines: map[[2]int]bool{}}
	known, err := t.read(description)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return t, known, nil
}

// read reads the file, or begins it if it is empty. It cuts off a last line that
// was not written to its end.
func (t *Table) read(description string) (known []tune.Record, err error) {
	text, err := io.ReadAll(t.file)
	if err != nil {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	head := "# " + description + "\n" + strings.Join(columns, ",") + "\n"
	if len(whole) < len(head) && strings.HasPrefix(head, string(text)) {
		return nil, t.restart(head)
	}
	if err := checkHead(t.file.Name(), string(whole), head); err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(whole[len(head):])).ReadAll()
	if err != nil {
		return nil, argument.New("table", t.file.Name(), "a trials table: %v", err)
	}
	for _, cells := range lines {
		if len(cells) != len(columns) {
			return nil, argument.New("table", t.file.Name(), "a trials table of %d columns", len(columns))
		}
		trial, err := readTrial(cells)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.file.Name(), err)
		}
		t.lines[[2]int{trial.Number, trial.Rung}] = true
		known = append(known, trial.record())
	}
	if err := t.file.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	_, err = t.file.Seek(int64(len(whole)), io.SeekStart)
	return known, err
}

func (t *Trial) record() tune.Record {
	r := tune.Record{Trial: t.Number, Rung: t.Rung, Trained: t.Trained, Seconds: t.Seconds}
	r.Least, r.Iterations, r.Errors = t.Best, t.Iterations, t.Errors
	r.Refined, r.Raw, r.Temperature = t.RefinedLoss, t.LogLoss, t.Temperature
	return r
}

func (t *Table) restart(head string) error {
	if err := t.file.Truncate(0); err != nil {
		return err
	}
	_, err := t.file.WriteAt([]byte(head), 0)
	if err == nil {
		_, err = t.file.Seek(int64(len(head)), io.SeekStart)
	}
	return err
}

// checkHead returns an error unless a table is of the search that it is to go on with.
func checkHead(path, text, head string) error {
	if strings.HasPrefix(text, head) {
		return nil
	}
	first, _, _ := strings.Cut(text, "\n")
	ours, _, _ := strings.Cut(head, "\n")
	have, want := strings.SplitN(first, "; ", 4), strings.SplitN(ours, "; ", 4)
	if have[0] != want[0] || len(have) != len(want) {
		return argument.New("table", path, "a trials table of this version, or a new file")
	}
	for i, what := range []string{"", "other data", "another validation set", "other parameters"} {
		if have[i] != want[i] {
			return argument.New("table", path, "a trials table of this search, or a new file; that one is of %s (%s, here %s)", what, have[i], want[i])
		}
	}
	return argument.New("table", path, "a trials table, or a new file")
}

// Write adds the lines that the table does not have.
func (t *Table) Write(records []tune.Record, chosen bool) error {
	if t == nil {
		return nil
	}
	var lines bytes.Buffer
	c := csv.NewWriter(&lines)
	for ; t.seen < len(records); t.seen++ {
		trial := New(&records[t.seen], chosen)
		if at := [2]int{trial.Number, trial.Rung}; !t.lines[at] {
			t.lines[at] = true
			c.Write(trial.cells())
		}
	}
	c.Flush()
	if lines.Len() == 0 {
		return nil
	}
	_, err := t.file.Write(lines.Bytes())
	return err
}

// Close closes the file.
func (t *Table) Close() error {
	if t == nil {
		return nil
	}
	return t.file.Close()
}

// WriteCSV writes trials as CSV, with a line of names.
func WriteCSV(w io.Writer, all []Trial) error {
	c := csv.NewWriter(w)
	c.Write(columns) // Flush keeps the error
	for i := range all {
		c.Write(all[i].cells())
	}
	c.Flush()
	return c.Error()
}
