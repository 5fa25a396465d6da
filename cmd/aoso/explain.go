package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// explainer is the command explain.
type explainer struct {
	reader
	model, data string
	output, out string
	options     aoso.SHAPOptions
}

func newExplain() *cobra.Command {
	e := &explainer{}
	c := &cobra.Command{
		Use:   "explain --model FILE [--data FILE]",
		Short: "Print SHAP values of predictions, or the importance of features",
		Long: `Print SHAP values of predictions, or the importance of features, as CSV.

With --data, the SHAP values of each row: what knowing each feature adds to the
raw score of the predicted class, or of the --top most likely classes. Together
with the bias they sum to the raw score. The output is one of

  dense   one line per row and class, with one column per feature
  sparse  one line per value that is not zero
  mean    one line per feature, with the mean absolute value

Without --data, the importance of each feature: the gain of its splits, their
number, and the number of rows that they divided. Linear scores take no part in
it. With --output pairs, gain and number for each class pair that the splits
tell apart, the largest gain first.`,
		Example: `  aoso explain --model letters.aoso
  aoso explain --model letters.aoso --data new.csv --output mean --top 0`,
		RunE: work(e.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&e.model, "model", "", "model `file`")
	f.StringVar(&e.data, "data", "", "`file` whose predictions to explain")
	e.reader.bind(c)
	f.StringVar(&e.output, "output", "dense", "dense, sparse or mean; without --data: pairs")
	complete(c, "output", "dense", "sparse", "mean", "pairs")
	f.StringVar(&e.out, "out", "", "`file` to write (default standard output)")
	f.IntVar(&e.options.Top, "top", 1, "number of most likely classes of each row to explain; 0: all")
	bindPredict(c, &e.options.PredictOptions)
	require(c, "model")
	return c
}

func (e *explainer) run(c *cobra.Command) error {
	form, ok := map[string]explainedForm{"dense": &denseForm{}, "sparse": &sparseForm{}, "mean": &meanForm{}}[e.output]
	if !ok && (e.output != "pairs" || e.data != "") {
		return usageError(fmt.Errorf("output is %q; allowed: dense, sparse or mean; without --data: pairs", e.output))
	}
	if err := e.checkData(); err != nil {
		return err
	}
	if err := checkOut(e.out, e.model, e.data); err != nil {
		return err
	}
	m, err := loadModel(e.model, e.data)
	if err != nil {
		return err
	}
	var d *data
	if e.data != "" {
		if d, err = e.readUnlabelled(e.data, m, "the model"); err != nil {
			return err
		}
	}
	return writeFile(e.out, c.OutOrStdout(), func(out io.Writer) error {
		w := &lineWriter{out: bufio.NewWriter(out)}
		switch {
		case d != nil:
			err = e.explain(w, m, d, form)
		case e.output == "pairs":
			writePairs(w, m)
		default:
			err = writeImportance(w, m)
		}
		return cmp.Or(err, w.out.Flush())
	})
}

// writeImportance writes the importance of each feature.
func writeImportance(w *lineWriter, m *aoso.Model) error {
	w.line("feature", "gain", "split", "cover")
	var kinds [3][]float64
	for i, kind := range []string{"gain", "split", "cover"} {
		importance, err := m.Importance(kind)
		if err != nil {
			return err
		}
		kinds[i] = importance
	}
	for j, name := range m.FeatureNames() {
		w.text(name)
		w.numbers(kinds[0][j], kinds[1][j], kinds[2][j])
	}
	return nil
}

// writePairs writes how much each feature contributes to telling two classes apart.
func writePairs(w *lineWriter, m *aoso.Model) {
	w.line("feature", "class", "other", "gain", "splits")
	names, classes := m.FeatureNames(), append(m.Classes(), "*")
	all := len(classes) - 1
	for _, p := range m.PairImportances() {
		other := p.Classes[1]
		if other < 0 {
			other = all
		}
		w.text(names[p.Feature])
		w.text(classes[p.Classes[0]])
		w.text(classes[other])
		w.numbers(p.Gain, float64(p.Splits))
	}
}

// explain writes the SHAP values of d, block by block.
func (e *explainer) explain(w *lineWriter, m *aoso.Model, d *data, form explainedForm) error {
	names, classes := append(m.FeatureNames(), "bias"), m.Classes()
	form.begin(w, names)
	per := e.options.Top
	if per == 0 {
		per = len(classes)
	}
	const most = 1 << 22 // values at once
	step := max(most/(per*len(names)), 1)
	for first := 0; first < d.rows; first += step {
		c, err := m.SHAPSparse(d.block(first, min(first+step, d.rows)), e.options)
		if err != nil {
			return err
		}
		for i, k := range c.Classes {
			columns, values := c.Columns[c.First[i]:c.First[i+1]], c.Values[c.First[i]:c.First[i+1]]
			form.line(w, first+i/c.PerRow, classes[k], names, columns, values)
		}
	}
	form.end(w, names)
	return nil
}

// explainedForm is a format for SHAP values. The last of the names is the bias.
type explainedForm interface {
	begin(w *lineWriter, names []string)
	line(w *lineWriter, row int, class string, names []string, columns []int32, values []float64)
	end(w *lineWriter, names []string)
}

// denseForm writes one line per row and class.
type denseForm struct{ values []float64 }

func (f *denseForm) begin(w *lineWriter, names []string) {
	f.values = make([]float64, len(names))
	w.line(append([]string{"row", "class"}, names...)...)
}

func (f *denseForm) line(w *lineWriter, row int, class string, _ []string, columns []int32, values []float64) {
	clear(f.values)
	for i, j := range columns {
		f.values[j] = values[i]
	}
	w.text(strconv.Itoa(row))
	w.text(class)
	w.numbers(f.values...)
}

func (*denseForm) end(*lineWriter, []string) {}

// sparseForm writes one line per value.
type sparseForm struct{}

func (sparseForm) begin(w *lineWriter, _ []string) { w.line("row", "class", "feature", "value") }

func (sparseForm) line(w *lineWriter, row int, class string, names []string, columns []int32, values []float64) {
	for i, j := range columns {
		w.text(strconv.Itoa(row))
		w.text(class)
		w.text(names[j])
		w.numbers(values[i])
	}
}

func (sparseForm) end(*lineWriter, []string) {}

// meanForm writes one line per feature: the mean absolute value over rows and
// classes.
type meanForm struct {
	sums  []float64
	lines int
}

func (f *meanForm) begin(w *lineWriter, names []string) {
	f.sums = make([]float64, len(names))
	w.line("feature", "mean")
}

func (f *meanForm) line(_ *lineWriter, _ int, _ string, _ []string, columns []int32, values []float64) {
	f.lines++
	for i, j := range columns {
		f.sums[j] += math.Abs(values[i])
	}
}

func (f *meanForm) end(w *lineWriter, names []string) {
	for j, name := range names[:len(names)-1] {
		w.text(name)
		w.numbers(f.sums[j] / float64(max(f.lines, 1)))
	}
}
