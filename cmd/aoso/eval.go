package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/terminal"
)

// evaluator is the command eval.
type evaluator struct {
	reader
	model, data string
	metrics     []string
	confusions  int
	options     aoso.PredictOptions
	json        bool
}

func newEval() *cobra.Command {
	e := &evaluator{}
	c := &cobra.Command{
		Use:     "eval --model FILE --data FILE",
		Short:   "Compare predictions with the labels of a data file",
		Example: `  aoso eval --model letters.aoso --data test.csv.gz`,
		RunE:    work(e.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&e.model, "model", "", "model `file`")
	f.StringVar(&e.data, "data", "", "labelled `file`")
	e.reader.bind(c)
	e.bindWeight(c)
	f.StringArrayVar(&e.metrics, "metric", nil, "further `metric`, such as auc_ovr, kappa, f1_macro or error@3; may be repeated")
	f.IntVar(&e.confusions, "confusions", 0, "also tell the `N` pairs of classes that are confused most often")
	bindPredict(c, &e.options)
	f.BoolVar(&e.json, "json", false, "print the result as one line of JSON")
	require(c, "model", "data")
	return c
}

// evaluated is the JSON line of eval.
type evaluated struct {
	Rows      int      `json:"rows"`
	Errors    int      `json:"errors"`
	ErrorRate float64  `json:"error_rate"`
	LogLoss   *float64 `json:"logloss"` // mean over the rows with known labels; null: there are none
	Brier     *float64 `json:"brier"`   // the same
	ECE       *float64 `json:"ece"`     // null: there are no rows
	Unknown   int      `json:"unknown"`
	Trees     int      `json:"trees"`
	Seconds   float64  `json:"seconds"`

	Metrics     map[string]*float64 `json:"metrics,omitempty"` // those asked for; null: not defined
	Reliability []reliabilityBin    `json:"reliability"`       // null: labels are soft
	Confusions  []confusion         `json:"confusions,omitempty"`

	asked []string // the names of the metrics
}

// reliabilityBin is a bin of a reliability diagram.
type reliabilityBin struct {
	Rows       int     `json:"rows"`
	Share      float64 `json:"share"`
	Confidence float64 `json:"confidence"`
	Accuracy   float64 `json:"accuracy"`
}

// confusion is two classes that the model takes for one another.
type confusion struct {
	First         string `json:"first"`
	Second        string `json:"second"`
	FirstAsSecond int    `json:"first_as_second"` // rows of First that are predicted to be of Second
	SecondAsFirst int    `json:"second_as_first"`
	FirstRows     int    `json:"first_rows"`
	SecondRows    int    `json:"second_rows"`
}

func (e *evaluator) run(c *cobra.Command) error {
	if err := e.checkData(); err != nil {
		return err
	}
	if e.confusions < 0 {
		return usageError(fmt.Errorf("confusions is %d; allowed: at least 0", e.confusions))
	}
	m, err := loadModel(e.model, e.data)
	if err != nil {
		return err
	}
	d, err := e.readAs(e.data, m, "the model")
	if err != nil {
		return err
	}
	x, start := d.features(), time.Now()
	labels := aoso.StringLabels(d.labels)
	v, err := d.evaluate(m, e.options)
	if err != nil {
		return in(e.data, err)
	}
	line := evaluated{
		Rows: d.rows, Errors: v.Errors, ErrorRate: v.ErrorRate, Unknown: labels.Unknown(m.Classes()),
		Trees: m.Trees(), Seconds: time.Since(start).Seconds(),
	}
	if e.options.Trees > 0 {
		line.Trees = e.options.Trees
	}
	if 2*line.Unknown > line.Rows {
		warn(c.ErrOrStderr(), "%d of the %d rows of %s have labels that the model does not know", line.Unknown, line.Rows, e.data)
	}
	line.LogLoss = finite(v.LogLoss)
	if err := e.measure(m, d, &line); err != nil {
		return err
	}
	if line.Confusions, err = e.confused(m, d); err != nil {
		return err
	}
	if e.json {
		return json.NewEncoder(c.OutOrStdout()).Encode(line)
	}
	predicted, err := m.Predict(x, e.options)
	if err != nil {
		return err
	}
	return line.tell(c.OutOrStdout(), m.Classes(), d.labels, predicted)
}

// measure sets the metrics, and what compares probabilities with labels.
func (e *evaluator) measure(m *aoso.Model, d *data, line *evaluated) error {
	metrics := []aoso.Metric{aoso.MetricBrier}
	for _, name := range e.metrics {
		metrics = append(metrics, aoso.Metric(name))
	}
	raw, err := m.PredictRaw(d.features(), e.options)
	if err != nil {
		return err
	}
	var values []float64
	if d.shares != nil {
		values, err = m.MeasureSoftRaw(metrics, raw, d.shares.table(), d.shares.classes, d.weights)
	} else {
		values, err = m.MeasureRaw(metrics, raw, aoso.StringLabels(d.labels), d.weights)
	}
	if err != nil {
		return usageError(err)
	}
	line.Brier, line.asked, line.Metrics = finite(values[0]), e.metrics, map[string]*float64{}
	for i, name := range e.metrics {
		line.Metrics[name] = finite(values[1+i])
	}
	if d.shares != nil {
		return nil
	}
	r, err := m.Reliability(d.features(), aoso.StringLabels(d.labels), d.weights, e.options)
	if err != nil {
		return err
	}
	line.ECE = finite(r.ECE)
	for _, b := range r.Bins {
		line.Reliability = append(line.Reliability, reliabilityBin(b))
	}
	return nil
}

// confused returns the pairs of classes that were asked for.
func (e *evaluator) confused(m *aoso.Model, d *data) (named []confusion, err error) {
	if e.confusions == 0 {
		return nil, nil
	}
	labels, err := d.hard("--confusions")
	if err != nil {
		return nil, err
	}
	found, err := m.Confusions(d.features(), labels, e.confusions, e.options)
	if err != nil {
		return nil, err
	}
	classes := m.Classes()
	for _, c := range found {
		named = append(named, confusion{classes[c.First], classes[c.Second], c.FirstAsSecond, c.SecondAsFirst, c.FirstRows, c.SecondRows})
	}
	return named, nil
}

// tell writes the result for people.
func (e *evaluated) tell(w io.Writer, classes, labels []string, predicted []int) error {
	fmt.Fprintf(w, "rows     %d\nerrors   %d (%.2f %%)\n", e.Rows, e.Errors, 100*e.ErrorRate)
	if e.LogLoss != nil {
		fmt.Fprintf(w, "logloss  %.6g\nbrier    %.6g\n", *e.LogLoss, *e.Brier)
	}
	if e.ECE != nil {
		fmt.Fprintf(w, "ece      %.6g\n", *e.ECE)
	}
	for _, name := range e.asked {
		text := "not defined"
		if v := e.Metrics[name]; v != nil {
			text = fmt.Sprintf("%.6g", *v)
		}
		fmt.Fprintf(w, "%-8s %s\n", name, text)
	}
	if e.Unknown > 0 {
		fmt.Fprintf(w, "unknown  %d rows have labels that the model does not know; they count as errors\n", e.Unknown)
	}
	rows, errors := map[string]int{}, map[string]int{}
	for i, label := range labels {
		rows[label]++
		if classes[predicted[i]] != label {
			errors[label]++
		}
	}
	if labels == nil {
		return nil
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "class\trows\terrors\t")
	for _, class := range classes {
		if n := rows[class]; n > 0 {
			fmt.Fprintf(table, "%s\t%d\t%d\t%.2f %%\t\n", terminal.Plain(class), n, errors[class], 100*float64(errors[class])/float64(n))
		}
	}
	fmt.Fprintln(table, "\nconfidence\taccuracy\trows\t")
	for _, b := range e.Reliability {
		fmt.Fprintf(table, "%.2f %%\t%.2f %%\t%d\t\n", 100*b.Confidence, 100*b.Accuracy, b.Rows)
	}
	if len(e.Confusions) > 0 {
		fmt.Fprintln(table, "\nfirst\tsecond\tfirst as second\tsecond as first\trows of first\trows of second\t")
	}
	for _, c := range e.Confusions {
		first, second := terminal.Plain(c.First), terminal.Plain(c.Second)
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t\n", first, second, c.FirstAsSecond, c.SecondAsFirst, c.FirstRows, c.SecondRows)
	}
	return table.Flush()
}
