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
	"strconv"
	"strings"
	"time"

	"github.com/libaoso/aoso"
)

// outcome is what a worker tells of a training.
type outcome struct {
	Seed        uint64
	Description string
	Shape       string
	Size        string
	Ended       string            // why
	Trainings   int               // with those that checks repeat
	Trees       int               // grown in all of them
	Kinds       map[string]string // by parameter, and "parameter invalid"
	Checks      []string          // that were made
	Faults      []fault
	Seconds     float64
}

// fault is something that must not be.
type fault struct {
	Check, Message string
}

// worker tries scenarios in this process, one after the other.
type worker struct {
	clients []*client
	memory  float64 // share of the trainings whose memory is measured
	only    string  // the one check to make; "": all
	folder  string
	kept    []keptModel
	idle    int // goroutines when nothing runs
}

// serve reads seeds, a line each, and answers with outcomes. A panic is an
// outcome, the last one: the process may no longer be sound.
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

// try trains a scenario and makes the checks. It is not sound to go on after a
// panic.
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
	debug.SetGCPercent(pick(newDice(seed, "gc"), 100, 100, 100, 5)) // often: what is used after it is freed shows sooner
	o.Description, o.Shape, o.Size, o.Kinds = c.String(), c.shape, c.size.name, c.kinds
	at = "training"
	t, err := newTrial(c, w.folder)
	if err != nil {
		o.Faults = append(o.Faults, fault{at, err.Error()})
		return o, true
	}
	t.count(t.result)
	o.Ended = t.result.StoppedBy
	for _, check := range w.checks(c) {
		d := newDice(seed, check.name)
		if made := d.chance(check.share); w.only == "" && !made || w.only != "" && w.only != check.name {
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

// checks is those of every worker, and those that need what this one has.
func (w *worker) checks(c *scenario) []check {
	memory := w.memory
	if c.size != small { // which the Go runtime's own memory would hide
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

// checkKept has earlier models predict again, and keeps this one.
func (w *worker) checkKept(t *trial, d dice) error {
	for _, k := range w.kept {
		raw, err := k.model.PredictRaw(k.x, aoso.PredictOptions{})
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

// checkGoroutines waits for those that the training started to end.
func (w *worker) checkGoroutines(*trial, dice) error {
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > w.idle+w.running(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			return fmt.Errorf("%d goroutines are left, %d were there before:\n%s", runtime.NumGoroutine(), w.idle, stacks[:runtime.Stack(stacks, true)])
		}
	}
	return nil
}

// running is the goroutines that clients need.
func (w *worker) running() (n int) {
	for _, c := range w.clients {
		n += c.goroutines()
	}
	return n
}

// frames is the topmost functions of a stack below the panic, a line each.
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
