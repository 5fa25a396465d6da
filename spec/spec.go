// Package spec is the table of the parameters of training. Whatever lists
// parameters, in Go, C, Python, the command line and the documents, is
// generated from it or reads it.
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

// The types of values, by their names in Go.
const (
	String  = "string"
	Int     = "int"
	Uint64  = "uint64"
	Float64 = "float64"
)

// Parameter is a parameter of training.
type Parameter struct {
	Name    string // in text, on the command line, in Python and in messages: min_samples
	Field   string // in Go: MinSamples
	Group   string
	Type    string // of its value: String, Int, Uint64 or Float64
	Nested  bool   // the String is a list or a dict, as JSON, or a word
	Default string
	Auto    string   // what the default stands for, if it is no value itself: "", 0 or -1, in text "auto"
	Choices []Choice // the values allowed, if they can be listed
	Range   Range    // the numbers allowed, if there are no Choices
	Usual   Range    // the numbers worth trying
	Help    string   // one sentence
	Detail  string   // further sentences
	Limits  string   // sentences about what is allowed in view of the data and other parameters
	Others  Others

	C         C
	Estimator string // its name in AOSOClassifier, if it differs; "-": AOSOClassifier lacks it
}

// Choice is a value that a parameter may have.
type Choice struct{ Value, Help string }

// C is a parameter in the struct aoso_params.
type C struct {
	Slot int    // position in the struct, from 1; a new parameter comes last
	Name string // of the field, if it differs; text may use either name
	Type string // of the field, if it is not the usual one of the parameter's type
	Enum string // what the names of the choices begin with, after AOSO_
}

// Others is what other libraries call a parameter: words separated by spaces.
// A word that begins with ~ means something similar, but not the same.
type Others struct {
	LightGBM, XGBoost, CatBoost, ScikitLearn string
	Values                                   string // what their values are here: multi_logloss=logloss
	Nearest                                  string // what is nearest to values that do not exist here: mcc=kappa
	Note                                     string // how their values differ
}

// Range is the numbers from Least to Most. Those two are among them unless
// they are open.
type Range struct {
	Least, Most         float64
	LeastOpen, MostOpen bool
}

// Contains tells whether x is in the range.
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

// Allows tells whether a value, which is of the parameter's type, is allowed.
// Whether it suits the data and other parameters is not its business.
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

// Allowed describes what Allows takes: "at least 1".
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

// Values is the values of the choices.
func (p *Parameter) Values() []string {
	var values []string
	for _, c := range p.Choices {
		values = append(values, c.Value)
	}
	return values
}

// Enum is the values that are numbered from 0 in C.
func (p *Parameter) Enum() []string {
	if p.Auto == "" {
		return p.Values()
	}
	return append([]string{p.Default}, p.Values()...)
}

// Usage describes the parameter in one line, for the command line.
func (p *Parameter) Usage() string {
	usage := strings.ToLower(p.Help[:1]) + strings.TrimSuffix(p.Help[1:], ".")
	switch {
	case p.Choices != nil:
		usage += ": " + p.Allowed()
	case p.Range.Most > p.Range.Least && p.Range.Most < math.MaxInt32:
		usage += "; " + p.Allowed()
	}
	if p.Auto != "" {
		usage += " (default " + p.Auto + ")"
	}
	return usage
}

// CName is the parameter's name in C's struct.
func (p *Parameter) CName() string {
	if p.C.Name != "" {
		return p.C.Name
	}
	return p.Name
}

// Find returns the parameter of a name, which may be its name in C's struct,
// and its position in the table.
func Find(name string) (p *Parameter, i int, ok bool) {
	i = slices.IndexFunc(Parameters, func(p Parameter) bool { return name == p.Name || name == p.CName() })
	if i < 0 {
		return nil, 0, false
	}
	return &Parameters[i], i, true
}
