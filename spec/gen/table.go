package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/libaoso/aoso/spec"
)

// table holds the parameters in the orders of the templates.
type table struct {
	All    []parameter
	BySlot []parameter // in the order of C's struct
	Groups []group
}

type group struct {
	Name       string
	Parameters []parameter
}

// parameter adds the text of a parameter in each language.
type parameter struct{ spec.Parameter }

// Elsewheres returns the parameters of other libraries that are arguments of Dataset.
func (*table) Elsewheres() []spec.Elsewhere { return spec.Elsewheres }

// Foreigns returns the parameters of other libraries that do not exist here.
func (*table) Foreigns() []spec.Foreign { return spec.Foreigns }

func newTable() *table {
	t := &table{}
	for _, p := range spec.Parameters {
		t.All = append(t.All, parameter{p})
		if n := len(t.Groups); n == 0 || t.Groups[n-1].Name != p.Group {
			t.Groups = append(t.Groups, group{Name: p.Group})
		}
		last := &t.Groups[len(t.Groups)-1]
		last.Parameters = append(last.Parameters, parameter{p})
	}
	t.BySlot = slices.SortedFunc(slices.Values(t.All), func(a, b parameter) int { return cmp.Compare(a.C.Slot, b.C.Slot) })
	return t
}

// Estimator returns the parameters in the signature of AOSOClassifier.
func (t *table) Estimator() []parameter {
	return slices.DeleteFunc(slices.Clone(t.All), func(p parameter) bool { return !slices.Contains(spec.Explicit, p.Name) })
}

// about explains the parameter in sentences, followed by a line with the allowed
// values and the default. quote writes a value.
func (p parameter) about(quote func(string) string, byDefault string) string {
	text := p.Help
	var facts []string
	switch {
	case p.Choices != nil && p.Choices[0].Help != "":
		var choices []string
		for _, c := range p.Choices {
			choices = append(choices, quote(c.Value)+": "+c.Help)
		}
		text += " " + strings.Join(choices, "; ") + "."
	case p.Allowed() != "":
		facts = append(facts, "Allowed: "+p.Allowed()+".")
	}
	for _, more := range []string{p.Detail, p.Limits} {
		if more != "" {
			text += " " + more
		}
	}
	if byDefault != "" {
		facts = append(facts, "Default: "+byDefault+".")
	}
	return strings.TrimSpace(text + "\n" + strings.Join(facts, " "))
}

// auto returns the default and the values that it stands for.
func (p parameter) auto(value string) string {
	if p.Auto == "" {
		return value
	}
	return value + ", which means " + p.ByDefault()
}

// Named reports whether the field has a type of its own in Go, of the field's name.
func (p parameter) Named() bool {
	return slices.Contains([]string{"Method", "Preset", "Metric"}, p.Field)
}

// GoType returns the type of the field, in the package that declares it.
func (p parameter) GoType() string {
	if p.Named() {
		return p.Field
	}
	return p.Type
}

func (p parameter) GoDefault() string {
	if p.Type == spec.String {
		return strconv.Quote(p.Default)
	}
	return p.Default
}

// GoZero reports whether the default is Go's zero value.
func (p parameter) GoZero() bool { return p.Default == "" || p.Default == "0" }

func (p parameter) GoDoc() string { return p.about(strconv.Quote, p.auto(p.GoDefault())) }

var cTypes = map[string]string{spec.String: "const char *", spec.Int: "int64_t", spec.Uint64: "uint64_t", spec.Float64: "double"}

// CType returns the type of the field.
func (p parameter) CType() string {
	switch {
	case p.C.Type != "":
		return p.C.Type
	case p.C.Enum != "":
		return "int32_t"
	}
	return cTypes[p.Type]
}

// CField declares the field.
func (p parameter) CField() string {
	return strings.Replace(p.CType()+" "+p.Name, "* ", "*", 1)
}

// Constant returns the name in C of a value of Enum.
func (p parameter) Constant(value string) string {
	return "AOSO_" + p.C.Enum + "_" + strings.ToUpper(cmp.Or(value, "default"))
}

// Meaning explains a value of Enum.
func (p parameter) Meaning(value string) string {
	for _, c := range p.Choices {
		if c.Value == value {
			return c.Help
		}
	}
	return p.ByDefault()
}

func (p parameter) CDoc() string {
	value := p.Default
	switch {
	case p.C.Enum != "":
		p.Choices = nil // the enum explains them
		return p.about(nil, p.Constant(p.Default))
	case p.Type == spec.String:
		value = "NULL"
	}
	return p.about(strconv.Quote, p.auto(value))
}

// CComment returns CDoc as a comment in C.
func (p parameter) CComment() string {
	return "    /* " + strings.TrimPrefix(wrap("     * ", 115, p.CDoc()), "     * ") + " */"
}

