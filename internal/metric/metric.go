// Package metric measures how well scores tell the classes of rows: log loss, errors,
// other metrics by name, confusions, reliability, expected costs, and the temperature that
// suits the scores best. No result depends on the order of the rows or on how many
// machines share them.
package metric

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// Rows are rows to measure on.
type Rows struct {
	*data.Target
	Scores  []float64 // raw, rows × classes
	Proba   []float64 // likewise; only metrics with NeedsProba read them
	Kernels *kernel.Funcs
	Team    *par.Team
}

// Metric is a metric by name.
type Metric struct {
	Name       string
	NeedsProba bool
	of         func(*Rows) float64
}

// DefaultTop is the number of classes in which a top_k_error looks for the right one.
const DefaultTop = 5

// metrics is all but top_k_error, which has a number of classes.
var metrics = []Metric{
	{Name: "auc_ovr", NeedsProba: true, of: func(r *Rows) float64 { return r.auc(oneAgainstRest, false) }},
	{Name: "auc_ovr_weighted", NeedsProba: true, of: func(r *Rows) float64 { return r.auc(oneAgainstRest, true) }},
	{Name: "auc_ovo", NeedsProba: true, of: func(r *Rows) float64 { return r.auc(oneAgainstOne, false) }},
	{Name: "auc_ovo_weighted", NeedsProba: true, of: func(r *Rows) float64 { return r.auc(oneAgainstOne, true) }},
	{Name: "balanced_error", of: (*Rows).balancedError},
	{Name: "f1_macro", of: (*Rows).f1},
	{Name: "kappa", of: (*Rows).kappa},
	{Name: "brier", NeedsProba: true, of: (*Rows).brier},
	{Name: "ece", NeedsProba: true, of: (*Rows).ece},
}

// Names lists the metrics.
func Names() []string {
	names := []string{"top_k_error"}
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	return names
}

// Parse finds a metric by name. error@3 is a top_k_error of three classes.
func Parse(name string) (Metric, error) {
	if name == "top_k_error" {
		return TopKError(DefaultTop), nil
	}
	if k, found := strings.CutPrefix(name, "error@"); found {
		if top, err := strconv.Atoi(k); err == nil && top > 0 {
			return TopKError(top), nil
		}
	}
	for _, m := range metrics {
		if m.Name == name {
			return m, nil
		}
	}
	return Metric{}, fmt.Errorf("%q is no metric", name)
}

// TopKError returns the share of the rows' weight whose class is not among this many classes
// with the greatest scores. Of equal scores, the lower class comes first.
func TopKError(top int) Metric {
	return Metric{Name: fmt.Sprintf("error@%d", top), of: func(r *Rows) float64 { return r.topError(top) }}
}

// Of returns the metric of some rows; NaN: it is not defined there.
func (m Metric) Of(r *Rows) float64 { return m.of(r) }

// Argmax returns the position of the greatest value, the first where some tie.
func Argmax(v []float64) int {
	best, most := 0, math.Inf(-1)
	for k := nextAbove(v, 0, most); k < len(v); k = nextAbove(v, k+1, most) {
		best, most = k, v[k]
	}
	return best
}

// nextAbove returns the first position from k on of a value greater than most; len(v) if there is none. It looks at four values at a time,
// whose branches are never taken but once.
func nextAbove(v []float64, k int, most float64) int {
	for ; k+4 <= len(v); k += 4 {
		if four := v[k : k+4]; four[0] > most || four[1] > most || four[2] > most || four[3] > most {
			break
		}
	}
	for ; k < len(v) && !(v[k] > most); k++ {
	}
	return k
}

func (r *Rows) classes() int { return len(r.Classes) }

func (r *Rows) scores(row int) []float64 { return r.Scores[row*r.classes():][:r.classes()] }

func (r *Rows) proba(row int) []float64 { return r.Proba[row*r.classes():][:r.classes()] }

// everywhere returns the rows of all machines, with their probabilities alone; nil after an
// error of the collective.
func (r *Rows) everywhere() *Rows {
	if r.Ranks == nil {
		return r
	}
	record := 2 + r.classes()
	mine := make([]uint64, 0, record*r.Rows())
	for i, y := range r.Labels {
		mine = append(mine, uint64(int64(y)), uint64(math.Float32bits(float32(r.Weight(i)))))
		for _, p := range r.proba(i) {
			mine = append(mine, math.Float64bits(p))
		}
	}
	all := &Rows{Target: &data.Target{Classes: r.Classes}, Kernels: r.Kernels, Team: r.Team}
	for _, b := range r.Ranks.Gather(collective.Pack(mine), 8*record) {
		theirs := collective.Unpack(b)
		for i := 0; i < len(theirs); i += record {
			all.Labels = append(all.Labels, int32(int64(theirs[i])))
			all.Weights = append(all.Weights, math.Float32frombits(uint32(theirs[i+1])))
			for _, bits := range theirs[i+2 : i+record] {
				all.Proba = append(all.Proba, math.Float64frombits(bits))
			}
		}
	}
	return all
}
