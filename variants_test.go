package aoso

// variants is every kind of tree and leaf.
var variants = []struct {
	name   string
	change func(*Params)
}{

	{"paper", paper},
	{"first order", func(p *Params) { paper(p); p.PairSelection = "first_order" }},
	{"root", func(p *Params) { paper(p); p.PairSelection = "root" }},
	{"pair leaf, 4 pairs", func(p *Params) { p.Leaf, p.Pairs = "pair", 4 }},
	{"full leaf", func(p *Params) { p.Leaf, p.Pairs = "full", 1 }},
	{"full leaf, 2 pairs", func(p *Params) { p.Leaf, p.Pairs = "full", 2 }},
	{"full leaf, 4 pairs", func(p *Params) { p.Leaf, p.Pairs = "full", 4 }},
	{"full leaf, 8 pairs", func(p *Params) { p.Leaf, p.Pairs = "full", 8 }},
	{"full leaf, root, 8 pairs", func(p *Params) { p.Leaf, p.Pairs, p.PairSelection = "full", 8, "root" }},
	{"sparse leaf", func(p *Params) { p.Leaf, p.LeafClasses = "sparse", 3 }},
	{"sparse leaf, all classes", func(p *Params) { p.Leaf, p.LeafClasses, p.Pairs = "sparse", 16, 1 }},
	{"abc", func(p *Params) { p.Method = ABC }},
	{"abc, gap", func(p *Params) { p.Method, p.BaseGap = ABC, 3 }},
	{"abc, exhaustive", func(p *Params) { p.Method, p.BaseClass, p.BaseGap = ABC, "exhaustive", 2 }},
	{"logitboost", func(p *Params) { p.Method = LogitBoost }},
}

// rounds sets the number of trees to so many iterations.
func (p *Params) rounds(n, classes int) { p.Trees = n * p.treesPerIteration(classes) }
