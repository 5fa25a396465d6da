// Package settings determines the parameters of training: their text and file forms, the
// values that they get from the shape of the data, and which values exclude one another.
package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/libaoso/aoso/internal/argument"
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/linear"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/spec"
)

// Resolve checks the parameters and returns the settings for training to try on data
// of this shape, in order: the preset fills in the parameters that are unset.
func (p Params) Resolve(s data.Shape) ([]Params, error) {
	var settings []Params
	members := p.Plan(s, false).Members()
	for _, fill := range p.preset(s) {
		filled := p.filled(fill)
		if filled.LeafClasses == 0 {
			filled.LeafClasses = leafClassesFor(s, filled.NEstimators)
		}
		if filled.Ensemble == 0 {
			filled.Ensemble = members
		}
		if p.Ensemble > 1 && p.NEstimators > 0 { // they are the trees of all members
			filled.NEstimators = max(1, p.NEstimators/p.Ensemble)
		}
		filled, err := filled.Complete(s.Classes)
		if err != nil {
			return nil, err
		}
		if filled.Ensemble == 1 {
			(*boost.Params)(&filled).Unmix()
		}
		if (filled.Start == "linear" || filled.Start == "mixed") && !linear.Fits(s.Features, s.Classes) {
			return nil, argument.New("start", filled.Start, "zero, for %d classes of %d features", s.Classes, s.Features)
		}
		if len(settings) == 0 || filled != settings[len(settings)-1] {
			settings = append(settings, filled)
		}
	}
	return settings, nil
}

// check returns an error for the first value that is not allowed.
func (p Params) check() error {
	for i, field := range p.fields() {
		known := &spec.Parameters[i]
		if v := value(field); !known.Allows(v) {
			return argument.New(known.Name, v, "%s", known.Allowed())
		}
	}
	return nil
}

// Complete checks the parameters and fills in those whose defaults depend on the
// method and the number of classes.
func (p Params) Complete(classes int) (Params, error) {
	if err := p.check(); err != nil {
		return p, err
	}
	if err := p.checkConstraints(); err != nil {
		return p, err
	}
	p = p.normalized()
	if n := p.TreesPerIteration(classes); p.NEstimators < n {
		return p, argument.New("n_estimators", p.NEstimators, "at least %d, one iteration of %s", n, p.Method)
	}
	p.LeafClasses = cmp.Or(p.LeafClasses, defaultLeafClasses)
	if p.Method != model.AOSO {
		if err := p.exclude(spec.OtherMethod, p.Method); err != nil {
			return p, err
		}
		p.Leaf, p.Pairs = "pair", 1
	}
	p.Start, p.Leaf, p.Pairs = cmp.Or(p.Start, "zero"), p.leafFor(classes), cmp.Or(p.Pairs, 4)
	if classes > spec.MostDenseClasses {
		if err := p.exclude(spec.WithManyClasses); err != nil {
			return p, err
		}
	}
	for p.Pairs > 1 && p.Pairs/2 >= classes/2 {
		p.Pairs /= 2
	}
	p.GrowPolicy = cmp.Or(p.GrowPolicy, "lossguide")
	return p, p.excludeSymmetric()
}

// exclude returns an error for a parameter whose value a condition excludes.
func (p *Params) exclude(under spec.Condition, a ...any) error {
	for i, field := range p.fields() {
		known := &spec.Parameters[i]
		for _, e := range known.Exclusions {
			if e.Under == under && !isAuto(known, field) && !slices.Contains(e.Allowed, fmt.Sprint(value(field))) {
				return argument.New(known.Name, value(field), strings.Join(e.Allowed, " or ")+string(under), a...)
			}
		}
	}
	return nil
}

// excludeSymmetric returns an error if other parameters exclude symmetric trees.
func (p *Params) excludeSymmetric() error {
	switch {
	case p.Leaf != "full":
		return p.exclude(spec.WithOtherLeaf, p.Leaf)
	case p.InteractionConstraints != "":
		return p.exclude(spec.WithInteractions)
	case p.MinChildWeight > 0:
		return p.exclude(spec.WithMinChildWeight)
	}
	return nil
}