// Ctypes returns the type of the field in Python's ctypes, without its c_.
func (p parameter) Ctypes() string {
	if p.CType() == "const char *" {
		return "char_p"
	}
	return strings.TrimSuffix(p.CType(), "_t")
}

var pyTypes = map[string]string{spec.String: "str", spec.Int: "int", spec.Uint64: "int", spec.Float64: "float"}

// PyValueType returns the type of a value.
func (p parameter) PyValueType() string { return pyTypes[p.Type] }

// PyType returns the type of the argument.
func (p parameter) PyType() string {
	switch {
	case p.Nested:
		return "Any"
	case p.Auto != "":
		return p.PyValueType() + " | None"
	}
	return p.PyValueType()
}

func (p parameter) PyDefault() string {
	switch {
	case p.Auto != "":
		return "None"
	case p.Type == spec.Float64 && !strings.ContainsAny(p.Default, ".e"):
		return p.Default + ".0"
	}
	return p.GoDefault()
}

// PyKind returns the type and the default as numpydoc writes them.
func (p parameter) PyKind() string {
	kind := p.PyValueType()
	if p.Nested {
		kind = "list, dict, str"
	}
	if p.Choices != nil {
		// In numpydoc, and for the parser of the site, the first value is the default.
		values := []string{p.PyDefault()}
		for _, value := range p.Values() {
			if p.Type == spec.String {
				value = strconv.Quote(value)
			}
			if value != p.PyDefault() {
				values = append(values, value)
			}
		}
		kind = "{" + strings.Join(values, ", ") + "}"
	} else if p.Auto != "" {
		kind += " or None"
	}
	return kind + ", default " + p.PyDefault()
}

// PyDoc explains the parameter and, if its default is None, what that means.
func (p parameter) PyDoc() string {
	text := p.about(strconv.Quote, "")
	if p.Auto == "" {
		return text
	}
	if p.Choices == nil && p.Allowed() != "" {
		return text + " None: " + p.ByDefault() + "."
	}
	return text + "\nNone: " + p.ByDefault() + "."
}

// MdDefault returns the default for a table of the documents.
func (p parameter) MdDefault() string { return cmp.Or(p.ByDefault(), p.Default) }

// MdAllowed returns the allowed values for a table of the documents.
func (p parameter) MdAllowed() string {
	if p.Choices == nil || p.Choices[0].Help == "" {
		return p.Allowed()
	}
	return "`" + strings.Join(p.Values(), "`, `") + "`"
}

// MdDoc explains the parameter for a table of the documents.
func (p parameter) MdDoc() string {
	code := func(s string) string { return "`" + s + "`" }
	doc, _, _ := strings.Cut(p.about(code, ""), "\n")
	switch p.Parameter.Estimator {
	case "":
	case "-":
		doc += " `AOSOClassifier` lacks it."
	default:
		doc += fmt.Sprintf(" `AOSOClassifier` calls it `%s`.", p.Parameter.Estimator)
	}
	return doc
}

// Foreign returns the names in other libraries that differ from ours, without aliases of ours.
func (p parameter) Foreign() []string {
	var names []string
	for _, name := range strings.Fields(p.all()) {
		name = strings.TrimPrefix(name, "~")
		if name != p.Name && !slices.Contains(names, name) && !slices.Contains(strings.Fields(p.Aliases), name) {
			names = append(names, name)
		}
	}
	return names
}

// Also returns the aliases that are not among the names in other libraries.
func (p parameter) Also() string {
	return strings.Join(slices.DeleteFunc(strings.Fields(p.Aliases), func(name string) bool {
		return slices.Contains(strings.Fields(p.all()), name)
	}), " ")
}

func (p parameter) all() string {
	return p.Others.LightGBM + " " + p.Others.XGBoost + " " + p.Others.CatBoost + " " + p.Others.ScikitLearn
}

// HasOthers reports whether other libraries have the parameter.
func (p parameter) HasOthers() bool { return strings.TrimSpace(p.all()) != "" }

// MdNames formats names of other libraries for a table of the documents.
func (p parameter) MdNames(names string) string {
	var words []string
	for _, name := range strings.Fields(names) {
		if similar, ok := strings.CutPrefix(name, "~"); ok {
			words = append(words, "*`"+similar+"`*")
		} else {
			words = append(words, "`"+name+"`")
		}
	}
	return strings.Join(words, ", ")
}

// wrap breaks the lines of a text into lines that begin with prefix and have
// at most width characters.
func wrap(prefix string, width int, text string) string {
	var lines []string
	for long := range strings.SplitSeq(text, "\n") {
		line := prefix
		for word := range strings.FieldsSeq(long) {
			if line != prefix && len(line)+1+len(word) > width {
				lines = append(lines, line)
				line = prefix
			}
			if line != prefix {
				line += " "
			}
			line += word
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
