package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/libaoso/aoso"
)

// The kinds of values that a parameter is given.
const (
	byDefault = "default"
	plain     = "plain"
	extreme   = "extreme" // allowed, but at or near a bound
	invalid   = "invalid"
)

// setting is what the allowed values of a parameter can depend on.
type setting struct {
	dice
	params  *aoso.Params // those before it in the table are drawn
	classes int
	valid   bool // there is a validation set
}

func (s *setting) perRound() int { return perRound(s.params, s.classes) }

// perRound is the number of trees that an iteration adds.
func perRound(p *aoso.Params, classes int) int {
	switch p.Method {
	case aoso.ABC:
		return max(classes-1, 1)
	case aoso.LogitBoost:
		return classes
	}
	return 1
}

// generator draws the values of a parameter, as text.
type generator struct {
	plain, extreme, invalid func(s *setting) string
}

// generators has one for each parameter of the library.
var generators = map[string]generator{
	"method": {
		oneOf(aoso.AOSO, aoso.AOSO, aoso.ABC, aoso.LogitBoost),
		oneOf(aoso.ABC, aoso.LogitBoost),
		oneOf("", "AOSO", "gbdt"),
	},
	"leaf": {
		forMethod(oneOf("full", "pair"), oneOf("pair")),
		forMethod(oneOf("", "pair"), oneOf("")),
		forMethod(oneOf("half", "Full"), oneOf("full", "half")),
	},
	"pairs": {
		forMethod(oneOf("1", "2", "4", "8"), oneOf("1")),
		forMethod(oneOf("0", "8"), oneOf("0")),
		forMethod(integers("3", "16", "-1"), integers("2", "8")),
	},
	"pair_selection": {oneOf("second_order", "first_order", "root"), oneOf("root"), oneOf("", "third_order")},
	"base_class":     {oneOf("worst", "exhaustive"), oneOf("exhaustive"), oneOf("", "best")},
	"base_gap":       {count(1, 10), oneOf("2147483647"), integers("0", "-1")},
	"trees":          {plainTrees, extremeTrees, invalidTrees},
	"leaves":         {count(2, 64), oneOf("2", "3", "65536"), integers("1", "0", "-3", "65537")},
	"shrinkage":      {number(0.01, 1), oneOf("1", "5e-324", "1e-30", "0.9999999999999999"), numbers("0", "-0.1", "1.0000000000000002")},
	"max_depth":      {count(1, 12), oneOf("1", maxInt), integers("-1")},
	"min_samples":    {count(1, 30), oneOf("1", "1000", maxInt), integers("0", "-1")},
	"min_hessian":    {number(1e-6, 10), oneOf("5e-324", maxFloat32), numbers("-1e-9", "1e39")},
	"min_gain":       {number(1e-6, 10), oneOf("5e-324", maxFloat32), numbers("-1e-9", "1e39")},
	"l2":             {number(1e-3, 100), oneOf("5e-324", maxFloat32), numbers("-1", "1e39")},
	"max_step":       {number(0.1, 20), oneOf("20", "5e-324", "1e-10"), numbers("0", "-5", "20.000000000000004")},
	"subsample":      {number(0.1, 1), oneOf("5e-324", "1e-3", "0.9999999999999999"), numbers("0", "-1", "1.5")},
	"colsample_bytree": {
		number(0.1, 1), oneOf("5e-324", "0.9999999999999999"), numbers("0", "-1", "1.5"),
	},
	"colsample_bynode": {
		number(0.1, 1), oneOf("5e-324", "0.9999999999999999"), numbers("0", "-1", "1.5"),
	},
	"trim":           {number(1e-4, 0.9), oneOf("0", "5e-324", "0.9999999999999999"), numbers("1", "-0.1", "2")},
	"stop_loss":      {number(1e-16, 1), oneOf("0", "5e-324", maxFloat32), numbers("-1e-9", "1e39")},
	"early_stopping": {withValid(count(1, 10)), withValid(oneOf("1", maxInt)), invalidEarlyStopping},
	"metric":         {oneOf("logloss", "error"), oneOf("error"), oneOf("", "auc")},
	"threads":        {count(1, 4), oneOf("0", "7", "64", "4096"), integers("-1", "4097", "99999999999", maxInt)},
	"seed":           {count(1, 1000), oneOf("18446744073709551615", "9223372036854775808"), integers("-1", "18446744073709551616")},
	"level":          {anyLevel, oneOf(""), oneOf("sse2", "AVX2")},
}

