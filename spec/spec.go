// Package spec holds the table of the parameters of training. Everything that lists
// parameters, in Go, C, Python, the command line and the documents, is generated
// from it or reads it.
//
// To add a parameter, add it to [Parameters] and run make params.
package spec

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

//go:generate go run ./gen

// Types of values, by their names in Go.
const (
	String  = "string"
	Int     = "int"
	Uint64  = "uint64"
	Float64 = "float64"
)

// Explicit lists the parameters in the signature of AOSOClassifier, which takes all others
// as keyword arguments too.
var Explicit = []string{
	"preset", "n_estimators", "max_leaves", "learning_rate", "max_depth", "min_samples_leaf", "monotone_constraints",
	"interaction_constraints", "reg_lambda", "subsample", "colsample_bytree", "colsample_bynode", "calibration", "time_limit",
	"early_stopping_rounds", "metric",
}

// Parameter is a parameter of training.
type Parameter struct {
	Name    string // in text, in C, in Python and in messages: min_samples_leaf
	Field   string // in Go: MinSamplesLeaf
	Aliases string // former names, separated by spaces, which text, Python and the command line take without a message
	Group   string
	Type    string // of the value: String, Int, Uint64 or Float64
	Nested  bool   // its String is a list or dict in JSON, or a word
	Default string
	Auto    string   // how training chooses a value by default, which Default ("", 0 or -1; in text "auto") stands for; "": it does not
	Chosen  Range    // the numbers that training chooses from; ByDefault describes them
	Choices []Choice // the values allowed, if they can be listed
	Range   Range    // the numbers allowed, if there are no Choices
	Usual   Range    // the numbers that tests of random parameters draw from
	Help    string   // one sentence
	Detail  string   // further sentences
	Limits  string   // sentences about values that some data or other parameters do not allow

	Exclusions []Exclusion // values that Limits describes
	Others     Others

	C         C
	Estimator string // name in AOSOClassifier, if it differs; "-": AOSOClassifier lacks it
}

// Choice is a value that a parameter may have.
type Choice struct{ Value, Help string }

// An Exclusion leaves a parameter only some of its values under a condition.
type Exclusion struct {
	Under   Condition
	Allowed []string
}

// A Condition limits the values of parameters. Its text ends the list of those allowed.
type Condition string

// The conditions.
const (
	OtherMethod     Condition = ", for method %s"               // the method, which is not aoso
	WithObjective   Condition = ", with an objective"           // of the caller
	WithMonotone    Condition = ", with monotone_constraints"   // on any feature
	WithManyClasses Condition = ", for more than 65534 classes" // which 16 bits do not number

	WithInteractions   Condition = ", with interaction_constraints"
	WithMinChildWeight Condition = ", with min_child_weight"
	WithOtherLeaf      Condition = ", with leaf %s" // which is not full
)

// MostDenseClasses is the largest number of classes that leaves with values for all or for pairs allow.
const MostDenseClasses = 1<<16 - 2

// C describes the field of a parameter in the struct aoso_params.
type C struct {
	Slot int    // position in the struct, from 1; a new parameter comes last
	Type string // of the field, if it is not the usual one of the parameter's type
	Enum string // prefix of the names of the choices, after AOSO_
}

// Others holds the names of a parameter in other libraries: words separated by
// spaces. A word that begins with ~ means something similar, but not the same.
type Others struct {
	LightGBM, XGBoost, CatBoost, ScikitLearn string
	Values                                   string // their values and ours: multi_logloss=logloss
	Nearest                                  string // their values that do not exist here, and the nearest of ours: mcc=kappa
	Note                                     string // how their values differ
}

// Range is an interval. It includes Least unless LeastOpen, and Most unless
// MostOpen.
type Range struct {
	Least, Most         float64
	LeastOpen, MostOpen bool
}

// Contains reports whether x is in the range.
func (r Range) Contains(x float64) bool {
	return (r.LeastOpen && x > r.Least || !r.LeastOpen && x >= r.Least) && (r.MostOpen && x < r.Most || !r.MostOpen && x <= r.Most)
}

// String describes the range in words.
func (r Range) String() string {
	least, most := "at least "+number(r.Least), "at most "+number(r.Most)
	if r.LeastOpen {
		least = "above " + number(r.Least)
	}
	if r.MostOpen {
		most = "below " + number(r.Most)
	}
	switch {
	case math.IsInf(r.Most, 1):
		return least
	case r.Most == math.MaxFloat32:
		return least + ", at most 3.4e+38" // the nearest below what a float32 can be
	case r.LeastOpen || r.MostOpen:
		return least + ", " + most
	}
	return number(r.Least) + " to " + number(r.Most)
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 15, 64) }

// Allows reports whether a value of the parameter's type is allowed for some data
// and other parameters.
func (p *Parameter) Allows(value any) bool {
	switch {
	case p.Auto != "" && fmt.Sprint(value) == p.Default:
		return true
	case p.Choices != nil:
		return slices.Contains(p.Values(), fmt.Sprint(value))
	}
	switch v := value.(type) {
	case int:
		return p.Range.Contains(float64(v))
	case float64:
		return p.Range.Contains(v)
	}
	return true
}

// Allowed describes the values that [Parameter.Allows] accepts: "at least 1".
func (p *Parameter) Allowed() string {
	if values := p.Values(); values != nil {
		last := len(values) - 1
		return strings.Join(values[:last], ", ") + " or " + values[last]
	}
	switch p.Type {
	case String:
		return ""
	case Uint64:
		return "an integer, at least 0"
	}
	return p.Range.String()
}

// Values returns the values of the choices.
func (p *Parameter) Values() []string {
	var values []string
	for _, c := range p.Choices {
		values = append(values, c.Value)
	}
	return values
}

// Enum returns the values that C numbers from 0: the default first if training
// chooses a value by default.
func (p *Parameter) Enum() []string {
	if p.Auto == "" {
		return p.Values()
	}
	return append([]string{p.Default}, p.Values()...)
}

// ByDefault describes the values that training chooses by default: "8 to 32, less for
// more rows". It is empty if the default is itself a value.
func (p *Parameter) ByDefault() string {
	if p.Chosen == (Range{}) {
		return p.Auto
	}
	return p.Chosen.String() + ", " + p.Auto
}

// Usage describes the parameter in one line, for the help of the command line.
func (p *Parameter) Usage() string {
	usage := strings.ToLower(p.Help[:1]) + strings.TrimSuffix(p.Help[1:], ".")
	switch {
	case p.Choices != nil:
		usage += ": " + p.Allowed()
	case p.Range.Most > p.Range.Least && p.Range.Most < math.MaxInt32:
		usage += "; " + p.Allowed()
	}
	if p.Auto != "" {
		usage += " (default " + p.ByDefault() + ")"
	}
	return usage
}

// Find returns the parameter of a name, which may be an alias, and its position in the
// table.
func Find(name string) (p *Parameter, i int, ok bool) {
	i = slices.IndexFunc(Parameters, func(p Parameter) bool {
		return name == p.Name || slices.Contains(strings.Fields(p.Aliases), name)
	})
	if i < 0 {
		return nil, 0, false
	}
	return &Parameters[i], i, true
}
