package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/cmd/aoso/internal/chart"
)

// plotter is what the commands that draw have in common.
type plotter struct {
	out, title string
}

func newPlot() *cobra.Command {
	c := &cobra.Command{
		Use:   "plot",
		Short: "Draw a learning curve, importance, a confusion matrix or a reliability diagram",
		Long: `Draw a learning curve, importance, a confusion matrix or a reliability diagram,
as SVG.`,
	}
	c.Run = func(c *cobra.Command, _ []string) { c.Help() }
	c.AddCommand(newPlotCurve(), newPlotImportance(), newPlotConfusion(), newPlotReliability())
	return c
}

func (p *plotter) bind(c *cobra.Command, title string) {
	c.Flags().StringVar(&p.title, "title", title, "`text` above the chart")
	c.Flags().StringVar(&p.out, "out", "", "`file` to write, which ends in .svg; - is standard output")
	require(c, "out")
}

// check checks, before any work, that the chart can be written.
func (p *plotter) check(in ...string) error {
	if p.out != "-" && !strings.EqualFold(filepath.Ext(p.out), ".svg") {
		return usageError(fmt.Errorf("out is %q; allowed: a file that ends in .svg, or - for standard output", p.out))
	}
	return checkOut(p.out, in...)
}

func (p *plotter) write(c *cobra.Command, f *chart.Figure) error {
	return writeFile(p.out, c.OutOrStdout(), f.WriteSVG)
}

// curvePlotter is the command plot curve.
type curvePlotter struct {
	plotter
	log string
}

func newPlotCurve() *cobra.Command {
	p := &curvePlotter{}
	c := &cobra.Command{
		Use:   "curve --log FILE --out FILE",
		Short: "Draw how the losses and errors fell during a training",
		Long: `Draw how the losses and errors fell during a training. train --log wrote the file.
Of the parameters that were tried on rows held out, it draws those of the least loss.
The losses are those of the raw scores, before calibration.`,
		Example: `  aoso train --data train.csv.gz --valid test.csv.gz --model letters.aoso --log log.csv
  aoso plot curve --log log.csv --out curve.svg`,
		RunE: work(p.run),
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&p.log, "log", "", "`file` that train --log wrote")
	p.bind(c, "Learning curve")
	require(c, "log")
	return c
}

func (p *curvePlotter) run(c *cobra.Command) error {
	if err := p.check(p.log); err != nil {
		return err
	}
	runs, err := readLog(p.log)
	if err != nil {
		return err
	}
	losses, errorRates := chart.Lines{Title: "log loss"}, chart.Lines{Title: "error rate", Percent: true}
	for _, run := range bestRuns(runs) {
		train, valid, dashed := "training rows", "validation rows", run.phase != string(aoso.PhaseTrain)
		if dashed {
			train, valid = "without the rows held out", "rows held out"
		}
		losses.Series = append(losses.Series, chart.Series{Name: train, X: run.trees, Y: run.trainLoss, Dashed: dashed})
		if len(run.validTrees) > 0 {
			losses.Series = append(losses.Series, chart.Series{Name: valid, X: run.validTrees, Y: run.logLoss, Second: true, Dashed: dashed})
			errorRates.Series = append(errorRates.Series, chart.Series{Name: valid, X: run.validTrees, Y: run.errorRate, Second: true, Dashed: dashed})
		}
		for i, other := range run.others {
			name := fmt.Sprintf("validation rows %d", i+2)
			losses.Series = append(losses.Series, chart.Series{Name: name, X: run.validTrees, Y: other.logLoss, Second: true, Dashed: true})
			errorRates.Series = append(errorRates.Series, chart.Series{Name: name, X: run.validTrees, Y: other.errorRate, Second: true, Dashed: true})
		}
	}
	panels := []chart.Lines{losses}
	if len(errorRates.Series) > 0 {
		panels = append(panels, errorRates)
	}
	return p.write(c, chart.Curves(p.title, filepath.Base(p.log), "trees", panels))
}

// loggedRun is a run of a training log.
type loggedRun struct {
	phase, run                                       string
	trees, trainLoss, validTrees, errorRate, logLoss []float64
	others                                           []*loggedSet
}

