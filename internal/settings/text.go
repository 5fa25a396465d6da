package settings

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/libaoso/aoso/internal/argument"
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/constraint"
	"github.com/libaoso/aoso/spec"
)

// Params are the parameters of training, as aoso.Params documents them. Some may be unset.
type Params boost.Params

// value returns the value of the field to which a pointer points.
func value(field any) any { return reflect.ValueOf(field).Elem().Interface() }

// FillZeros sets the zero fields of parameters without a preset, which are a literal of a program
// rather than changed defaults, to the defaults.
func (p *Params) FillZeros() {
	if p.Preset != "" {
		return
	}
	defaults := Default()
	for i, field := range defaults.fields() {
		if to := reflect.ValueOf(p.fields()[i]).Elem(); to.IsZero() {
			to.Set(reflect.ValueOf(field).Elem())
		}
	}
}

// Auto is the default, in text, of a parameter whose value training chooses.
const Auto = "auto"

// Set sets the parameter of this name to a value given as text. It checks the type of
// the value; [Params.Resolve] checks whether all values are allowed.
func (p *Params) Set(name, value string) error {
	known, i, ok := spec.Find(name)
	if !ok {
		var names []string
		for _, known := range spec.Parameters {
			names = append(names, known.Name)
		}
		return argument.New("parameter", name, "%s", strings.Join(names, ", "))
	}
	field, before := p.fields()[i], *p
	if known.Auto != "" && value == Auto {
		ParseInto(field, known.Default)
		return nil
	}
	if known.Nested {
		normal, ok := constraint.Normal(value)
		if !ok {
			return argument.New(known.Name, value, "a list, a dict or a word")
		}
		value = normal
	}
	if value == "" && known.Choices != nil && known.Default != "" { // the empty text is no value, but what a literal leaves out
		return argument.New(known.Name, value, "%s", known.Allowed())
	}
	allowed, ok := ParseInto(field, value)
	if ok && known.Type != spec.String && isAuto(known, field) { // text has a word for it
		allowed, ok = strings.Replace(known.Allowed(), " or ", ", ", 1)+" or auto", false
	}
	if !ok {
		*p = before
		return argument.New(known.Name, value, "%s", allowed)
	}
	return nil
}

// isAuto reports whether the parameter is unset, so that training chooses its value.
func isAuto(known *spec.Parameter, field any) bool {
	return known.Auto != "" && fmt.Sprint(value(field)) == known.Default
}

// ParseInto parses text into the field to which a pointer points. Text that is not of the field's type changes nothing;
// allowed then describes the type.
func ParseInto(field any, value string) (allowed string, ok bool) {
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

// Parse parses parameters from text such as "n_estimators=500, max_leaves=64": items
// name=value, separated by spaces, commas or line ends. If a name occurs more than once,
// the last item counts. Other parameters have their defaults. Lists and dicts may
// contain spaces and commas within their brackets.
//
// Names and values of LightGBM, XGBoost, CatBoost and scikit-learn are accepted too, as
// in "num_leaves=64 max_depth=-1". Those that have no meaning here have no effect.
// The error lists every item that is wrong.
func Parse(text string) (Params, error) {
	p := Default()
	var wrong []error
	for item := range splitItems(text) {
		name, value, ok := strings.Cut(item, "=")
		if !ok {
			return Params{}, argument.New("params", item, "items name=value, without spaces inside")
		}
		if err := p.understand(name, value); err != nil {
			wrong = append(wrong, err)
		}
	}
	if len(wrong) > 0 {
		return Params{}, errors.Join(wrong...)
	}
	return p, nil
}

// understand sets a parameter by its own name or by its name in another library.
func (p *Params) understand(name, value string) error {
	meaning, ok := spec.Understand(name, value)
	if !ok {
		return p.Set(name, value)
	}
	if meaning.Allowed != "" {
		return argument.New(name, value, "%s", meaning.Allowed)
	}
	known := meaning.Parameter
	if known == nil {
		return nil
	}
	if _, _, ours := spec.Find(name); meaning.Value == "" && (value != "" || !ours) {
		_, i, _ := spec.Find(known.Name)
		ParseInto(p.fields()[i], known.Default)
		return nil
	}
	err := p.Set(known.Name, meaning.Value)
	if wrong, ok := errors.AsType[*argument.Error](err); ok {
		wrong.Argument = name
	}
	return err
}

// splitItems yields the items of the text that [Parse] parses.
func splitItems(text string) iter.Seq[string] {
	separates := func(r rune) bool { return r == ',' || unicode.IsSpace(r) }
	return func(yield func(string) bool) {
		for text = strings.TrimLeftFunc(text, separates); text != ""; text = strings.TrimLeftFunc(text, separates) {
			end := strings.IndexFunc(text, separates)
			if end < 0 {
				end = len(text)
			}
			if name, _, ok := strings.Cut(text[:end], "="); ok {
				known, _, found := spec.Find(name)
				if meaning, foreign := spec.Understand(name, ""); !found && foreign {
					known = meaning.Parameter
				}
				if known != nil && known.Nested {
					end = len(name) + 1 + constraint.End(text[len(name)+1:], separates)
				}
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

// String formats the parameters for [Parse]. It omits constraints that are unset.
func (p Params) String() string {
	items := p.items()
	for i := len(items) - 1; i >= 0; i-- {
		if known := &spec.Parameters[i]; known.Nested && isAuto(known, p.fields()[i]) {
			items = slices.Delete(items, i, i+1)
		}
	}
	return strings.Join(items, " ")
}

// Changes formats the parameters that differ from the defaults for [Parse].
func (p Params) Changes() string {
	defaults, changed := Default().items(), []string(nil)
	for i, item := range p.items() {
		if item != defaults[i] {
			changed = append(changed, item)
		}
	}
	return strings.Join(changed, " ")
}

func (p Params) items() []string {
	items := make([]string, len(spec.Parameters))
	for i, field := range p.fields() {
		known, text := &spec.Parameters[i], fmt.Sprint(value(field))
		if isAuto(known, field) {
			text = Auto
		}
		items[i] = known.Name + "=" + text
	}
	return items
}
