package aoso

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Parameter describes a field of [Params] to those who set it by name.
type Parameter struct {
	Name    string // as in messages: min_samples
	Type    string // of its value: "string", "int", "uint64" or "float64"
	Default string
	Help    string // one line
}

// parameters is every field of Params under its name.
var parameters = []struct {
	name  string
	field func(*Params) any // a *string, *int, *uint64 or *float64
	help  string
}{
	{"method", func(p *Params) any { return &p.Method }, "aoso, abc or logitboost"},
	{"leaf", func(p *Params) any { return &p.Leaf }, "classes that a leaf moves: pair or full (default full for aoso)"},
	{"pairs", func(p *Params) any { return &p.Pairs }, "class pairs a node splits on: 1, 2, 4 or 8 (default 4 for aoso)"},
	{"pair_selection", func(p *Params) any { return &p.PairSelection }, "second_order, first_order or root"},
	{"base_class", func(p *Params) any { return &p.BaseClass }, "for abc: worst or exhaustive"},
	{"base_gap", func(p *Params) any { return &p.BaseGap }, "for abc: iterations between two choices of the base class"},
	{"trees", func(p *Params) any { return &p.Trees }, "most trees to grow"},
	{"leaves", func(p *Params) any { return &p.Leaves }, "most leaves of a tree"},
	{"shrinkage", func(p *Params) any { return &p.Shrinkage }, "learning rate, above 0 and at most 1"},
	{"max_depth", func(p *Params) any { return &p.MaxDepth }, "most splits above a leaf; 0: no bound"},
	{"min_samples", func(p *Params) any { return &p.MinSamples }, "least rows in a leaf"},
	{"min_hessian", func(p *Params) any { return &p.MinHessian }, "least sum of Hessians in a leaf"},
	{"min_gain", func(p *Params) any { return &p.MinGain }, "gain that a split must exceed"},
	{"l2", func(p *Params) any { return &p.L2 }, "L2 regularization of leaf values"},
	{"max_step", func(p *Params) any { return &p.MaxStep }, "bound of a leaf value before shrinkage"},
	{"subsample", func(p *Params) any { return &p.Subsample }, "share of the rows drawn for the structure of each tree; leaf values are of all rows"},
	{"colsample_bytree", func(p *Params) any { return &p.ColsampleByTree }, "share of the features drawn for each tree"},
	{"colsample_bynode", func(p *Params) any { return &p.ColsampleByNode }, "share of those drawn for each node"},
	{"trim", func(p *Params) any { return &p.Trim }, "leave rows below this share of a node's mean out of its histograms; 0: none"},
	{"stop_loss", func(p *Params) any { return &p.StopLoss }, "training loss at which to stop"},
	{"early_stopping", func(p *Params) any { return &p.EarlyStopping }, "iterations without a better validation metric; 0: off"},
	{"metric", func(p *Params) any { return &p.Metric }, "of early stopping: logloss or error"},
	{"threads", func(p *Params) any { return &p.Threads }, "threads; 0: all cores"},
	{"seed", func(p *Params) any { return &p.Seed }, "seed of all random draws"},
	{"level", func(p *Params) any { return &p.Level }, "instruction-set level of the kernels (default AOSO_LEVEL, or the fastest)"},
}

// Parameters lists the parameters of training that [Params.Set] takes.
func Parameters() []Parameter {
	defaults := DefaultParams()
	list := make([]Parameter, len(parameters))
	for i, p := range parameters {
		field := p.field(&defaults)
		list[i] = Parameter{p.name, strings.TrimPrefix(fmt.Sprintf("%T", field), "*"), text(field), p.help}
	}
	return list
}

// text is the value that a pointer leads to.
func text(field any) string {
	switch v := field.(type) {
	case *string:
		return *v
	case *int:
		return fmt.Sprint(*v)
	case *uint64:
		return fmt.Sprint(*v)
	}
	return fmt.Sprint(*field.(*float64))
}

// Set sets the parameter of the given name to a value given as text. Whether
// the value is allowed, [Params.Check] tells once all are set.
func (p *Params) Set(name, value string) error {
	names := make([]string, len(parameters))
	for i, known := range parameters {
		if known.name == name {
			if allowed, ok := set(known.field(p), value); !ok {
				return badArgument(name, value, "%s", allowed)
			}
			return nil
		}
		names[i] = known.name
	}
	return badArgument("parameter", name, "%s", strings.Join(names, ", "))
}

// set is the way back from text. What it cannot read changes nothing.
func set(field any, value string) (allowed string, ok bool) {
	switch v := field.(type) {
	case *string:
		*v = value
		return "", true
	case *int:
		n, err := strconv.Atoi(value)
		return "an integer", assign(v, n, err)
	case *uint64:
		n, err := strconv.ParseUint(value, 10, 64)
		return "an integer, at least 0", assign(v, n, err)
	}
	x, err := strconv.ParseFloat(value, 64)
	return "a number", assign(field.(*float64), x, err)
}

func assign[T any](dst *T, value T, err error) bool {
	if err == nil {
		*dst = value
	}
	return err == nil
}

// ParseParams reads parameters from text such as "trees=500, leaves=64":
// items name=value between spaces, commas or line ends, the last of a name
// being the one that counts. What is not named has its default.
func ParseParams(text string) (Params, error) {
	p := DefaultParams()
	items := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	for _, item := range items {
		name, value, ok := strings.Cut(item, "=")
		if !ok {
			return Params{}, badArgument("params", item, "items name=value, without spaces inside")
		}
		if err := p.Set(name, value); err != nil {
			return Params{}, err
		}
	}
	return p, nil
}

// String is the parameters as [ParseParams] reads them.
func (p Params) String() string { return strings.Join(p.items(), " ") }

// Changes is those of the parameters that differ from the defaults, as
// [ParseParams] reads them.
func (p Params) Changes() string {
	defaults, changed := DefaultParams().items(), []string(nil)
	for i, item := range p.items() {
		if item != defaults[i] {
			changed = append(changed, item)
		}
	}
	return strings.Join(changed, " ")
}

func (p Params) items() []string {
	items := make([]string, len(parameters))
	for i, known := range parameters {
		items[i] = known.name + "=" + text(known.field(&p))
	}
	return items
}
