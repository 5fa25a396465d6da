package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/libaoso/aoso/internal/model"
)

func init() {
	register(Format{
		Name:       "pmml",
		Help:       "PMML 4.4, for Java and databases, with trees of one class each",
		MinClasses: 2,
		write:      func(w io.Writer, m *model.Model, _ int) error { return pmml(w, m) },
	})
}

// pmml writes a model as a chain of models: for each class, a sum of trees that computes a score;
// then a regression of class probabilities on these scores and on the places of linear scores.
// Places are derived fields.
//
// The fields are the features by their names. Categories and labels are strings. Values may be
// missing, and categories unknown to the model.
func pmml(w io.Writer, m *model.Model) error {
	p := &pmmlWriter{Writer: bufio.NewWriter(w), m: m}
	for _, names := range slices.Concat([][]string{m.Features, m.Classes}, m.Categories()) {
		for _, name := range names {
			if i := strings.IndexFunc(name, notXML); i >= 0 {
				return fmt.Errorf("the name %q has a character that PMML cannot hold", name)
			}
		}
	}
	p.target = p.unlike("label")
	p.printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<PMML version=\"4.4\" xmlns=\"http://www.dmg.org/PMML-4_4\">\n<Header><Application name=\"aoso\"/></Header>\n")
	p.dictionary()
	p.places()
	p.printf("<MiningModel functionName=\"classification\">\n")
	p.schema(true, p.features(), nil)
	p.printf("<Output>\n")
	for _, class := range m.Classes {
		p.printf("<OutputField name=%s optype=\"continuous\" dataType=\"double\" feature=\"probability\" value=%s/>\n", quoted(p.unlike("probability("+class+")")), quoted(class))
	}
	p.printf("</Output>\n<Segmentation multipleModelMethod=\"modelChain\">\n")
	scored := p.scores()
	p.probabilities(scored)
	p.printf("</Segmentation>\n</MiningModel>\n</PMML>\n")
	return p.Flush()
}

type pmmlWriter struct {
	*bufio.Writer
	m      *model.Model
	target string
}

func (p *pmmlWriter) printf(format string, a ...any) { fmt.Fprintf(p, format, a...) }

// unlike returns a name that no feature has.
func (p *pmmlWriter) unlike(name string) string {
	for slices.Contains(p.m.Features, name) {
		name += "_"
	}
	return name
}

// score and place return the names of the score of a class and of the place of a term.
func (p *pmmlWriter) score(class int) string { return p.unlike(fmt.Sprintf("score(%d)", class)) }
func (p *pmmlWriter) place(term int) string  { return p.unlike(fmt.Sprintf("place(%d)", term)) }

// features returns the numbers of all features.
func (p *pmmlWriter) features() []int {
	all := make([]int, len(p.m.Features))
	for j := range all {
		all[j] = j
	}
	return all
}

// dictionary writes the fields of the data.
func (p *pmmlWriter) dictionary() {
	p.printf("<DataDictionary>\n")
	for j, categories := range p.m.Categories() {
		if categories == nil {
			p.printf("<DataField name=%s optype=\"continuous\" dataType=\"double\"/>\n", quoted(p.m.Features[j]))
		} else {
			p.categorical(p.m.Features[j], categories)
		}
	}
	p.categorical(p.target, p.m.Classes)
	p.printf("</DataDictionary>\n")
}

func (p *pmmlWriter) categorical(name string, values []string) {
	p.printf("<DataField name=%s optype=\"categorical\" dataType=\"string\">\n", quoted(name))
	for _, value := range values {
		p.printf("<Value value=%s/>\n", quoted(value))
	}
	p.printf("</DataField>\n")
}

// schema writes what a model uses: the target, features, and other fields.
func (p *pmmlWriter) schema(target bool, features []int, others []string) {
	p.printf("<MiningSchema>")
	if target {
		p.printf("<MiningField name=%s usageType=\"target\"/>", quoted(p.target))
	}
	for _, j := range features {
		p.printf("<MiningField name=%s invalidValueTreatment=\"asIs\"/>", quoted(p.m.Features[j]))
	}
	for _, name := range others {
		p.printf("<MiningField name=%s/>", quoted(name))
	}
	p.printf("</MiningSchema>\n")
}

