package aoso

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unique"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
)

// sumTolerance is how far the shares of a row may sum from 1. They are divided by their sum.
const sumTolerance = 1e-3

// soft reads soft labels, rows × classes: the share that each class has of a row.
type soft struct {
	shares  Features
	classes []string // of the columns
	known   []string // classes in order, one of which each column with a share must be
	whose   string   // these are
	places  []int32  // by column: its place in known, or −1

	labels Labels
	of     *data.Soft
}

// readSoft returns the label of each row, which is the class of its greatest share, of equal shares the first, and its shares
// of other classes.
func readSoft(shares Features, classes, known []string, whose string) (Labels, *data.Soft, error) {
	if err := checkShares(shares, classes); err != nil {
		return nil, nil, err
	}
	s := &soft{shares: shares, classes: classes, known: known, whose: whose, labels: make(Labels, 0, shares.Rows()), of: &data.Soft{}}
	s.of.Ends = make([]int64, 0, shares.Rows())
	position := make(map[string]int32, len(known))
	for k, class := range known {
		position[class] = int32(k)
	}
	for _, class := range classes {
		place, ok := position[class]
		if !ok {
			place = -1
		}
		s.places = append(s.places, place)
	}
	err := s.read()
	return s.labels, s.of, err
}

// checkShares checks the shape and the classes of soft labels, but not their shares.
func checkShares(shares Features, classes []string) error {
	switch {
	case shares == nil:
		return badArgument("shares", nil, "rows × classes")
	case len(classes) < 1 || len(classes) > modelio.MaxClasses:
		return badArgument("share_classes", len(classes), "1 to %d", modelio.MaxClasses)
	case shares.Cols() != len(classes):
		return badArgument("shares", fmt.Sprintf("%d columns", shares.Cols()), "%d columns, one for each class", len(classes))
	}
	seen := make(map[string]bool, len(classes))
	for k, class := range classes {
		if class == "" || seen[class] {
			return badArgument(fmt.Sprintf("share_classes[%d]", k), class, "a name of its own for each class")
		}
		if seen[class] = true; category.Categories(shares, k) != nil {
			return badArgument(fmt.Sprintf("shares of class %q", class), "texts", "numbers")
		}
	}
	return nil
}

