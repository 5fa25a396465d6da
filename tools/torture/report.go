package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/spec"
)

// report counts outcomes and prints them.
type report struct {
	out                                 io.Writer
	verbose                             bool
	command                             string // repeats a training, if -seed is added
	start                               time.Time
	scenarios, trainings, trees, faults int
	shapes, sizes, ended, checks        map[string]int
	faulty                              map[string]int            // faults by check
	kinds                               map[string]map[string]int // number of trainings by parameter and kind of value
}

// mostFaults is the number of faults of each check that are printed.
const mostFaults = 5

func newReport(out io.Writer, verbose bool, command string) *report {
	r := &report{out: out, verbose: verbose, command: command, start: time.Now()}
	for _, counts := range []*map[string]int{&r.shapes, &r.sizes, &r.ended, &r.checks, &r.faulty} {
		*counts = map[string]int{}
	}
	r.kinds = map[string]map[string]int{}
	for _, p := range spec.Parameters {
		r.kinds[p.Name] = map[string]int{}
	}
	return r
}

// add counts an outcome and prints its faults.
func (r *report) add(o *outcome) {
	r.scenarios++
	r.trainings += o.Trainings
	r.trees += o.Trees
	r.shapes[o.Shape]++
	r.sizes[o.Size]++
	r.ended[o.Ended]++
	for _, name := range o.Checks {
		r.checks[name]++
	}
	for key, kind := range o.Kinds {
		name, _, _ := strings.Cut(key, " ")
		r.kinds[name][kind]++
	}
	if r.verbose {
		fmt.Fprintf(r.out, "seed %d: %s; %d trainings, %d trees, %.3f s; checks: %s\n", o.Seed, o.Description, o.Trainings, o.Trees, o.Seconds, strings.Join(o.Checks, ", "))
	}
	if o.Description == "" { // the worker died before it could answer
		o.Description = newScenario(o.Seed).String()
	}
	for _, f := range o.Faults {
		r.faults++
		if r.faulty[f.Check]++; r.faulty[f.Check] <= mostFaults {
			fmt.Fprintf(r.out, "FAULT in %s: %s\n  %s\n  %s -seed %d -runs 1 -v\n", f.Check, f.Message, o.Description, r.command, o.Seed)
		}
	}
	if r.scenarios%1000 == 0 {
		fmt.Fprintf(r.out, "%s: %d trainings, %d faults\n", time.Since(r.start).Round(time.Second), r.scenarios, r.faults)
	}
}

// enough is the number of trainings after which every parameter must have had
// values of every kind. In fewer, one may be missing by chance.
const enough = 500

// uncovered lists the parameters and the kinds of value that they did not have.
func (r *report) uncovered() (names []string) {
	for _, p := range spec.Parameters {
		for _, kind := range []string{byDefault, plain, extreme, invalid} {
			if r.kinds[p.Name][kind] == 0 {
				names = append(names, p.Name+" ("+kind+")")
			}
		}
	}
	return names
}

// summary prints the counts. It reports whether there were no faults and every
// parameter had values of every kind.
func (r *report) summary() bool {
	fmt.Fprintf(r.out, "torture: shapes: %s\n", listed(r.shapes))
	fmt.Fprintf(r.out, "torture: sizes: %s\n", listed(r.sizes))
	fmt.Fprintf(r.out, "torture: ended by: %s\n", listed(r.ended))
	fmt.Fprintf(r.out, "torture: checks: %s\n", listed(r.checks))
	if r.faults > 0 {
		fmt.Fprintf(r.out, "torture: faults: %s\n", listed(r.faulty))
	}
	uncovered := r.uncovered()
	fmt.Fprintf(r.out, "torture: %d of %d parameters had default, plain, extreme and invalid values", len(r.kinds)-countNames(uncovered), len(r.kinds))
	if len(uncovered) > 0 && r.scenarios >= enough {
		fmt.Fprintf(r.out, "; missing: %s", strings.Join(uncovered, ", "))
	}
	seconds := time.Since(r.start).Seconds()
	fmt.Fprintf(r.out, "\ntorture: %d random trainings (%d including those that checks repeat), %d trees, levels %s, %.0f s (%.0f trainings per second): %d faults\n",
		r.scenarios, r.trainings, r.trees, strings.Join(aoso.Levels(), ", "), seconds, float64(r.scenarios)/seconds, r.faults)
	return r.faults == 0 && (len(uncovered) == 0 || r.scenarios < enough)
}

func countNames(uncovered []string) int {
	names := map[string]bool{}
	for _, item := range uncovered {
		name, _, _ := strings.Cut(item, " ")
		names[name] = true
	}
	return len(names)
}

// listed formats counts, the largest first.
func listed(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}
