package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/cmd/aoso/internal/table"
)

// decider is what predict does with the probabilities of rows: it writes prediction
// sets, or decisions under costs.
type decider struct {
	sets      aoso.SetOptions
	costsFile string
	decisions []string
	costs     []float64 // classes × decisions
	abstain   float64   // what it costs not to decide
	abstains  bool
}

// setSeparator stands between the classes of a set.
const setSeparator = "|"

var escapeClass = strings.NewReplacer(`\`, `\\`, setSeparator, `\`+setSeparator)

func (p *predictor) sets(m *aoso.Model) output {
	classes := m.Classes()
	return output{[]string{"size", "classes"}, false, func(x aoso.Features) (func(*lineWriter, int), error) {
		sets, err := m.PredictSet(x, p.decider.sets, p.options)
		return func(w *lineWriter, row int) {
			var names []string
			for k, in := range sets[row*len(classes):][:len(classes)] {
				if in {
					names = append(names, escapeClass.Replace(classes[k]))
				}
			}
			w.text(strconv.Itoa(len(names)))
			w.text(strings.Join(names, setSeparator))
		}, err
	}}
}

func (p *predictor) decisions(m *aoso.Model) output {
	return output{[]string{"decision", "expected_cost"}, false, func(x aoso.Features) (func(*lineWriter, int), error) {
		decisions, expected, err := m.Decide(x, p.decider.costs, p.options)
		return func(w *lineWriter, row int) {
			w.text(p.decider.decisions[decisions[row]])
			w.number(expected[row])
		}, err
	}}
}

// setCosts sets the decisions and their costs: those of the file, or the classes, each error costing 1. The last one may be not to decide.
func (d *decider) setCosts(classes []string) error {
	if d.abstains && d.abstain-d.abstain != 0 {
		return usageError(fmt.Errorf("abstain is %v; allowed: a finite number", d.abstain))
	}
	if d.costsFile != "" {
		if err := d.readCosts(classes); err != nil {
			return err
		}
	} else {
		d.decisions = classes
		for i := range classes {
			for j := range classes {
				cost := 1.
				if i == j {
					cost = 0
				}
				d.costs = append(d.costs, cost)
			}
		}
	}
	if !d.abstains {
		return nil
	}
	n, costs := len(d.decisions), []float64(nil)
	for row := range slices.Chunk(d.costs, n) {
		costs = append(append(costs, row...), d.abstain)
	}
	d.decisions, d.costs = append(slices.Clone(d.decisions), ""), costs
	return nil
}

// readCosts reads the costs of decisions: CSV whose header has the decisions, and
// whose lines begin with a class.
func (d *decider) readCosts(classes []string) error {
	fail := func(line int, format string, args ...any) error {
		return fmt.Errorf("%s:%d: "+format, append([]any{d.costsFile, line}, args...)...)
	}
	f, err := os.Open(d.costsFile)
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return fail(e.Line, "%w", e.Err)
	}
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", d.costsFile, err)
	}
	if len(lines) == 0 || len(lines[0]) < 2 {
		return fail(1, "there are no decisions; allowed: a header with a name for the classes and the names of the decisions")
	}
	d.decisions = lines[0][1:]
	d.costs = make([]float64, len(classes)*len(d.decisions))
	seen := map[string]bool{}
	for i, line := range lines[1:] {
		class := strings.TrimSpace(line[0])
		k := slices.Index(classes, class)
		if k < 0 || seen[class] {
			return fail(i+2, "class is %q; allowed: each class of the model once: %s", class, strings.Join(classes, ", "))
		}
		seen[class] = true
		for j, cell := range line[1:] {
			cost, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			if err != nil || cost-cost != 0 {
				return fail(i+2, "the cost of %q is %q; allowed: finite numbers", d.decisions[j], cell)
			}
			d.costs[k*len(d.decisions)+j] = cost
		}
	}
	if missing := slices.DeleteFunc(slices.Clone(classes), func(class string) bool { return seen[class] }); len(missing) > 0 {
		return fail(len(lines), "missing: %s", table.Listed(missing))
	}
	return nil
}