// read reads all rows, in blocks.
func (s *soft) read() error {
	rows, columns := s.shares.Rows(), len(s.classes)
	together := max(1, min(rows, 1<<20/columns))
	block := make([]float64, together*columns) // column by column
	order := make([]int, 0, columns)           // columns by place
	for j := range columns {
		order = append(order, j)
	}
	slices.SortFunc(order, func(a, b int) int { return int(s.places[a]) - int(s.places[b]) })
	names := StringLabels(s.classes)
	for first := 0; first < rows; first += together {
		n := min(together, rows-first)
		for j := range columns {
			s.shares.Column(j, first, block[j*n:][:n])
		}
		for i := range n {
			if err := s.add(first+i, order, names, func(j int) float64 { return block[j*n+i] }); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a row. order lists the columns by place.
func (s *soft) add(row int, order []int, names []unique.Handle[string], share func(j int) float64) error {
	sum, best := 0.0, order[0]
	for _, j := range order {
		q := share(j)
		if !(q >= 0 && q <= 1+sumTolerance) {
			return badArgument(fmt.Sprintf("the share of class %q in row %d", s.classes[j], row), q, "0 to 1")
		}
		if q > 0 && s.places[j] < 0 {
			return badArgument(fmt.Sprintf("a class in row %d", row), s.classes[j], "%s: %s", s.whose, listed(s.known))
		}
		if sum += q; q > share(best) {
			best = j
		}
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		return badArgument(fmt.Sprintf("the sum of the shares in row %d", row), sum, "1; divide counts by their sum")
	}
	for _, j := range order {
		if q := share(j) / sum; j != best && q >= kernel.FlushBelow {
			s.of.Classes, s.of.Shares = append(s.of.Classes, s.places[j]), append(s.of.Shares, float32(q))
		}
	}
	s.labels, s.of.Ends = append(s.labels, names[best]), append(s.of.Ends, int64(len(s.of.Classes)))
	return nil
}

// readSoft reads the soft labels of the options, if there are any, and returns the label of each row.
func (o *DatasetOptions) readSoft(labels Labels) (Labels, error) {
	if o.Shares == nil && o.ShareClasses == nil {
		return labels, nil
	}
	if labels != nil {
		return nil, badArgument("labels", len(labels), "nil, with shares")
	}
	labels, soft, err := o.readShares(o.Shares, o.ShareClasses)
	o.Shares, o.ShareClasses, o.soft = nil, nil, soft
	return labels, err
}

// readShares reads soft labels. The first time, it sets the classes to theirs, or those of the model to continue.
func (o *DatasetOptions) readShares(shares Features, classes []string) (labels Labels, soft *data.Soft, err error) {
	whose := "their classes"
	if o.Init != nil {
		o.classes, whose = slices.Clone(o.Init.content.Classes), "the classes of the model to continue"
	} else if o.classes == nil {
		if o.classes, err = StringLabels(classes).classes(o.TextLabels); err != nil {
			return nil, nil, err
		}
	}
	return readSoft(shares, classes, o.classes, whose)
}

// agreeOnClasses returns an error unless all ranks have soft labels of the same classes, or none has any.
func agreeOnClasses(ranks *collective.Group, classes []string) error {
	mine := fmt.Sprintf("%q", classes)
	for rank, theirs := range ranks.Gather([]byte(mine), 1) {
		if string(theirs) != mine {
			return badArgument("share_classes", "others than on rank "+strconv.Itoa(rank), "the same on all ranks, or none on all")
		}
	}
	return ranks.Err()
}

// AlignedSoft is [Dataset.Aligned] with soft labels, as [DatasetOptions] describe them. Each class with a share must be one of
// the training set.
func (d *Dataset) AlignedSoft(features, shares Features, classes []string, weights []float64) (*Dataset, error) {
	labels, soft, err := readSoft(shares, classes, d.set.Classes, "the classes of the training set")
	if err != nil {
		return nil, err
	}
	aligned, err := d.Aligned(features, labels, weights)
	if err == nil {
		aligned.set.Soft = soft
	}
	return aligned, err
}

// LabelEntropy returns the weighted mean entropy of the rows' soft labels, the least log loss that probabilities can have; 0 if
// labels are hard. The log loss less the entropy is the mean Kullback–Leibler divergence.
func (d *Dataset) LabelEntropy() float64 { return d.set.Entropy() }

// EvaluateSoft is [Model.Evaluate] with soft labels, as [DatasetOptions] describe them. Each class with a share must be one of
// the model. The log loss is the mean of −Σ q_k·log p_k; errors are rows where another class is predicted than that of the
// greatest share.
func (m *Model) EvaluateSoft(x, shares Features, classes []string, weights []float64, options ...PredictOptions) (*Evaluation, error) {
	raw, err := m.PredictRaw(x, last(options))
	if err != nil {
		return nil, err
	}
	return m.EvaluateSoftRaw(raw, shares, classes, weights)
}

// EvaluateSoftRaw is [Model.EvaluateSoft] for rows whose raw scores, rows × classes, are known.
func (m *Model) EvaluateSoftRaw(raw []float64, shares Features, classes []string, weights []float64) (*Evaluation, error) {
	t, err := m.softRawTarget(raw, shares, classes, weights)
	if err != nil {
		return nil, err
	}
	return m.evaluate(raw, t), nil
}

// MeasureSoftRaw is [Model.MeasureRaw] with soft labels. MetricLogLoss and MetricBrier compare probabilities with the shares,
// the others with the class of the greatest share.
func (m *Model) MeasureSoftRaw(metrics []Metric, raw []float64, shares Features, classes []string, weights []float64) ([]float64, error) {
	t, err := m.softRawTarget(raw, shares, classes, weights)
	if err != nil {
		return nil, err
	}
	team := par.NewTeam(0)
	defer team.Close()
	return measured(metrics, raw, m.Temperature(), t, team)
}

// RefitSoft is [Model.Refit] with soft labels, as [DatasetOptions] describe them. Each class with a share must be one of the model.
func (m *Model) RefitSoft(x, shares Features, classes []string, options ...RefitOptions) (*Model, error) {
	o := last(options)
	return m.refit(x, o, func() (*data.Target, error) { return m.softTarget(x.Rows(), shares, classes, o.Weights) })
}

// CalibrateSoft is [Model.Calibrate] with soft labels, as [DatasetOptions] describe them: the temperature is that of the least
// cross-entropy. Each class with a share must be one of the model. For prediction sets, a row is of the class of its greatest share.
func (m *Model) CalibrateSoft(x, shares Features, classes []string, weights []float64, options ...PredictOptions) (*Model, *Calibration, error) {
	o := last(options)
	scores, err := m.PredictRaw(x, o)
	if err != nil {
		return nil, nil, err
	}
	t, err := m.softTarget(x.Rows(), shares, classes, weights)
	if err != nil {
		return nil, nil, err
	}
	return m.calibrate(scores, t, o)
}

// softRawTarget returns soft labels of rows with raw scores as the model's classes.
func (m *Model) softRawTarget(raw []float64, shares Features, classes []string, weights []float64) (*data.Target, error) {
	if err := m.checkRaw(raw); err != nil {
		return nil, err
	}
	return m.softTarget(len(raw)/len(m.content.Classes), shares, classes, weights)
}

// softTarget returns soft labels of rows as the model's classes.
func (m *Model) softTarget(rows int, shares Features, classes []string, weights []float64) (*data.Target, error) {
	labels, soft, err := readSoft(shares, classes, m.content.Classes, "the classes of the model")
	if err != nil {
		return nil, err
	}
	t, err := m.target(rows, labels, weights)
	if err == nil {
		t.Soft = soft
	}
	return t, err
}
