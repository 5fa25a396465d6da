package aoso

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/internal/settings"
	"github.com/libaoso/aoso/internal/tune"
)

// Trial is a line of the trials table: what parameters have shown after some
// training.
type Trial struct {
	Number      int     `json:"trial"`          // from 1
	Rung        int     `json:"rung"`           // step of successive halving, from 1
	Params      string  `json:"params"`         // those that differ from the defaults, as [ParseParams] reads them
	Trained     int     `json:"trained"`        // iterations so far
	Best        int     `json:"best_iteration"` // iteration of the least refined loss
	Iterations  int     `json:"iterations"`     // of the model that the parameters would lead to
	RefinedLoss float64 `json:"refined_loss"`   // the least so far: log loss with the best temperature
	LogLoss     float64 `json:"log_loss"`       // after Iterations, without a temperature
	Errors      int     `json:"errors"`         // after Iterations, of the rows that judge
	Temperature float64 `json:"temperature"`    // that suits these rows best
	Seconds     float64 `json:"seconds"`        // of training
}

func newTrial(r *tune.Record, chosen bool) Trial {
	return Trial{
		Number: r.Trial, Rung: r.Rung, Params: searched(Params(r.Params), chosen), Trained: r.Trained, Best: r.Least, Iterations: r.Iterations,
		RefinedLoss: r.Refined, LogLoss: r.Raw, Errors: r.Errors, Temperature: r.Temperature, Seconds: r.Seconds,
	}
}

// searched returns the parameters of a trial as text, without the number of trees if
// that is chosen.
func searched(p Params, chosen bool) string {
	p.Threads, p.Level, p.TimeLimit = 0, "", 0
	if chosen {
		p.Trees = 0
	}
	return p.Changes()
}

var trialColumns = []string{
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

// BestTrials returns the trials that were trained longest, the best first, at most so
// many: a line for each, that of its last rung.
func BestTrials(trials []Trial, most int) []Trial {
	last := map[int]Trial{}
	for _, t := range trials {
		last[t.Number] = t
	}
	best := slices.SortedFunc(maps.Values(last), func(a, b Trial) int {
		return cmp.Or(-cmp.Compare(min(a.Rung, 3), min(b.Rung, 3)), cmp.Compare(a.RefinedLoss, b.RefinedLoss), a.Number-b.Number)
	})
	return best[:min(most, len(best))]
}

// readTrial is the inverse of cells.
func readTrial(cells []string) (t Trial, err error) {
	for i, field := range []any{
		&t.Number, &t.Rung, &t.Trained, &t.Best, &t.Iterations, &t.RefinedLoss, &t.LogLoss, &t.Errors, &t.Temperature, &t.Seconds, &t.Params,
	} {
		if allowed, ok := settings.ParseInto(field, cells[i]); !ok {
			return t, badArgument(trialColumns[i], cells[i], "%s", allowed)
		}
	}
	return t, nil
}

// WriteTrials writes a trials table as CSV, with a line of names.
func WriteTrials(w io.Writer, trials []Trial) error {
	c := csv.NewWriter(w)
	c.Write(trialColumns) // Flush keeps the error
	for i := range trials {
		c.Write(trials[i].cells())
	}
	c.Flush()
	return c.Error()
}

// trialsTable is a file of trials. A nil one keeps nothing.
type trialsTable struct {
	file  *os.File
	lines map[[2]int]bool // trial and rung of the lines it has
	seen  int             // records looked at
}

// openTrials opens a file for the trials of a search, and returns those that it
// has already.
func openTrials(path, description string) (*trialsTable, []tune.Record, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, err
	}
	t := &trialsTable{file: file, lines: map[[2]int]bool{}}
	known, err := t.read(description)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return t, known, nil
}

// read reads the file, or begins it if it is empty. It cuts off a last line that
// was not written to its end.
func (t *trialsTable) read(description string) (known []tune.Record, err error) {
	text, err := io.ReadAll(t.file)
	if err != nil {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	head := "# " + description + "\n" + strings.Join(trialColumns, ",") + "\n"
	if len(whole) < len(head) && strings.HasPrefix(head, string(text)) {
		return nil, t.restart(head)
	}
	if err := checkHead(t.file.Name(), string(whole), head); err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(whole[len(head):])).ReadAll()
	if err != nil {
		return nil, badArgument("table", t.file.Name(), "a trials table: %v", err)
	}
	for _, cells := range lines {
		if len(cells) != len(trialColumns) {
			return nil, badArgument("table", t.file.Name(), "a trials table of %d columns", len(trialColumns))
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

func (t *trialsTable) restart(head string) error {
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
		return badArgument("table", path, "a trials table of this version, or a new file")
	}
	for i, what := range []string{"", "other data", "another validation set", "other parameters"} {
		if have[i] != want[i] {
			return badArgument("table", path, "a trials table of this search, or a new file; that one is of %s (%s, here %s)", what, have[i], want[i])
		}
	}
	return badArgument("table", path, "a trials table, or a new file")
}

// describeTrials says what a search is of: only with the same can it go on.
func describeTrials(train, valid *Dataset, p Params) string {
	return fmt.Sprintf("aoso trials, version 1; data %s; validation %s; params %s", digest(train), digest(valid), p.Changes())
}

// digest tells datasets apart.
func digest(d *Dataset) string {
	if d == nil {
		return "none"
	}
	sum := d.set.Writer().Hash()
	text := fmt.Sprintf("%x", sum[:8])
	if m := d.continued(); m != nil {
		text += " after " + m.Fingerprint()
	}
	return text
}

// write adds the lines that the table does not have.
func (t *trialsTable) write(records []tune.Record, chosen bool) error {
	if t == nil {
		return nil
	}
	var lines bytes.Buffer
	c := csv.NewWriter(&lines)
	for ; t.seen < len(records); t.seen++ {
		trial := newTrial(&records[t.seen], chosen)
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

func (t *trialsTable) close() {
	if t != nil {
		t.file.Close()
	}
}
