package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/spec"
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
	valid   bool  // there is a validation set
	ordered []int // the columns that are not categorical
}

func (s *setting) perRound() int { return perRound(s.params, s.classes) }

// perRound returns the number of trees that an iteration adds.
func perRound(p *aoso.Params, classes int) int {
	switch p.Method {
	case aoso.MethodABC:
		return max(classes-1, 1)
	case aoso.MethodLogitBoost:
		return classes
	}
	return 1
}

// generator draws the values of a parameter, as text.
type generator struct {
	plain, extreme, invalid func(s *setting) string
}

// special has the generators of parameters whose values depend on the data, the
// CPU or other parameters.
var special = map[string]generator{
	"leaf": {
		forMethod(oneOf("full", "pair", "sparse"), oneOf("pair")),
		forMethod(oneOf("", "pair"), oneOf("")),
		forMethod(oneOf("half", "Full"), oneOf("full", "half")),
	},
	"pairs": {
		forMethod(oneOf("1", "2", "4", "8"), oneOf("1")),
		forMethod(oneOf("auto", "8"), oneOf("auto")),
		forMethod(integers("3", "16", "-1"), integers("2", "8")),
	},
	"start":                   {forMethod(oneOf("linear", "prior", "zero"), oneOf("zero")), oneOf("auto"), forMethod(oneOf("other", "LINEAR"), oneOf("linear", "mixed"))},
	"grow_policy":             {growPolicy, oneOf("auto"), forMethod(oneOf("other", "SYMMETRIC"), oneOf("symmetric", "mixed"))},
	"min_child_weight":        {unlessSymmetric("0", number(1e-6, 10)), unlessSymmetric("0", oneOf("1e-10", "3e38")), numbers("-1", "-1e-300")},
	"ensemble":                {oneOf("auto", "1"), oneOf("auto"), integers("2", "-1")}, // others do not allow more than 1
	"n_estimators":            {plainTrees, extremeTrees, invalidTrees},
	"early_stopping_rounds":   {withValid(count(1, 10)), withValid(oneOf("1", maxInt)), invalidEarlyStopping},
	"monotone_constraints":    {monotone, oneOf("", "{}"), oneOf("up", "[2]", `{"0":1.5}`, "[1,")},
	"interaction_constraints": {unlessSymmetric("", groups), unlessSymmetric("", oneOf("", "[]", "pairwise", "no_interactions")), oneOf("all", "[[-1]]", "[[0],1]", `{"0":1}`)},
	"metric":                  {oneOf(withoutCustom()...), oneOf(withoutCustom()[1:]...), oneOf("", "other", "no_such_loss")},
	"time_limit":              {number(1e5, 1e6), oneOf("3e38"), numbers("-1", "1e39")}, // a model that time decides cannot be repeated
	"level":                   {anyLevel, oneOf(""), oneOf("sse2", "AVX2")},
}

// withoutCustom lists the metrics that the library computes.
func withoutCustom() []string {
	metric, _, _ := spec.Find("metric")
	return slices.DeleteFunc(metric.Values(), func(name string) bool { return name == "custom" })
}

const maxInt = "9223372036854775807"

// generatorOf returns the generator of a parameter: what the table says of it, unless
// it is special.
func generatorOf(p *spec.Parameter) generator {
	switch g, ok := special[p.Name]; {
	case ok:
		return g
	case p.Choices != nil:
		values := p.Values()
		return generator{oneOf(values...), oneOf(values[1:]...), oneOf("", "other", strings.ToUpper(values[0]))}
	case p.Type == spec.Int:
		return integerGenerator(p)
	case p.Type == spec.Uint64:
		return generator{
			count(int(p.Usual.Least), int(p.Usual.Most)),
			oneOf("18446744073709551615", "9223372036854775808"),
			integers("-1", "18446744073709551616"),
		}
	}
	return numberGenerator(p)
}

func integerGenerator(p *spec.Parameter) generator {
	least, most := int(p.Range.Least), math.MaxInt
	bad := integers(strconv.Itoa(least-1), "-1")
	if p.Range.Most < math.MaxInt {
		most = int(p.Range.Most)
		bad = integers(strconv.Itoa(least-1), strconv.Itoa(most+1), maxInt)
	}
	beyond := min(most, 30*int(p.Usual.Most))
	return generator{
		count(int(p.Usual.Least), int(p.Usual.Most)),
		oneOf(strconv.Itoa(least), strconv.Itoa(beyond), strconv.Itoa(most)),
		bad,
	}
}

