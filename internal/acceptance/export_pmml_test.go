package acceptance

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
)

// element is an element of XML.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// number returns an attribute as a number, or what is due if it is not there.
func (e *element) number(name string, due float64) float64 {
	if e.attr(name) == "" {
		return due
	}
	return parsed(e.attr(name))
}

func parsed(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return x
}

// all returns the children of a name.
func (e *element) all(name string) (list []*element) {
	for i := range e.Children {
		if e.Children[i].XMLName.Local == name {
			list = append(list, &e.Children[i])
		}
	}
	return list
}

func (e *element) one(path ...string) *element {
	for _, name := range path {
		e = e.all(name)[0]
	}
	return e
}

func parsePMML(t testing.TB, text []byte) *element {
	t.Helper()
	root := &element{}
	if err := xml.Unmarshal(text, root); err != nil {
		t.Fatal(err)
	}
	return root
}

// pmmlScores returns the scores of a row of fields, by the rules of PMML.
func pmmlScores(root *element, fields map[string]string) []float64 {
	numbers := map[string]float64{}
	for _, dictionary := range root.all("TransformationDictionary") {
		for _, field := range dictionary.all("DerivedField") {
			numbers[field.attr("name")] = pmmlDerived(field, fields)
		}
	}
	segments := root.one("MiningModel", "Segmentation").all("Segment")
	for _, segment := range segments[:len(segments)-1] {
		sum := 0.0
		for _, tree := range segment.one("MiningModel", "Segmentation").all("Segment") {
			sum += pmmlLeaf(tree.one("TreeModel", "Node"), fields)
		}
		numbers[segment.one("MiningModel", "Output", "OutputField").attr("name")] = sum
	}
	var scores []float64
	for _, table := range segments[len(segments)-1].one("RegressionModel").all("RegressionTable") {
		score := table.number("intercept", 0)
		for _, p := range table.all("NumericPredictor") {
			score += numbers[p.attr("name")] * p.number("coefficient", 1)
		}
		scores = append(scores, score)
	}
	return scores
}

func pmmlDerived(field *element, fields map[string]string) float64 {
	e := &field.Children[0]
	name := e.attr("field")
	if e.XMLName.Local == "MapValues" {
		name = e.one("FieldColumnPair").attr("field")
	}
	value, ok := fields[name]
	if !ok {
		return e.number("mapMissingTo", math.NaN())
	}
	for _, bin := range e.all("DiscretizeBin") {
		i := bin.one("Interval")
		if x := parsed(value); i.attr("closure") == "closedOpen" && x >= i.number("leftMargin", math.Inf(-1)) && x < i.number("rightMargin", math.MaxFloat64) || i.attr("rightMargin") == "" {
			return bin.number("binValue", math.NaN())
		}
	}
	for _, row := range e.one("InlineTable").all("row") {
		if row.one("category").Text == value {
			return parsed(row.one("place").Text)
		}
	}
	return e.number("defaultValue", math.NaN())
}

// pmmlLeaf returns the score of a row. Its children are the first of which the test is true.
func pmmlLeaf(node *element, fields map[string]string) float64 {
	children := node.all("Node")
	if len(children) == 0 {
		return node.number("score", math.NaN())
	}
	for _, child := range children {
		if pmmlTrue(&child.Children[0], fields) {
			return pmmlLeaf(child, fields)
		}
	}
	return math.NaN()
}

func pmmlTrue(test *element, fields map[string]string) bool {
	value, ok := fields[test.attr("field")]
	switch test.XMLName.Local + " " + test.attr("operator") + test.attr("booleanOperator") {
	case "True ":
		return true
	case "SimplePredicate lessThan":
		return ok && parsed(value) < test.number("value", 0)
	case "SimplePredicate greaterOrEqual":
		return ok && parsed(value) >= test.number("value", 0)
	case "SimplePredicate equal":
		return ok && value == test.attr("value")
	case "SimplePredicate isMissing":
		return !ok
	case "SimplePredicate isNotMissing":
		return ok
	case "SimpleSetPredicate isIn":
		return ok && slices.Contains(strings.Split(strings.Trim(test.one("Array").Text, `"`), `" "`), value)
	case "CompoundPredicate or":
		return slices.ContainsFunc(test.Children, func(e element) bool { return pmmlTrue(&e, fields) })
	}
	return false
}