const (
	maxInt     = "9223372036854775807"
	maxFloat32 = "3.4028234663852886e+38"
)

// checkGenerators tells whether every parameter of the library has a
// generator, and no other.
func checkGenerators() error {
	table := aoso.Parameters()
	for _, p := range table {
		if g := generators[p.Name]; g.plain == nil || g.extreme == nil || g.invalid == nil {
			return fmt.Errorf("parameter %s has no generator of plain, extreme and invalid values: add one in internal/torture/parameter.go", p.Name)
		}
	}
	if len(generators) != len(table) {
		return fmt.Errorf("%d generators for the %d parameters of the library: remove the others", len(generators), len(table))
	}
	return nil
}

func oneOf(values ...string) func(*setting) string {
	return func(s *setting) string { return pick(s.dice, values...) }
}

// integers is values that are not allowed, and text that is no integer.
func integers(values ...string) func(*setting) string {
	return oneOf(append(values, "", "x", "1.5", "1e3", "0x10", "99999999999999999999")...)
}

// numbers is values that are not allowed, and text that is no number.
func numbers(values ...string) func(*setting) string {
	return oneOf(append(values, "", "x", "1,5", "NaN", "Inf", "-Inf", "1e999")...)
}

func count(least, most int) func(*setting) string {
	return func(s *setting) string { return strconv.Itoa(s.skewed(least, most)) }
}

func number(least, most float64) func(*setting) string {
	return func(s *setting) string {
		return strconv.FormatFloat(min(s.logUniform(least, most), most), 'g', -1, 64)
	}
}

func forMethod(ofAOSO, ofOthers func(*setting) string) func(*setting) string {
	return func(s *setting) string {
		if s.params.Method == aoso.AOSO {
			return ofAOSO(s)
		}
		return ofOthers(s)
	}
}

// plainTrees is some iterations, or trees that do not make up the last one.
func plainTrees(s *setting) string {
	return strconv.Itoa(s.perRound()*s.skewed(1, 60) + s.IntN(s.perRound()))
}

func extremeTrees(s *setting) string {
	return pick(s.dice, strconv.Itoa(s.perRound()), strconv.Itoa(5000*s.perRound()), maxInt)
}

func invalidTrees(s *setting) string {
	return integers("0", "-1", strconv.Itoa(s.perRound()-1))(s)
}

func withValid(values func(*setting) string) func(*setting) string {
	return func(s *setting) string {
		if s.valid {
			return values(s)
		}
		return "0"
	}
}

func invalidEarlyStopping(s *setting) string {
	if s.valid {
		return integers("-1")(s)
	}
	return integers("-1", "1", "10")(s)
}

func anyLevel(s *setting) string {
	levels := aoso.Levels()
	return levels[int(s.Float64()*float64(len(levels)))]
}

// drawParams draws parameters and the kind of value that each was given.
func drawParams(s *setting) (p aoso.Params, kinds map[string]string) {
	p = aoso.DefaultParams()
	s.params, kinds = &p, map[string]string{}
	share := pick(s.dice, 0.1, 0.3, 0.6, 0.95) // of parameters that are not left at their defaults
	extremes := pick(s.dice, 0, 0.1, 0.3)      // of those
	if s.chance(0.2) {
		share, extremes = 0.1, 1
	}
	for _, known := range aoso.Parameters() {
		kind, draw := byDefault, (func(*setting) string)(nil)
		switch g := generators[known.Name]; {
		case !s.chance(share):
		case s.chance(extremes):
			kind, draw = extreme, g.extreme
		default:
			kind, draw = plain, g.plain
		}
		kinds[known.Name] = kind
		value := known.Default
		if draw != nil {
			value = draw(s)
		} else if known.Name == "trees" {
			value = strconv.Itoa(max(p.Trees, s.perRound())) // the default may be less than an iteration
		}
		if err := p.Set(known.Name, value); err != nil {
			panic(fmt.Sprintf("%s value of %s: %v", kind, known.Name, err))
		}
	}
	return p, kinds
}

// differences is the parameters that are not at their defaults, as text.
func differences(p aoso.Params) string {
	defaults := map[string]bool{}
	for _, item := range strings.Fields(aoso.DefaultParams().String()) {
		defaults[item] = true
	}
	var items []string
	for _, item := range strings.Fields(p.String()) {
		if !defaults[item] {
			items = append(items, item)
		}
	}
	return strings.Join(items, " ")
}

// saturated is a product that ends at the greatest integer.
func saturated(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
