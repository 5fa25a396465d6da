package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/libaoso/aoso"
)

// A display shows the progress of training.
type display interface {
	show(aoso.Progress)
	close()
}

// notes returns where a command writes what is neither a result nor a warning.
func notes(c *cobra.Command) io.Writer { return unlessQuiet(c, c.ErrOrStderr()) }

// reports returns where a command describes the file that it has saved.
func reports(c *cobra.Command) io.Writer { return unlessQuiet(c, c.OutOrStdout()) }

func unlessQuiet(c *cobra.Command, w io.Writer) io.Writer {
	if quiet, err := c.Flags().GetBool("quiet"); err == nil && quiet {
		return io.Discard
	}
	return w
}

// showsBars reports whether progress bars can be shown: on a terminal that can move
// its cursor.
func showsBars(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// newDisplay returns a progress bar on a terminal, and lines elsewhere. The model
// has before trees at the start of training.
func newDisplay(w io.Writer, before int) display {
	if showsBars(w) {
		return &barDisplay{w: w, before: before}
	}
	return &lineDisplay{w: w}
}

// phaseNames says what a phase does.
var phaseNames = map[aoso.Phase]string{
	aoso.PhaseHoldOut: "choosing parameters: training without the rows held out",
	aoso.PhaseTrain:   "training on all rows",
}

// barDisplay shows a bar for each phase, and for all parameters that it tries.
type barDisplay struct {
	w      io.Writer
	bar    *progressbar.ProgressBar // nil: none yet
	phase  aoso.Phase
	trees  int // in the model, at the last iteration
	before int
}

func (d *barDisplay) show(p aoso.Progress) {
	if d.phase != p.Phase || p.Trees < d.trees {
		d.close()
		d.phase, d.bar = p.Phase, progressbar.NewOptions(p.MaxTrees-d.before,
			progressbar.OptionSetWriter(d.w),
			progressbar.OptionSetItsString("trees"),
			progressbar.OptionShowIts(),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetWidth(20),
			progressbar.OptionClearOnFinish(),
		)
	}
	d.trees = p.Trees
	if p.Evaluated {
		text := fmt.Sprintf("loss %.4g", p.TrainLoss)
		if v := p.Valid; v != nil {
			text += fmt.Sprintf(", errors %d (%.2f %%)", v.Errors, 100*v.ErrorRate)
		}
		for _, v := range p.Others {
			text += fmt.Sprintf(", %d (%.2f %%)", v.Errors, 100*v.ErrorRate)
		}
		if p.Phase == aoso.PhaseHoldOut {
			text = "without the rows held out: " + text
		}
		d.bar.Describe(text)
	}
	d.bar.ChangeMax(p.MaxTrees - d.before)
	d.bar.Set(p.Trees - d.before) // ignore errors of the terminal
}

func (d *barDisplay) close() {
	if d.bar != nil {
		d.bar.Clear()
	}
}

// lineDisplay writes a table for each phase, and for all parameters that it tries,
// with a line after 1, 2, 5, 10, 20, 50, … iterations, and at least one every
// linesEvery.
type lineDisplay struct {
	w     io.Writer
	phase aoso.Phase
	trees int            // in the model, at the last iteration
	first int            // iterations of the parameters tried before
	next  int            // iteration of the next line, after those
	last  time.Time      // of the last line
	told  bool           // that log losses are not calibrated
	left  *aoso.Progress // the last evaluation, if not yet written
}

const linesEvery = 20 * time.Second

func (d *lineDisplay) show(p aoso.Progress) {
	switch {
	case d.phase != p.Phase:
		d.close()
		if d.phase != "" || p.Phase == aoso.PhaseHoldOut {
			fmt.Fprintln(d.w, phaseNames[p.Phase])
		}
		d.phase, d.next, d.first = p.Phase, 0, 0
	case p.Trees < d.trees:
		d.close()
		fmt.Fprintln(d.w, "trying other parameters")
		d.next, d.first = 0, p.Iteration-1
	}
	d.trees = p.Trees
	if !p.Evaluated {
		return
	}
	d.left = &p
	if p.Iteration-d.first >= d.next || time.Since(d.last) >= linesEvery {
		d.write(p)
	}
}

func (d *lineDisplay) write(p aoso.Progress) {
	if d.next == 0 {
		if p.Valid != nil && !d.told {
			fmt.Fprintln(d.w, "log losses in these tables are not calibrated")
			d.told = true
		}
		fmt.Fprintf(d.w, "%8s %9s %12s", "trees", "seconds", "train loss")
		if p.Valid != nil {
			fmt.Fprintf(d.w, " %8s %8s %9s", "errors", "rate", "logloss")
		}
		for i := range p.Others {
			fmt.Fprintf(d.w, " %8s %8s %9s", fmt.Sprint("errors ", i+2), fmt.Sprint("rate ", i+2), fmt.Sprint("logloss ", i+2))
		}
		fmt.Fprintln(d.w)
	}
	d.last, d.left = time.Now(), nil
	for d.next <= p.Iteration-d.first {
		d.next = following(d.next)
	}
	fmt.Fprintf(d.w, "%8d %9.2f %12.5g", p.Trees, p.Elapsed.Seconds(), p.TrainLoss)
	if v := p.Valid; v != nil {
		fmt.Fprintf(d.w, " %8d %6.2f %% %9.5f", v.Errors, 100*v.ErrorRate, v.LogLoss)
	}
	for _, v := range p.Others {
		fmt.Fprintf(d.w, " %8d %6.2f %% %9.5f", v.Errors, 100*v.ErrorRate, v.LogLoss)
	}
	fmt.Fprintln(d.w)
}

// close writes the last line if it is missing.
func (d *lineDisplay) close() {
	if d.left != nil {
		d.write(*d.left)
	}
}

// following returns the number after n in 0, 1, 2, 5, 10, 20, 50, …
func following(n int) int {
	unit := 1
	for unit*10 <= n {
		unit *= 10
	}
	switch n / unit {
	case 0:
		return 1
	case 1:
		return 2 * unit
	case 2:
		return 5 * unit
	}
	return 10 * unit
}
