package spec

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Meaning translates a parameter of another library and its value.
type Meaning struct {
	Parameter *Parameter // nil: it has no effect
	Value     string     // our value; "": the default
	Allowed   string     // the values allowed instead, and advice; "": the value is allowed
}

// Understand translates a parameter of another library and its value. The name may also be
// one of ours.
func Understand(name, value string) (m Meaning, ok bool) {
	meaning, ok := meanings()[name]
	if !ok {
		return m, false
	}
	return meaning(value), true
}

var meanings = sync.OnceValue(func() map[string]func(string) Meaning {
	known := map[string]func(string) Meaning{}
	for i := range Foreigns {
		for name := range strings.FieldsSeq(Foreigns[i].Names) {
			known[name] = Foreigns[i].meaning
		}
	}
	for i := range Elsewheres {
		for name := range strings.FieldsSeq(Elsewheres[i].Names) {
			known[name] = Elsewheres[i].meaning
		}
	}
	for i := range Parameters {
		p := &Parameters[i]
		for name := range strings.FieldsSeq(strings.Join([]string{p.Others.LightGBM, p.Others.XGBoost, p.Others.CatBoost, p.Others.ScikitLearn}, " ")) {
			known[strings.TrimPrefix(name, "~")] = p.theirs
		}
		for name := range strings.FieldsSeq(p.Name + " " + p.Aliases) {
			known[name] = p.ours
		}
	}
	return known
})

func (f *Foreign) meaning(value string) Meaning {
	values := strings.Fields(f.Values)
	if value == "" || f.Values == "*" || slices.Contains(values, plain(value)) {
		return Meaning{}
	}
	allowed := strings.Join(values, ", ")
	if allowed == "" {
		allowed = "none"
	}
	return Meaning{Allowed: allowed + "; " + f.Advice}
}

func (e *Elsewhere) meaning(string) Meaning {
	return Meaning{Allowed: "none; it is " + e.Argument + " of the dataset"}
}

// theirs translates a value given under a name of another library.
func (p *Parameter) theirs(value string) Meaning {
	if ours, ok := lookUp(p.Others.Values, "~"+plain(value)); ok {
		return Meaning{Parameter: p, Value: ours}
	}
	return p.ours(value)
}

// ours translates a value given under our own name or an alias.
func (p *Parameter) ours(value string) Meaning {
	if ours, ok := lookUp(p.Others.Values, plain(value)); ok {
		return Meaning{Parameter: p, Value: ours}
	}
	kind, _, _ := strings.Cut(plain(value), ":") // as in CatBoost's TotalF1:average=Macro
	if nearest, ok := lookUp(p.Others.Nearest, kind); ok {
		return Meaning{Allowed: p.Allowed() + "; the nearest to it is " + nearest}
	}
	return Meaning{Parameter: p, Value: value}
}

// lookUp finds a word among pairs theirs=ours.
func lookUp(pairs, word string) (ours string, ok bool) {
	for pair := range strings.FieldsSeq(pairs) {
		if theirs, ours, _ := strings.Cut(pair, "="); theirs == word {
			return ours, true
		}
	}
	return "", false
}

// plain formats a value as the tables do: whole numbers without a fraction, the rest in
// lower case.
func plain(value string) string {
	if x, err := strconv.ParseFloat(value, 64); err == nil && x == float64(int64(x)) {
		return strconv.FormatInt(int64(x), 10)
	}
	return strings.ToLower(value)
}