func numberGenerator(p *spec.Parameter) generator {
	r := p.Range
	below, above := math.Nextafter(r.Least, math.Inf(-1)), math.Nextafter(r.Most, math.Inf(1))
	var allowed, refused []string
	for _, x := range []float64{below, r.Least, math.Nextafter(r.Least, r.Most), 1e-10, math.Nextafter(r.Most, r.Least), r.Most, above, r.Least - 1, 2 * r.Most} {
		text := strconv.FormatFloat(x, 'g', -1, 64)
		if r.Contains(x) {
			allowed = append(allowed, text)
		} else {
			refused = append(refused, text)
		}
	}
	return generator{number(p.Usual.Least, p.Usual.Most), oneOf(allowed...), numbers(refused...)}
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
		if s.params.Method == aoso.MethodAOSO {
			return ofAOSO(s)
		}
		return ofOthers(s)
	}
}

// growPolicy returns an order of growth that the method and the leaves allow.
func growPolicy(s *setting) string {
	if leaf := s.params.Leaf; s.params.Method != aoso.MethodAOSO || leaf != "" && leaf != "full" {
		return "lossguide"
	}
	return pick(s.dice, "lossguide", "symmetric", "mixed")
}

// symmetric reports whether trees may be symmetric.
func (s *setting) symmetric() bool {
	return s.params.GrowPolicy == "symmetric" || s.params.GrowPolicy == "mixed"
}

// unlessSymmetric returns values of a parameter that symmetric trees exclude, and none for those.
func unlessSymmetric(none string, values func(*setting) string) func(*setting) string {
	return func(s *setting) string {
		if s.symmetric() {
			return none
		}
		return values(s)
	}
}

// plainTrees returns some iterations, or trees that do not make up the last one.
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

// monotone returns a sign for some features, by class where there are more than two.
func monotone(s *setting) string {
	if s.params.Leaf == "sparse" || s.params.Start == "linear" || s.params.Start == "prior" || s.symmetric() {
		return "" // they need other leaves, scores and trees
	}
	var entries []string
	for _, j := range s.ordered {
		if !s.chance(0.4) || len(entries) > 20 {
			continue
		}
		entry := pick(s.dice, "1", "-1")
		if s.classes > 2 {
			signs := make([]string, s.classes)
			for k := range signs {
				signs[k] = pick(s.dice, "0", "0", "1", "-1")
			}
			entry = "[" + strings.Join(signs, ",") + "]"
		}
		entries = append(entries, fmt.Sprintf(`"%d":%s`, j, entry))
	}
	return "{" + strings.Join(entries, ",") + "}"
}

// groups returns some groups of features, which may overlap.
func groups(s *setting) string {
	if len(s.ordered) == 0 {
		return "pairwise"
	}
	var all []string
	for range s.between(1, 4) {
		var group []string
		for range s.between(1, 5) {
			group = append(group, strconv.Itoa(pick(s.dice, s.ordered...)))
		}
		all = append(all, "["+strings.Join(group, ",")+"]")
	}
	return "[" + strings.Join(all, ",") + "]"
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
	for _, known := range spec.Parameters {
		kind, draw := byDefault, (func(*setting) string)(nil)
		switch g := generatorOf(&known); {
		case !s.chance(share):
		case s.chance(extremes):
			kind, draw = extreme, g.extreme
		default:
			kind, draw = plain, g.plain
		}
		kinds[known.Name] = kind
		value := known.Default
		if known.Auto != "" {
			value = "auto"
		}
		if draw != nil {
			value = draw(s)
		} else if known.Name == "n_estimators" {
			value = strconv.Itoa(max(1000, s.perRound())) // training ends at its limit
		}
		if err := p.Set(known.Name, value); err != nil {
			panic(fmt.Sprintf("%s value of %s: %v", kind, known.Name, err))
		}
	}
	if s.chance(0.7) { // else training may hold rows out
		p.Calibration, kinds["calibration"] = "none", byDefault
	} else if s.chance(0.5) {
		p.NEstimators, kinds["n_estimators"] = 0, byDefault
	}
	return p, kinds
}

// differences returns the parameters that are not at their defaults, as text.
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

// saturated returns a product that ends at the greatest integer.
func saturated(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
