package main

import (
	"bufio"
	"errors"
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
	outputs     []string
	out         string
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
labels and is ignored; --label says which. Output class alone is one label per line.
Everything else is CSV with a header: the classes for proba and raw, the trees for
leaf. With several outputs, such as --output class,proba, the columns are class,
proba_A, raw_A and tree0, for the classes A. --keep-columns puts columns of the data,
as they are written there, in front.

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
		Example: `  aoso predict --model letters.aoso --data test.csv.gz --output class,proba --out predicted.csv
  aoso predict --model letters.aoso --data test.csv.gz --sets 0.05 --method aps
  aoso predict --model people.aoso --data people.csv --keep-columns id,city`,
		RunE: work(p.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&p.model, "model", "", "model `file`")
	f.StringVar(&p.data, "data", "", "`file` to predict")
	p.reader.bind(c)
	f.StringArrayVar(&p.layout.Keep, "keep-columns", nil, "`columns` of the data to write too, given as those to ignore; may be repeated")
	f.StringSliceVar(&p.outputs, "output", []string{"class"}, "class, proba, raw or leaf, or a `list` of them with commas")
	complete(c, "output", outputNames...)
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

// outputNames are the values of --output.
var outputNames = []string{"class", "proba", "raw", "leaf"}

// output is some columns to write.
type output struct {
	names []string
	plain bool // no header is needed
	// of predicts a block of rows, and returns what writes the cells of a row.
	of func(x aoso.Features) (func(w *lineWriter, row int), error)
}

func (p *predictor) run(c *cobra.Command) error {
	if err := p.check(c); err != nil {
		return err
	}
	m, err := loadModel(p.model, p.data)
	if err != nil {
		return err
	}
	outputs, err := p.outputsOf(c, m)
	if err != nil {
		return err
	}
	d, err := p.readUnlabelled(p.data, m, "the model")
	if err != nil {
		return err
	}
	return writeFile(p.out, c.OutOrStdout(), func(out io.Writer) error {
		w := &lineWriter{out: bufio.NewWriter(out)}
		p.header(w, d, outputs)
		for first := 0; first < d.rows; first += predictRows {
			if err := p.write(w, d, first, min(first+predictRows, d.rows), outputs); err != nil {
				return err
			}
		}
		return w.out.Flush()
	})
}

// check checks what it can before the model is loaded.
func (p *predictor) check(c *cobra.Command) error {
	for i, name := range p.outputs {
		if !slices.Contains(outputNames, name) {
			return usageError(fmt.Errorf("output is %q; allowed: class, proba, raw or leaf, or a list of them with commas", name))
		}
		if slices.Contains(p.outputs[:i], name) {
			return usageError(fmt.Errorf("output has %q twice; allowed: once", name))
		}
	}
	switch {
	case len(p.outputs) == 0:
		return usageError(errors.New("output is empty; allowed: class, proba, raw or leaf, or a list of them with commas"))
	case len(p.of) > 0 && !slices.Contains(p.outputs, "raw"):
		return usageError(errors.New("--of is given without output raw; allowed: --output raw"))
	}
	if err := p.checkData(); err != nil {
		return err
	}
	return checkOut(p.out, p.model, p.data, p.decider.costsFile)
}

// outputsOf returns what the flags ask for.
func (p *predictor) outputsOf(c *cobra.Command, m *aoso.Model) ([]output, error) {
	switch f := c.Flags(); {
	case f.Changed("sets"):
		return []output{p.sets(m)}, nil
	case f.Changed("costs") || f.Changed("abstain"):
		p.decider.abstains = f.Changed("abstain")
		if err := p.decider.setCosts(m.Classes()); err != nil {
			return nil, err
		}
		return []output{p.decisions(m)}, nil
	case f.Changed("top"):
		if n := len(m.Classes()); p.top < 1 || p.top > n {
			return nil, usageError(fmt.Errorf("top is %d; allowed: 1 to %d, the classes of the model", p.top, n))
		}
		return []output{p.mostLikely(m)}, nil
	}
	prefixed := func(o output, prefix string) output {
		if len(p.outputs) > 1 {
			for i := range o.names {
				o.names[i] = prefix + o.names[i]
			}
		}
		return o
	}
	var outputs []output
	for _, name := range p.outputs {
		switch name {
		case "class":
			outputs = append(outputs, p.class(m))
		case "proba":
			outputs = append(outputs, prefixed(p.numbers(m.Classes(), m.PredictProba), "proba_"))
		case "raw":
			raw, err := p.raw(m)
			if err != nil {
				return nil, err
			}
			outputs = append(outputs, prefixed(raw, "raw_"))
		case "leaf":
			outputs = append(outputs, p.leaf(m))
		}
	}
	return outputs, nil
}

// header writes the names of the columns, unless there is only the class.
func (p *predictor) header(w *lineWriter, d *data, outputs []output) {
	if len(p.layout.Keep) == 0 && len(outputs) == 1 && outputs[0].plain {
		return
	}
	for _, column := range d.kept {
		w.text(column.Name)
	}
	for _, o := range outputs {
		for _, name := range o.names {
			w.text(name)
		}
	}
	w.end()
}

// write writes the lines of some rows.
func (p *predictor) write(w *lineWriter, d *data, first, last int, outputs []output) error {
	x := d.block(first, last)
	writes := make([]func(*lineWriter, int), len(outputs))
	for i, o := range outputs {
		var err error
		if writes[i], err = o.of(x); err != nil {
			return err
		}
	}
	for row := range last - first {
		for _, column := range d.kept {
			w.text(column.Cells[first+row])
		}
		for _, write := range writes {
			write(w, row)
		}
		w.end()
	}
	return nil
}

func (p *predictor) class(m *aoso.Model) output {
	classes := m.Classes()
	return output{[]string{"class"}, true, func(x aoso.Features) (func(*lineWriter, int), error) {
		predicted, err := m.Predict(x, p.options)
		return func(w *lineWriter, row int) { w.text(classes[predicted[row]]) }, err
	}}
}

func (p *predictor) mostLikely(m *aoso.Model) output {
	var names []string
	for i := range p.top {
		names = append(names, fmt.Sprintf("class%d", i+1), fmt.Sprintf("probability%d", i+1))
	}
	classes := m.Classes()
	return output{names, false, func(x aoso.Features) (func(*lineWriter, int), error) {
		best, proba, err := m.PredictTop(x, p.top, p.options)
		return func(w *lineWriter, row int) {
			for i := row * p.top; i < (row+1)*p.top; i++ {
				w.text(classes[best[i]])
				w.number(proba[i])
			}
		}, err
	}}
}

// numbers returns the output of numbers, one for each class.
func (p *predictor) numbers(classes []string, predict func(aoso.Features, ...aoso.PredictOptions) ([]float64, error)) output {
	return output{slices.Clone(classes), false, func(x aoso.Features) (func(*lineWriter, int), error) {
		values, err := predict(x, p.options)
		return func(w *lineWriter, row int) {
			for _, v := range values[row*len(classes):][:len(classes)] {
				w.number(v)
			}
		}, err
	}}
}

// raw returns the output of raw scores, of all classes or those of --of.
func (p *predictor) raw(m *aoso.Model) (output, error) {
	if len(p.of) == 0 {
		return p.numbers(m.Classes(), m.PredictRaw), nil
	}
	classes := make([]int, len(p.of))
	for i, class := range p.of {
		if classes[i] = slices.Index(m.Classes(), class); classes[i] < 0 {
			return output{}, usageError(fmt.Errorf("of is %q; allowed: the classes of the model: %s", class, strings.Join(m.Classes(), ", ")))
		}
	}
	for j := range m.FeatureNames() {
		if m.Categories(j) != nil { // for a row predictor, categories are positions in its own lists
			return p.numbers(p.of, func(x aoso.Features, o ...aoso.PredictOptions) ([]float64, error) {
				return chosen(m, x, classes, o...)
			}), nil
		}
	}
	rows, err := m.RowPredictor(p.options)
	return p.numbers(p.of, func(x aoso.Features, _ ...aoso.PredictOptions) ([]float64, error) {
		row, scores := make([]float64, x.Cols()), make([]float64, len(classes)*x.Rows())
		for i := range x.Rows() {
			for j := range row {
				x.Column(j, i, row[j:j+1])
			}
			if err := rows.RawOf(row, classes, scores[i*len(classes):][:len(classes)]); err != nil {
				return nil, err
			}
		}
		return scores, nil
	}), err
}

// chosen returns the raw scores of some classes, by row, from those of all.
func chosen(m *aoso.Model, x aoso.Features, classes []int, o ...aoso.PredictOptions) ([]float64, error) {
	values, err := m.PredictRaw(x, o...)
	var scores []float64
	for all := len(m.Classes()); len(values) > 0; values = values[all:] {
		for _, k := range classes {
			scores = append(scores, values[k])
		}
	}
	return scores, err
}

func (p *predictor) leaf(m *aoso.Model) output {
	trees := p.options.Trees
	if trees == 0 {
		trees = m.Trees()
	}
	var names []string
	for t := range max(0, trees) {
		names = append(names, fmt.Sprintf("tree%d", t))
	}
	return output{names, false, func(x aoso.Features) (func(*lineWriter, int), error) {
		leaves, err := m.PredictLeaf(x, p.options)
		return func(w *lineWriter, row int) {
			for _, leaf := range leaves[row*trees:][:trees] {
				w.cell(strconv.AppendInt(w.room(), int64(leaf), 10))
			}
		}, err
	}}
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

func (w *lineWriter) number(v float64) {
	w.cell(strconv.AppendFloat(w.room(), v, 'g', -1, 64))
}

// numbers ends a line with numbers.
func (w *lineWriter) numbers(values ...float64) {
	for _, v := range values {
		w.number(v)
	}
	w.end()
}

// line writes a line of text cells.
func (w *lineWriter) line(texts ...string) {
	for _, s := range texts {
		w.text(s)
	}
	w.end()
}