// loggedSet is a further validation set in a run.
type loggedSet struct{ errorRate, logLoss []float64 }

// bestRuns returns the run of each phase that reached the least loss on validation rows.
func bestRuns(runs []*loggedRun) (best []*loggedRun) {
	for _, r := range runs {
		last := len(best) - 1
		switch {
		case last < 0 || best[last].phase != r.phase:
			best = append(best, r)
		case len(r.logLoss) > 0 && (len(best[last].logLoss) == 0 || slices.Min(r.logLoss) < slices.Min(best[last].logLoss)):
			best[last] = r
		}
	}
	return best
}

// readLog reads a training log.
func readLog(file string) (runs []*loggedRun, err error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	records, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: is empty; allowed: a file that train --log wrote", file)
	}
	at := map[string]int{}
	for _, name := range logColumns {
		if at[name] = slices.Index(records[0], name); at[name] < 0 {
			return nil, fmt.Errorf("%s: no column %q; allowed: a file that train --log wrote", file, name)
		}
	}
	for i, record := range records[1:] {
		phase, run := record[at["phase"]], record[at["run"]]
		if last := len(runs) - 1; last < 0 || runs[last].phase != phase || runs[last].run != run {
			runs = append(runs, &loggedRun{phase: phase, run: run})
		}
		var failed error
		parse := func(text string) float64 {
			v, err := strconv.ParseFloat(text, 64)
			failed = cmp.Or(failed, err)
			return v
		}
		number := func(name string) float64 {
			return parse(record[at[name]])
		}
		r := runs[len(runs)-1]
		r.trees, r.trainLoss = append(r.trees, number("trees")), append(r.trainLoss, number("train_loss"))
		if record[at["logloss"]] != "" {
			r.validTrees = append(r.validTrees, number("trees"))
			r.errorRate, r.logLoss = append(r.errorRate, number("error_rate")), append(r.logLoss, number("logloss"))
			for i := range (len(record) - len(logColumns)) / 3 {
				columns := record[len(logColumns)+3*i:]
				if columns[0] == "" {
					break
				}
				if i == len(r.others) {
					r.others = append(r.others, &loggedSet{})
				}
				r.others[i].errorRate = append(r.others[i].errorRate, parse(columns[1]))
				r.others[i].logLoss = append(r.others[i].logLoss, parse(columns[2]))
			}
		}
		if failed != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+2, failed)
		}
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s: has no evaluations", file)
	}
	return runs, nil
}

// importancePlotter is the command plot importance.
type importancePlotter struct {
	plotter
	model, kind string
	top         int
}

func newPlotImportance() *cobra.Command {
	p := &importancePlotter{}
	c := &cobra.Command{
		Use:     "importance --model FILE --out FILE",
		Short:   "Draw the importance of features",
		Example: `  aoso plot importance --model letters.aoso --out importance.svg`,
		RunE:    work(p.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&p.model, "model", "", "model `file`")
	f.StringVar(&p.kind, "kind", "gain", "gain (of splits), split (their number) or cover (rows that they divide)")
	f.IntVar(&p.top, "top", 20, "number of features to draw, the most important ones; 0: all")
	p.bind(c, "Importance of features")
	require(c, "model")
	return c
}

func (p *importancePlotter) run(c *cobra.Command) error {
	if p.top < 0 {
		return usageError(fmt.Errorf("top is %d; allowed: at least 0", p.top))
	}
	if err := p.check(p.model); err != nil {
		return err
	}
	m, err := loadModel(p.model)
	if err != nil {
		return err
	}
	values, err := m.Importance(p.kind)
	if err != nil {
		return usageError(err)
	}
	order := make([]int, len(values))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	if p.top > 0 {
		order = order[:min(p.top, len(order))]
	}
	var names []string
	var shown []float64
	for _, j := range order {
		names, shown = append(names, m.FeatureNames()[j]), append(shown, values[j])
	}
	below := map[string]string{"gain": "total gain of the splits", "split": "number of splits", "cover": "rows that the splits divide"}[p.kind]
	if len(order) < len(values) {
		below += fmt.Sprintf(", %d of %d features", len(order), len(values))
	}
	return p.write(c, chart.Bars(p.title, below, names, shown))
}

// evaluationPlotter is the commands plot confusion and plot reliability.
type evaluationPlotter struct {
	plotter
	reader
	model, data string
	options     aoso.PredictOptions
}

func (p *evaluationPlotter) bind(c *cobra.Command, title string) {
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&p.model, "model", "", "model `file`")
	f.StringVar(&p.data, "data", "", "labelled `file`")
	p.plotter.bind(c, title)
	p.reader.bind(c)
	p.bindWeight(c)
	bindPredict(c, &p.options)
	require(c, "model", "data")
}