// places writes the places of linear scores as fields.
func (p *pmmlWriter) places() {
	l := p.m.Forest.Linear()
	if l == nil || l.Terms() == 0 {
		return
	}
	p.printf("<TransformationDictionary>\n")
	for t := range l.Terms() {
		column := l.Column(t)
		feature, values := column, []float64(nil)
		if p.m.Encoder != nil {
			feature, _ = p.m.Encoder.Owner(column)
			values = p.m.Encoder.Values(column)
		}
		name, categories := quoted(p.m.Features[feature]), p.m.Categories()[feature]
		p.printf("<DerivedField name=%s optype=\"continuous\" dataType=\"double\">", quoted(p.place(t)))
		if categories == nil {
			p.printf("<Discretize field=%s dataType=\"double\" mapMissingTo=\"0\">\n", name)
			edges, places := l.Edges(t), l.Places(t)
			for i, place := range places {
				p.printf("<DiscretizeBin binValue=\"%s\"><Interval closure=\"closedOpen\"", decimal(float64(place)))
				if i > 0 {
					p.printf(" leftMargin=\"%s\"", decimal(edges[i-1]))
				}
				if i < len(edges) {
					p.printf(" rightMargin=\"%s\"", decimal(edges[i]))
				}
				p.printf("/></DiscretizeBin>\n")
			}
			p.printf("</Discretize>")
		} else {
			p.printf("<MapValues outputColumn=\"place\" dataType=\"double\" mapMissingTo=\"0\" defaultValue=\"%s\">", decimal(float64(l.Place(t, values[len(categories)]))))
			p.printf("<FieldColumnPair field=%s column=\"category\"/><InlineTable>\n", name)
			for i, category := range categories {
				p.printf("<row><category>%s</category><place>%s</place></row>\n", escaped(category), decimal(float64(l.Place(t, values[i]))))
			}
			p.printf("</InlineTable></MapValues>")
		}
		p.printf("</DerivedField>\n")
	}
	p.printf("</TransformationDictionary>\n")
}

// scores writes the sums of trees, and reports which classes have one.
func (p *pmmlWriter) scores() []bool {
	trees := make([][]*classTree, len(p.m.Classes))
	for _, t := range p.m.Forest.All() {
		for k, c := range classTrees(p.m, t) {
			if c != nil {
				trees[k] = append(trees[k], c)
			}
		}
	}
	scored := make([]bool, len(trees))
	for k, all := range trees {
		if scored[k] = len(all) > 0; !scored[k] {
			continue
		}
		p.printf("<Segment><True/><MiningModel functionName=\"regression\">\n")
		p.schema(false, p.features(), nil)
		p.printf("<Output><OutputField name=%s optype=\"continuous\" dataType=\"double\" feature=\"predictedValue\" isFinalResult=\"false\"/></Output>\n", quoted(p.score(k)))
		p.printf("<Segmentation multipleModelMethod=\"sum\">\n")
		for _, c := range all {
			p.tree(c)
		}
		p.printf("</Segmentation>\n</MiningModel></Segment>\n")
	}
	return scored
}

// tree writes a tree. A test on a missing value is false, so of the children of a node, the first
// has the test, and the second all other rows.
func (p *pmmlWriter) tree(c *classTree) {
	var features []int
	for i, n := range c.tree.Nodes() {
		if c.moves[i] {
			features = append(features, p.feature(n.Split()))
		}
	}
	slices.Sort(features)
	p.printf("<Segment><True/><TreeModel functionName=\"regression\" splitCharacteristic=\"binarySplit\">\n")
	p.schema(false, slices.Compact(features), nil)
	p.node(c, c.tree.Root(), "<True/>")
	p.printf("</TreeModel></Segment>\n")
}

// feature returns the feature of a split.
func (p *pmmlWriter) feature(s model.Split) int {
	if sides := p.m.Sides(s); sides != nil {
		return sides.Feature
	}
	return int(s.Feature)
}

func (p *pmmlWriter) node(c *classTree, at model.Child, test string) {
	if value, ok := c.constant(at); ok {
		p.printf("<Node score=\"%s\">%s</Node>\n", decimal(value), test)
		return
	}
	p.printf("<Node>%s\n", test)
	n := c.tree.Node(at)
	test, left := p.test(n.Split())
	first, second := n.Left(), n.Right()
	if !left {
		first, second = second, first
	}
	p.node(c, first, test)
	p.node(c, second, "<True/>")
	p.printf("</Node>\n")
}

