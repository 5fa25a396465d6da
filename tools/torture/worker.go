package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libaoso/aoso"
)

// outcome is the answer of a worker for a training.
type outcome struct {
	Seed        uint64
	Description string
	Shape       string
	Size        string
	Ended       string            // stop reason
	Trainings   int               // including those that checks repeat
	Trees       int               // grown in all of these
	Kinds       map[string]string // kind of value by parameter, and "invalid" by "parameter invalid"
	Checks      []string          // names of the checks that ran
	Faults      []fault
	Seconds     float64
}

// fault is the failure of a check.
type fault struct {
	Check, Message string
}

// worker runs scenarios in this process, one after another.
type worker struct {
	clients []*client
	memory  float64 // share of the trainings whose memory is measured
	only    string  // the only check to run; empty for all
	folder  string
	kept    []keptModel
	idle    int // number of goroutines when no training runs
}

// serve reads seeds, one on each line, and answers with outcomes. It returns
// after the outcome of a panic, because the state of the process may be broken.
func (w *worker) serve(in io.Reader, out io.Writer) error {
	var err error
	if w.folder, err = os.MkdirTemp("", "aoso-torture-"); err != nil {
		return err
	}
	defer os.RemoveAll(w.folder)
	for _, c := range w.clients {
		defer c.stop()
	}
	w.idle = runtime.NumGoroutine()
	encoder := json.NewEncoder(out)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		seed, err := strconv.ParseUint(lines.Text(), 10, 64)
		if err != nil {
			return err
		}
		o, sound := w.try(seed)
		if err := encoder.Encode(o); err != nil {
			return err
		}
		if !sound {
			return nil
		}
	}
	return nil
}

// try trains a scenario and runs the checks. sound is false after a panic: the
// process must then exit.
func (w *worker) try(seed uint64) (o *outcome, sound bool) {
	o = &outcome{Seed: seed}
	at, start := "scenario", time.Now()
	defer func() {
		if v := recover(); v != nil {
			o.Faults = append(o.Faults, fault{at, fmt.Sprintf("panic: %v\n%s", v, frames(debug.Stack()))})
			sound = false
		}
		o.Seconds = time.Since(start).Seconds()
	}()
	c := newScenario(seed)
	debug.SetGCPercent(pick(newDice(seed, "gc"), 100, 100, 100, 5)) // frequent collections expose memory that is used after it is freed
	o.Description, o.Shape, o.Size, o.Kinds = c.String(), c.shape, c.size.name, c.kinds
	at = "training"
	t, err := newTrial(c, w.folder)
	if err != nil {
		o.Faults = append(o.Faults, fault{at, err.Error()})
		return o, true
	}
	t.count(t.result)
	o.Ended = string(t.result.StoppedBy)
	for _, check := range w.checks(c) {
		d := newDice(seed, check.name)
		if drawn := d.chance(check.share); w.only == "" && !drawn || w.only != "" && w.only != check.name {
			continue
		}
		if t.rated() && slices.Contains(asPredicted, check.name) {
			continue
		}
		at = check.name
		o.Checks = append(o.Checks, check.name)
		if err := check.run(t, d); err != nil {
			o.Faults = append(o.Faults, fault{check.name, err.Error()})
		}
	}
	o.Trainings, o.Trees = t.trainings, t.trees
	t.free()
	return o, true
}

// checks returns the common checks and those that need the state of this worker.
func (w *worker) checks(c *scenario) []check {
	memory := w.memory
	if c.size != small { // in small trainings, the memory of the Go runtime dominates
		memory *= 10
	}
	all := append(checks[:len(checks):len(checks)],
		check{"memory", memory, func(t *trial, _ dice) error { return checkMemory(t.scenario) }},
		check{"earlier models", 1, w.checkKept},
		check{"goroutines", 1, w.checkGoroutines},
	)
	for _, c := range w.clients {
		all = append(all, check{c.language, 0.2, c.check})
	}
	return all
}

// keptModel is the model of an earlier training and what it predicted.
type keptModel struct {
	seed  uint64
	model *aoso.Model
	x     aoso.Features
	raw   []float64
}

// checkKept compares the predictions of earlier models with those made when they
// were trained. It then keeps the model of t.
func (w *worker) checkKept(t *trial, d dice) error {
	for _, k := range w.kept {
		raw, err := k.model.PredictRaw(k.x)
		if err != nil {
			return err
		}
		if err := differ(fmt.Sprintf("the model of seed %d", k.seed), raw, k.raw); err != nil {
			return err
		}
	}
	if len(t.raw) < 10_000 {
		if len(w.kept) == 8 {
			w.kept = append(w.kept[:0], w.kept[1:]...)
		}
		w.kept = append(w.kept, keptModel{t.seed, t.model, t.x, t.raw})
	}
	return nil
}

// checkGoroutines checks that all goroutines of the training exit.
func (w *worker) checkGoroutines(*trial, dice) error {
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > w.idle+w.running(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			return fmt.Errorf("%d goroutines are running, %d ran before the training:\n%s", runtime.NumGoroutine(), w.idle, stacks[:runtime.Stack(stacks, true)])
		}
	}
	return nil
}

// running returns the number of goroutines that serve clients.
func (w *worker) running() (n int) {
	for _, c := range w.clients {
		n += c.goroutines()
	}
	return n
}

// frames returns the topmost positions of a stack below the panic, one on each
// line.
func frames(stack []byte) string {
	var lines []string
	_, stack, _ = bytes.Cut(stack, []byte("\npanic("))
	for line := range bytes.Lines(stack) {
		if at, ok := bytes.CutPrefix(line, []byte("\t")); ok && len(lines) < 8 {
			lines = append(lines, "    "+string(bytes.TrimSpace(at)))
		}
	}
	return strings.Join(lines, "\n")
}