// fieldsOf returns a row of positions of categories as fields of PMML.
func fieldsOf(m *aoso.Model, row []float64) map[string]string {
	fields := map[string]string{}
	for j, x := range row {
		categories := m.Categories(j)
		switch {
		case math.IsNaN(x):
		case categories == nil:
			fields[m.FeatureNames()[j]] = fmt.Sprint(x)
		case int(x) < len(categories):
			fields[m.FeatureNames()[j]] = categories[int(x)]
		default:
			fields[m.FeatureNames()[j]] = "none of them"
		}
	}
	return fields
}

// TestPMMLAndTreelite predicts from what was written alone; make test-export does so with the
// programs that the formats are for.
func TestPMMLAndTreelite(t *testing.T) {
	models, rows := map[string]*aoso.Model{}, map[string][][]float64{}
	for _, classes := range []int{2, 5} {
		d := blobs(157, 200, 4, classes, 255).punch(157, 0.1)
		for _, v := range variants {
			name := fmt.Sprint(v.name, classes)
			models[name] = trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 2, classes) })).Model
			rows[name] = d.x[:30]
		}
	}
	for name, m := range categoricalModels(t) {
		models[name] = m
		all, _ := positions(t, m)
		for i := 0; i < len(all); i += 1 + len(all)/100 {
			rows[name] = append(rows[name], all[i])
		}
	}
	for name, m := range models {
		linear := withTemperature(withLinear(m, nil), 1.5)
		for _, m := range []*aoso.Model{m, linear} {
			pmml, lite := parsePMML(t, written(t, exported(m, "pmml"))), parseTreelite(t, written(t, exported(m, "treelite")))
			tolerance, temperature := 1e-12, 1.0
			if m == linear {
				tolerance, temperature = 1e-6, 1.5
			}
			p, err := m.RowPredictor()
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, len(m.Classes()))
			for _, row := range rows[name] {
				if err := p.Raw(row, want); err != nil {
					t.Fatal(err)
				}
				for k := range want {
					want[k] /= temperature
				}
				if got := pmmlScores(pmml, fieldsOf(m, row)); !closeScores(got, want, min(tolerance, 1e-7)) {
					t.Fatalf("%s, row %v: scores %v by PMML, want %v", name, row, got, want)
				}
				if got := lite.scores(row); !closeScores(got, want, tolerance) {
					t.Fatalf("%s, row %v: scores %v by treelite, want %v", name, row, got, want)
				}
			}
		}
	}
}

// TestPMMLNames: names as they are, or an error.
func TestPMMLNames(t *testing.T) {
	names := []string{`a<"b">&`, "label", "score(1)", "line\nbreak\ttab", "länge"}
	m := changed(chain(len(names), 0.5), func(c *model.Model) { c.Features, c.Named = names, true })
	root := parsePMML(t, written(t, exported(m, "pmml")))
	var fields, seen []string
	for _, field := range root.one("DataDictionary").all("DataField") {
		fields = append(fields, field.attr("name"))
	}
	if want := append(slices.Clone(names), "label_"); !slices.Equal(fields, want) {
		t.Errorf("fields %q, want %q", fields, want)
	}
	for _, segment := range root.one("MiningModel", "Segmentation").all("Segment") {
		for _, inner := range segment.all("MiningModel") {
			seen = append(seen, inner.one("Output", "OutputField").attr("name"))
		}
	}
	if !slices.Equal(seen, []string{"score(0)", "score(1)_"}) {
		t.Errorf("scores %q", seen)
	}
	bad := changed(chain(1, 0.5), func(c *model.Model) { c.Features, c.Named = []string{"a\x01"}, true })
	if err := bad.Export(io.Discard, "pmml"); err == nil || !strings.Contains(err.Error(), `"a\x01"`) {
		t.Error(err)
	}
}