// test returns a predicate that is false for missing values that go the other way, and whether
// the rows for which it is true go left.
func (p *pmmlWriter) test(s model.Split) (test string, left bool) {
	if sides := p.m.Sides(s); sides != nil {
		left = !sides.UnseenLeft
		return p.set(sides, left), left
	}
	name, threshold := quoted(p.m.Features[s.Feature]), exactThreshold(p.m, s)
	left = !s.MissingLeft
	operator := "lessThan"
	if !left {
		operator = "greaterOrEqual"
	}
	if !math.IsInf(threshold, 0) {
		return fmt.Sprintf("<SimplePredicate field=%s operator=\"%s\" value=\"%s\"/>", name, operator, decimal(threshold)), left
	}
	if left != (threshold > 0) { // all values go with missing ones
		return "<False/>", left
	}
	return fmt.Sprintf("<SimplePredicate field=%s operator=\"isNotMissing\"/>", name), left
}

// set returns a predicate of the categories on one side, and of missing values if they go there.
func (p *pmmlWriter) set(s *model.Sides, left bool) string {
	field, categories := quoted(p.m.Features[s.Feature]), p.m.Categories()[s.Feature]
	var tests, plain []string
	for _, i := range s.Members(left) {
		if strings.ContainsAny(categories[i], `"\`) { // arrays have no way to write all of these
			tests = append(tests, fmt.Sprintf("<SimplePredicate field=%s operator=\"equal\" value=%s/>", field, quoted(categories[i])))
		} else {
			plain = append(plain, `"`+escaped(categories[i])+`"`)
		}
	}
	if plain != nil {
		tests = append(tests, fmt.Sprintf("<SimpleSetPredicate field=%s booleanOperator=\"isIn\"><Array type=\"string\" n=\"%d\">%s</Array></SimpleSetPredicate>", field, len(plain), strings.Join(plain, " ")))
	}
	if s.MissingLeft == left {
		tests = append(tests, fmt.Sprintf("<SimplePredicate field=%s operator=\"isMissing\"/>", field))
	}
	switch len(tests) {
	case 0:
		return "<False/>"
	case 1:
		return tests[0]
	}
	return "<CompoundPredicate booleanOperator=\"or\">" + strings.Join(tests, "") + "</CompoundPredicate>"
}

// probabilities writes the regression of class probabilities.
func (p *pmmlWriter) probabilities(scored []bool) {
	l, temperature := p.m.Forest.Linear(), cmp.Or(p.m.Temperature, 1)
	var fields []string
	for k := range scored {
		if scored[k] {
			fields = append(fields, p.score(k))
		}
	}
	p.printf("<Segment><True/><RegressionModel functionName=\"classification\" normalizationMethod=\"softmax\">\n")
	p.schema(true, p.m.LinearFeatures(), fields)
	for k, class := range p.m.Classes {
		intercept := 0.0
		if l != nil {
			intercept = float64(l.Bias()[k]) / temperature
		}
		p.printf("<RegressionTable targetCategory=%s intercept=\"%s\">\n", quoted(class), decimal(intercept))
		if scored[k] {
			p.predictor(p.score(k), 1)
		}
		if l != nil {
			for t := range l.Terms() {
				p.predictor(p.place(t), float64(l.Weights(t)[k])/temperature)
			}
		}
		p.printf("</RegressionTable>\n")
	}
	p.printf("</RegressionModel></Segment>\n")
}

func (p *pmmlWriter) predictor(name string, coefficient float64) {
	p.printf("<NumericPredictor name=%s coefficient=\"%s\"/>\n", quoted(name), decimal(coefficient))
}

// notXML reports whether XML cannot hold a character.
func notXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\t", "&#9;", "\n", "&#10;", "\r", "&#13;")

// escaped returns a text as XML.
func escaped(text string) string { return xmlEscapes.Replace(text) }

// quoted returns a text as the value of an attribute.
func quoted(text string) string { return `"` + escaped(text) + `"` }
