package acceptance

import (
	"slices"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
)

// variant is parameters with a name.
type variant struct {
	name   string
	change func(*aoso.Params)
}

// variants is every kind of tree and leaf.
var variants = []variant{
	{"paper", paper},
	{"first order", func(p *aoso.Params) { paper(p); p.PairSelection = "first_order" }},
	{"root", func(p *aoso.Params) { paper(p); p.PairSelection = "root" }},
	{"pair leaf, 4 pairs", func(p *aoso.Params) { p.Leaf, p.Pairs = "pair", 4 }},
	{"full leaf", func(p *aoso.Params) { p.Leaf, p.Pairs = "full", 1 }},
	{"full leaf, 2 pairs", func(p *aoso.Params) { p.Leaf, p.Pairs = "full", 2 }},
	{"full leaf, 4 pairs", func(p *aoso.Params) { p.Leaf, p.Pairs = "full", 4 }},
	{"full leaf, 8 pairs", func(p *aoso.Params) { p.Leaf, p.Pairs = "full", 8 }},
	{"full leaf, root, 8 pairs", func(p *aoso.Params) { p.Leaf, p.Pairs, p.PairSelection = "full", 8, "root" }},
	{"sparse leaf", func(p *aoso.Params) { p.Leaf, p.LeafClasses = "sparse", 3 }},
	{"sparse leaf, all classes", func(p *aoso.Params) { p.Leaf, p.LeafClasses, p.Pairs = "sparse", 16, 1 }},
	{"abc", func(p *aoso.Params) { p.Method = aoso.MethodABC }},
	{"abc, gap", func(p *aoso.Params) { p.Method, p.BaseGap = aoso.MethodABC, 3 }},
	{"abc, exhaustive", func(p *aoso.Params) { p.Method, p.BaseClass, p.BaseGap = aoso.MethodABC, "exhaustive", 2 }},
	{"logitboost", func(p *aoso.Params) { p.Method = aoso.MethodLogitBoost }},
}

// everyVariant is the variants, and those that begin with linear scores.
var everyVariant = append(slices.Clip(variants), []variant{
	{"linear, full leaf", func(p *aoso.Params) { p.Start = "linear" }},
	{"linear, pair leaf", func(p *aoso.Params) { p.Start, p.Leaf = "linear", "pair" }},
	{"linear, sparse leaf", func(p *aoso.Params) { p.Start, p.Leaf, p.LeafClasses = "linear", "sparse", 3 }},
}...)

// rounds sets the number of trees to that of n iterations.
func rounds(p *aoso.Params, n, classes int) {
	p.NEstimators = n * model.TreesPerIteration(p.Method, classes)
}
