package aoso

import (
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/linear"
	"github.com/libaoso/aoso/spec"
)

// The boosting methods.
const (
	AOSO       = "aoso"       // one tree an iteration, each node with its own class pairs
	ABC        = "abc"        // K−1 trees an iteration, tree k on the pair (k, base class)
	LogitBoost = "logitboost" // K trees an iteration, tree k on class k alone
)

// Check returns an error for parameters that no data allow. [Train] checks them
// as well; Check needs no data.
func (p Params) Check() error {
	if _, err := p.resolve(Shape{Rows: 1, Features: 1, Classes: 1}); err != nil { // data of one class may need fewest trees
		return err
	}
	_, err := kernels(p.Level)
	return err
}

// resolve checks the parameters and returns the settings for training to try on data
// of this shape, in order: the preset fills in the parameters that are unset.
func (p Params) resolve(s Shape) ([]Params, error) {
	var settings []Params
	for _, fill := range p.preset(s) {
		filled := p.filled(fill)
		if filled.LeafClasses == 0 {
			filled.LeafClasses = leafClassesFor(s, filled.Trees)
		}
		filled, err := filled.complete(s.Classes)
		if err != nil {
			return nil, err
		}
		if filled.Start == "linear" && !linear.Fits(s.Features, s.Classes) {
			return nil, badArgument("start", filled.Start, "zero, for %d classes of %d features", s.Classes, s.Features)
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
			return badArgument(known.Name, v, "%s", known.Allowed())
		}
	}
	return nil
}

// complete checks the parameters and fills in those whose defaults depend on the
// method and the number of classes.
func (p Params) complete(classes int) (Params, error) {
	if err := p.check(); err != nil {
		return p, err
	}
	if err := p.checkConstraints(); err != nil {
		return p, err
	}
	p = p.normalized()
	if n := p.treesPerIteration(classes); p.Trees < n {
		return p, badArgument("trees", p.Trees, "at least %d, one iteration of %s", n, p.Method)
	}
	if p.LeafClasses == 0 {
		p.LeafClasses = defaultLeafClasses
	}
	if err := p.checkMany(classes); err != nil {
		return p, err
	}
	if p.Start == "" {
		p.Start = "zero"
	}
	if p.Start == "linear" && p.Method != AOSO {
		return p, badArgument("start", p.Start, "zero, for method %s", p.Method)
	}
	if p.Method != AOSO {
		if p.Leaf != "" && p.Leaf != "pair" {
			return p, badArgument("leaf", p.Leaf, "pair, for method %s", p.Method)
		}
		if p.Pairs > 1 {
			return p, badArgument("pairs", p.Pairs, "1, for method %s", p.Method)
		}
		p.Leaf, p.Pairs = "pair", 1
		return p, nil
	}
	if p.Leaf == "" {
		p.Leaf = p.leafFor(classes)
	}
	if p.Pairs == 0 {
		p.Pairs = 4
	}
	for p.Pairs > 1 && p.Pairs/2 >= classes/2 {
		p.Pairs /= 2
	}
	return p, nil
}

// From manyClasses classes, leaves are sparse by default. Other leaves allow at most
// denseClasses.
const manyClasses, denseClasses = 5000, 1<<16 - 2

// leafFor returns the kind of leaves of method aoso for this number of classes.
func (p *Params) leafFor(classes int) string {
	switch {
	case p.Leaf != "":
		return p.Leaf
	case classes >= manyClasses && p.Method == AOSO && p.Preset != PresetPaper && p.MonotoneConstraints == "":
		return "sparse"
	}
	return "full"
}

// checkMany returns an error if the parameters do not allow this number of classes.
func (p *Params) checkMany(classes int) error {
	switch {
	case classes <= denseClasses:
	case p.Method != AOSO:
		return badArgument("method", p.Method, "aoso, for more than %d classes", denseClasses)
	case p.leafFor(classes) != "sparse":
		return badArgument("leaf", p.leafFor(classes), "sparse, for more than %d classes", denseClasses)
	}
	return nil
}

// defaultLeafClasses is the number of classes with their own value in a sparse leaf.
const defaultLeafClasses = 32

// mostChanges bounds rows × trees × leaf_classes by default: adding up that many leaf
// values takes seconds per tree.
const mostChanges, leastLeafClasses = 2e9, 8

// leafClassesFor returns the default of leaf_classes.
func leafClassesFor(s Shape, trees int) int {
	each := mostChanges / (float64(s.Rows) * float64(max(trees, 1)))
	return int(min(max(each, leastLeafClasses), defaultLeafClasses))
}

// MaxThreads is the maximum number of threads.
const MaxThreads = spec.MaxThreads

func checkThreads(n int) error {
	if known, _, _ := spec.Find("threads"); !known.Allows(n) {
		return badArgument("threads", n, "%s", known.Allowed())
	}
	return nil
}

// treesPerIteration returns the number of trees that an iteration adds.
func (p *Params) treesPerIteration(classes int) int {
	return (*boost.Params)(p).TreesPerIteration(classes)
}
