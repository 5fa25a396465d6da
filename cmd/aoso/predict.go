package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// predictor is the command predict.
type predictor struct {
	reader
	model, data string
	output, out string
	of          []string // classes
	decider     decider
	top         int
	options     aoso.PredictOptions
}

func newPredict() *cobra.Command {
	p := &predictor{}
	c := &cobra.Command{
		Use:   "predict --model FILE --data FILE",
		Short: "Apply a model to a data file, with or without labels",
		Long: `Apply a model to a data file, with or without labels.

If the file has one column more than the model has features, one column has
labels and is ignored; --label says which. Output class is one label per line.
The other outputs are CSV with a header: the classes for proba and raw, the
trees for leaf.

With --sets ALPHA the output is, for each row, the size of a set of classes that
misses the row's class with probability ALPHA, and the classes, separated by |. In
a name, a backslash precedes | and \. Such a set may be empty; see --non-empty.

With --top N the output is, for each row, the N most likely classes, the most likely
first, each followed by its probability.

With --costs FILE the output is, for each row, the decision of least expected cost,
and this cost. The file is CSV. Its header has a name for the first column and the
names of the decisions, its lines have a class and the costs of the decisions if
the row has this class. Decisions may be other things than classes. With --abstain
COST the decision is empty where all others are expected to cost more than that.
Without --costs, decisions are the classes, and each error costs 1.`,
		Example: `  aoso predict --model letters.aoso --data test.csv.gz --output proba --out proba.csv
  aoso predict --model letters.aoso --data test.csv.gz --sets 0.05 --method aps`,
		RunE: work(p.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&p.model, "model", "", "model `file`")
	f.StringVar(&p.data, "data", "", "`file` to predict")
	p.reader.bind(c)
	f.StringVar(&p.output, "output", "class", "class, proba, raw or leaf")
	complete(c, "output", "class", "proba", "raw", "leaf")
	f.StringArrayVar(&p.of, "of", nil, "for raw: score only this `class`; may be repeated")
	f.Float64Var(&p.decider.sets.Alpha, "sets", 0, "write prediction sets that miss the class with probability `alpha`, between 0 and 1")
	f.StringVar(&p.decider.sets.Method, "method", aoso.SetLAC, "for sets: lac (the smallest), aps or raps (larger for rows that are hard)")
	complete(c, "method", aoso.SetLAC, aoso.SetAPS, aoso.SetRAPS)
	f.BoolVar(&p.decider.sets.ClassConditional, "class-conditional", false, "for sets: miss the rows of each class with probability alpha")
	f.BoolVar(&p.decider.sets.NonEmpty, "non-empty", false, "for sets: put the most likely class into empty ones")
	f.StringVar(&p.decider.costsFile, "costs", "", "write the decisions of least expected cost by the costs in this `file`")
	f.Float64Var(&p.decider.abstain, "abstain", 0, "write decisions, which are empty where others are expected to cost more than this `cost`")
	f.IntVar(&p.top, "top", 0, "write this many of the most likely classes and their probabilities")
	c.MarkFlagsMutuallyExclusive("output", "sets", "costs", "top")
	c.MarkFlagsMutuallyExclusive("output", "sets", "abstain", "top")
	f.StringVar(&p.out, "out", "", "`file` to write (default standard output)")
	bindPredict(c, &p.options)
	require(c, "model", "data")
	return c
}

// bindPredict adds the flags of prediction.
func bindPredict(c *cobra.Command, o *aoso.PredictOptions) {
	f := c.Flags()
	f.IntVar(&o.Trees, "trees", 0, "use only the first trees; 0: all")
	f.IntVar(&o.NThread, "nthread", 0, "threads; 0: all cores")
}

// predictRows is the number of rows to predict at once.
const predictRows = 1 << 14

func (p *predictor) run(c *cobra.Command) error {
	write, ok := map[string]func(*lineWriter, *aoso.Model, aoso.Features) error{
		"class": p.classes,
		"proba": p.proba,
		"raw":   p.raw,
		"leaf":  p.leaves,
		"top":   p.mostLikely,
		"sets":  p.writeSets,
		"costs": p.decide,
	}[p.what(c)]
	if !ok {
		return usageError(fmt.Errorf("output is %q; allowed: class, proba, raw or leaf", p.output))
	}
	if err := p.checkData(); err != nil {
		return err
	}
	if err := checkOut(p.out, p.model, p.data, p.decider.costsFile); err != nil {
		return err
	}
	m, err := aoso.Load(p.model)
	if err != nil {
		return err
	}
	if p.output == "costs" {
		if err := p.decider.setCosts(m.Classes()); err != nil {
			return err
		}
	}
	if n := len(m.Classes()); p.output == "top" && (p.top < 1 || p.top > n) {
		return usageError(fmt.Errorf("top is %d; allowed: 1 to %d, the classes of the model", p.top, n))
	}
	if len(p.of) > 0 {
		if p.output != "raw" {
			return usageError(fmt.Errorf("--of is given with output %s; allowed: output raw", p.output))
		}
		if write, err = p.rawOf(m); err != nil {
			return err
		}
	}
	d, err := p.readUnlabelled(p.data, m, "the model")
	if err != nil {
		return err
	}
	return writeFile(p.out, c.OutOrStdout(), func(out io.Writer) error {
		w := &lineWriter{out: bufio.NewWriter(out)}
		p.header(w, m)
		for first := 0; first < d.rows; first += predictRows {
			if err := write(w, m, d.block(first, min(first+predictRows, d.rows))); err != nil {
				return err
			}
		}
		return w.out.Flush()
	})
}

// what returns the output that the flags ask for.
func (p *predictor) what(c *cobra.Command) string {
	switch f := c.Flags(); {
	case f.Changed("sets"):
		p.output = "sets"
	case f.Changed("costs") || f.Changed("abstain"):
		p.decider.abstains = f.Changed("abstain")
		p.output = "costs"
	case f.Changed("top"):
		p.output = "top"
	case p.output == "sets" || p.output == "costs" || p.output == "top": // which are not names of outputs
		return ""
	}
	return p.output
}

func (p *predictor) header(w *lineWriter, m *aoso.Model) {
	switch p.output {
	case "proba", "raw":
		if p.of != nil {
			w.line(p.of...)
		} else {
			w.line(m.Classes()...)
		}
	case "top":
		for i := range p.top {
			w.text(fmt.Sprintf("class%d", i+1))
			w.text(fmt.Sprintf("probability%d", i+1))
		}
		w.end()
	case "sets":
		w.line("size", "classes")
	case "costs":
		w.line("decision", "expected_cost")
	case "leaf":
		trees := p.options.Trees
		if trees == 0 {
			trees = m.Trees()
		}
		for t := range trees {
			w.text(fmt.Sprintf("tree%d", t))
		}
		w.end()
	}
}

func (p *predictor) classes(w *lineWriter, m *aoso.Model, x aoso.Features) error {
	predicted, err := m.Predict(x, p.options)
	classes := m.Classes()
	for _, k := range predicted {
		w.text(classes[k])
		w.end()
	}
	return err
}

func (p *predictor) mostLikely(w *lineWriter, m *aoso.Model, x aoso.Features) error {
	best, proba, err := m.PredictTop(x, p.top, p.options)
	classes := m.Classes()
	for i, k := range best {
		w.text(classes[k])
		w.cell(strconv.AppendFloat(w.room(), proba[i], 'g', -1, 64))
		if i%p.top == p.top-1 {
			w.end()
		}
	}
	return err
}

func (p *predictor) proba(w *lineWriter, m *aoso.Model, x aoso.Features) error {
	values, err := m.PredictProba(x, p.options)
	w.numbers(values, x.Rows())
	return err
}

func (p *predictor) raw(w *lineWriter, m *aoso.Model, x aoso.Features) error {
	values, err := m.PredictRaw(x, p.options)
	w.numbers(values, x.Rows())
	return err
}

// rawOf returns the function that writes the raw scores of some classes, row by row.
func (p *predictor) rawOf(m *aoso.Model) (func(*lineWriter, *aoso.Model, aoso.Features) error, error) {
	classes := make([]int, len(p.of))
	for i, class := range p.of {
		if classes[i] = slices.Index(m.Classes(), class); classes[i] < 0 {
			return nil, usageError(fmt.Errorf("of is %q; allowed: the classes of the model: %s", class, strings.Join(m.Classes(), ", ")))
		}
	}
	for j := range m.FeatureNames() {
		if m.Categories(j) != nil {
			return p.rawOfAll(classes), nil // of a row predictor, categories are positions in its own lists
		}
	}
	rows, err := m.RowPredictor(p.options)
	return func(w *lineWriter, _ *aoso.Model, x aoso.Features) error {
		row, scores := make([]float64, x.Cols()), make([]float64, len(classes))
		for i := range x.Rows() {
			for j := range row {
				x.Column(j, i, row[j:j+1])
			}
			if err := rows.RawOf(row, classes, scores); err != nil {
				return err
			}
			w.numbers(scores, 1)
		}
		return nil
	}, err
}

// rawOfAll returns the same function, which computes all scores.
func (p *predictor) rawOfAll(classes []int) func(*lineWriter, *aoso.Model, aoso.Features) error {
	return func(w *lineWriter, m *aoso.Model, x aoso.Features) error {
		values, err := m.PredictRaw(x, p.options)
		all := len(m.Classes())
		scores := make([]float64, len(classes))
		for first := 0; first < len(values); first += all {
			for i, k := range classes {
				scores[i] = values[first+k]
			}
			w.numbers(scores, 1)
		}
		return err
	}
}

func (p *predictor) leaves(w *lineWriter, m *aoso.Model, x aoso.Features) error {
	leaves, err := m.PredictLeaf(x, p.options)
	if err != nil {
		return err
	}
	trees := len(leaves) / x.Rows()
	for i := range x.Rows() {
		for _, leaf := range leaves[i*trees:][:trees] {
			w.cell(strconv.AppendInt(w.room(), int64(leaf), 10))
		}
		w.end()
	}
	return nil
}

// lineWriter writes lines of CSV. out keeps the first error.
type lineWriter struct {
	out     *bufio.Writer
	scratch []byte
	started bool // the line has a cell already
}

// room returns a buffer to which to append the text of a cell.
func (w *lineWriter) room() []byte { return w.scratch[:0] }

func (w *lineWriter) cell(text []byte) {
	if w.started {
		w.out.WriteByte(',')
	}
	w.started = true
	w.out.Write(text)
	w.scratch = text
}

func (w *lineWriter) end() {
	w.started = false
	w.out.WriteByte('\n')
}

func (w *lineWriter) text(s string) {
	if strings.ContainsAny(s, ",\"\r\n") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	w.cell(append(w.room(), s...))
}

// line writes a line of text cells.
func (w *lineWriter) line(texts ...string) {
	for _, s := range texts {
		w.text(s)
	}
	w.end()
}

// numbers writes a matrix with the given number of rows.
func (w *lineWriter) numbers(values []float64, rows int) {
	if len(values) == 0 {
		return
	}
	columns := len(values) / rows
	for i, v := range values {
		w.cell(strconv.AppendFloat(w.room(), v, 'g', -1, 64))
		if i%columns == columns-1 {
			w.end()
		}
	}
}