// UseObjective prepares the parameters for an objective of the caller. continued says
// whether training continues a model, which has its initial scores.
func (p *Params) UseObjective(continued bool) error {
	if p.Leaf == "" && p.Method == model.AOSO {
		p.Leaf = "full" // however many classes there are
	}
	p.Start = cmp.Or(p.Start, "zero")
	checked := *p
	if continued {
		checked.Start = ""
	}
	return checked.exclude(spec.WithObjective)
}

// Continue gives parameters that are unset the values of the model that training continues. grown says that the model has
// got further classes, which take as many pairs as they have by default.
func (p *Params) Continue(m *model.Model, grown bool) error {
	p.LeafClasses = cmp.Or(p.LeafClasses, m.LeafClasses)
	if m.Method == model.AOSO && p.Method == model.AOSO {
		p.Leaf = cmp.Or(p.Leaf, m.Leaf)
		if !grown || m.Leaf != "full" {
			p.Pairs = cmp.Or(p.Pairs, m.Pairs)
		}
	}
	start := m.Forest.Start()
	if p.Start == "mixed" { // of an ensemble
		p.Start = start
	}
	if p.Start = cmp.Or(p.Start, start); !m.Forest.StartsFrom(p.Start) {
		return argument.New("start", p.Start, "%s, as in the model to continue", start)
	}
	return nil
}

// CheckContinued returns an error if training with the parameters cannot add trees to a model.
func (p *Params) CheckContinued(m *model.Model, classes int, grown bool) error {
	switch n := p.TreesPerIteration(classes); {
	case m.Method != p.Method:
		return argument.New("method", string(p.Method), "%s, as in the model to continue", m.Method)
	case m.Leaf != p.Leaf:
		return argument.New("leaf", p.Leaf, "%s, as in the model to continue", m.Leaf)
	case m.Pairs > p.Pairs || m.Pairs < p.Pairs && !(grown && p.Leaf == "full"):
		return argument.New("pairs", p.Pairs, "%d, as in the model to continue", m.Pairs)
	case p.Leaf == "sparse" && m.LeafClasses != p.LeafClasses:
		return argument.New("leaf_classes", p.LeafClasses, "%d, as in the model to continue", m.LeafClasses)
	case m.TreesPerIteration != n:
		return argument.New("classes", n, "as many as in the model to continue")
	}
	return nil
}

// TreesPerIteration returns the number of trees that an iteration adds.
func (p *Params) TreesPerIteration(classes int) int {
	return (*boost.Params)(p).TreesPerIteration(classes)
}

// CheckThreads returns an error if a number of threads is not allowed.
func CheckThreads(n int) error {
	if known, _, _ := spec.Find("nthread"); !known.Allows(n) {
		return argument.New("nthread", n, "%s", known.Allowed())
	}
	return nil
}

// From manyClasses classes, leaves are sparse by default.
const manyClasses = 5000

// leafFor returns the kind of leaves for this number of classes.
func (p *Params) leafFor(classes int) string {
	switch {
	case p.Leaf != "":
		return p.Leaf
	case classes >= manyClasses && p.Method == model.AOSO && p.Preset != presetPaper && p.MonotoneConstraints == "":
		return "sparse"
	}
	return "full"
}

// defaultLeafClasses is the number of classes with their own value in a sparse leaf.
const defaultLeafClasses = 63

// mostChanges bounds rows × trees × leaf_classes by default: adding up that many leaf
// values takes seconds per tree.
const mostChanges, leastLeafClasses = 32e6 * defaultLeafClasses, 8

// leafClassesFor returns the default of leaf_classes.
func leafClassesFor(s data.Shape, trees int) int {
	each := mostChanges / (float64(s.Rows) * float64(max(trees, 1)))
	return int(min(max(each, leastLeafClasses), defaultLeafClasses))
}