// load loads the model and reads the data.
func (p *evaluationPlotter) load() (*aoso.Model, *data, error) {
	if err := cmp.Or(p.checkData(), p.check(p.model, p.data)); err != nil {
		return nil, nil, err
	}
	m, err := loadModel(p.model, p.data)
	if err != nil {
		return nil, nil, err
	}
	d, err := p.readAs(p.data, m, "the model")
	return m, d, err
}

func newPlotConfusion() *cobra.Command {
	p := &evaluationPlotter{}
	c := &cobra.Command{
		Use:   "confusion --model FILE --data FILE --out FILE",
		Short: "Draw how often each class was taken for each other",
		Long: `Draw how often each class was taken for each other: numbers of rows, whatever
their weights. Rows with labels that the model does not know are left out. The
darker a cell, the larger its share of the rows of the class.`,
		Example: `  aoso plot confusion --model letters.aoso --data test.csv.gz --out confusion.svg`,
		RunE:    work(p.confusion),
	}
	p.bind(c, "Confusion matrix")
	return c
}

func (p *evaluationPlotter) confusion(c *cobra.Command) error {
	m, d, err := p.load()
	if err != nil {
		return err
	}
	classes := m.Classes()
	const most = 1000
	if len(classes) > most {
		return fmt.Errorf("the model has %d classes; allowed: at most %d", len(classes), most)
	}
	if _, err := d.hard("plot"); err != nil {
		return err
	}
	predicted, err := m.Predict(d.features(), p.options)
	if err != nil {
		return err
	}
	at, counts := map[string]int{}, make([][]int, len(classes))
	for k, class := range classes {
		at[class], counts[k] = k, make([]int, len(classes))
	}
	known, wrong := 0, 0
	for i, label := range d.labels {
		if k, ok := at[label]; ok {
			counts[k][predicted[i]]++
			if known++; k != predicted[i] {
				wrong++
			}
		}
	}
	if known == 0 {
		return errors.New("no row has a label that the model knows")
	}
	below := fmt.Sprintf("%s: %s of %s (%.2f %%)", filepath.Base(p.data), count(wrong, "error"), count(known, "row"), 100*float64(wrong)/float64(known))
	return p.write(c, chart.Matrix(p.title, below, classes, counts))
}

func newPlotReliability() *cobra.Command {
	p := &evaluationPlotter{}
	c := &cobra.Command{
		Use:   "reliability --model FILE --data FILE --out FILE",
		Short: "Draw how well the probabilities fit the errors",
		Long: `Draw a reliability diagram: of rows whose predicted classes have about the same
probability, the share that has these classes. On the dashed line, both are equal.`,
		Example: `  aoso plot reliability --model letters.aoso --data test.csv.gz --out reliability.svg`,
		RunE:    work(p.reliability),
	}
	p.bind(c, "Reliability diagram")
	return c
}

func (p *evaluationPlotter) reliability(c *cobra.Command) error {
	m, d, err := p.load()
	if err != nil {
		return err
	}
	labels, err := d.hard("plot")
	if err != nil {
		return err
	}
	r, err := m.Reliability(d.features(), labels, d.weights, p.options)
	if err != nil {
		return err
	}
	var confidence, accuracy []float64
	for _, b := range r.Bins {
		confidence, accuracy = append(confidence, b.Confidence), append(accuracy, b.Accuracy)
	}
	below := fmt.Sprintf("%s: %d rows, expected calibration error %.4f", filepath.Base(p.data), d.rows, r.ECE)
	return p.write(c, chart.Reliability(p.title, below, confidence, accuracy))
}
