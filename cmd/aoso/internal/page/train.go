package page

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/cmd/aoso/internal/shell"
	"github.com/libaoso/aoso/cmd/aoso/internal/table"
)

// Settings says how to train on a sheet.
type Settings struct {
	Label       int      `json:"label"`       // a column
	Ignore      []int    `json:"ignore"`      // columns to leave out
	Categorical []int    `json:"categorical"` // columns whose numbers are categories
	Test        string   `json:"test"`        // TestFifth, TestLast or TestNone
	Strategy    Strategy `json:"strategy"`
	Trees       int      `json:"trees"` // with Fixed
}

// Strategy says how parameters are chosen.
type Strategy string

const (
	Auto  Strategy = "auto"
	Fast  Strategy = "fast"
	Fixed Strategy = "fixed" // a number of trees, and no held-out rows
)

// Progress is the state of training.
type Progress struct {
	Phase    aoso.Phase `json:"phase"`
	Trees    int        `json:"trees"`
	MaxTrees int        `json:"maxTrees"`
	Seconds  float64    `json:"seconds"`
}

// Result is a trained model and how it does on the test rows.
type Result struct {
	Fingerprint string       `json:"fingerprint"`
	Trees       int          `json:"trees"`
	Rows        int          `json:"rows"` // trained on
	Seconds     float64      `json:"seconds"`
	Classes     []string     `json:"classes"`
	HeldOut     *Evaluation  `json:"heldOut"` // by the model that chose the parameters
	Test        *Evaluation  `json:"test"`    // nil: no test rows
	Guess       *int         `json:"guess"`   // errors in the test rows if every row had the most frequent class
	Confusion   []Confusion  `json:"confusion"`
	Examples    []ExampleRow `json:"examples"`
	Commands    []string     `json:"commands"` // which train and evaluate the same model
	ModelName   string       `json:"modelName"`
	TrainName   string       `json:"trainName"`
	TestName    string       `json:"testName"`

	Model, TrainText, TestText []byte `json:"-"`
}

// Evaluation is how well a model predicts some rows.
type Evaluation struct {
	Rows    int     `json:"rows"`
	Errors  int     `json:"errors"`
	LogLoss float64 `json:"logLoss"`
}

// Confusion counts the test rows of a class that are predicted as a class, by position among the classes.
type Confusion struct {
	Class     int `json:"class"`
	Predicted int `json:"predicted"`
	Rows      int `json:"rows"`
}

// ExampleRow is a row with its label. Its cells are in the order of the features.
type ExampleRow struct {
	Label string   `json:"label"`
	Cells []string `json:"cells"`
}

// Train trains a model. It calls report about ten times a second.
func (s *Sheet) Train(set Settings, report func(Progress)) (*Result, error) {
	if p := s.Columns[set.Label].Problem; p != "" {
		return nil, fmt.Errorf("%s", p)
	}
	r := s.newResult(set)
	o := s.options(set)
	t, err := table.Parse(bytes.NewReader(r.TrainText), r.TrainName, o)
	if err != nil {
		return nil, err
	}
	train, err := aoso.NewDataset(&features{t.Columns, t.Categories, t.Rows}, aoso.StringLabels(t.Labels), aoso.DatasetOptions{Names: t.Names, Categorical: t.Coded, LabelName: t.LabelName})
	if err != nil {
		return nil, err
	}
	if n := len(train.Classes()); n < 2 {
		return nil, fmt.Errorf("all rows to train on have the label %q; allowed: at least two classes", t.Labels[0])
	}
	var test *table.Table
	var x *features
	if r.TestText != nil {
		if x, test, err = read(r.TestText, r.TestName, train, o); err != nil {
			return nil, err
		}
	}
	start, last := time.Now(), time.Time{}
	trained, err := aoso.Train(context.Background(), train, set.params(), aoso.TrainOptions{Callback: func(p aoso.Progress) bool {
		if now := time.Now(); now.Sub(last) > 100*time.Millisecond || p.StoppedBy != "" {
			last = now
			report(Progress{p.Phase, p.Trees, p.MaxTrees, now.Sub(start).Seconds()})
		}
		return true
	}})
	if err != nil {
		return nil, err
	}
	r.Seconds, r.Rows = time.Since(start).Seconds(), t.Rows
	if h := trained.HeldOut; h != nil {
		r.HeldOut = &Evaluation{trained.HeldOutRows, h.Errors, h.LogLoss}
	}
	if test == nil {
		r.addExamples(t)
	} else {
		if err := r.evaluate(trained.Model, x, t, test); err != nil {
			return nil, err
		}
		r.addExamples(test)
	}
	return r, r.addModel(trained.Model)
}

func (set *Settings) params() aoso.Params {
	p := aoso.DefaultParams()
	switch set.Strategy {
	case Fast:
		p.Preset = aoso.PresetFast
	case Fixed:
		p.NEstimators, p.Calibration = set.Trees, "none"
	}
	return p
}

// options returns how to read the rows to train on.
func (s *Sheet) options(set Settings) table.Options {
	o := table.Options{Label: s.Columns[set.Label].Flag}
	if _, err := strconv.Atoi(o.Label); !s.Header {
		o.Header = "no"
	} else if err == nil { // else the name of the label shows that there is a header
		o.Header = "yes"
	}
	for _, j := range set.Ignore {
		o.Ignore = append(o.Ignore, s.Columns[j].Flag)
	}
	for _, j := range set.Categorical {
		o.Categorical = append(o.Categorical, s.Columns[j].Flag)
	}
	return o
}

// newResult returns a result that has its files, and the commands that make the model of them.
func (s *Sheet) newResult(set Settings) *Result {
	stem := regexp.MustCompile(`(\.(csv|tsv|txt|data))?(\.(gz|zst|bz2|xz))?$`).ReplaceAllString(s.Name, "")
	r := &Result{ModelName: stem + ".aoso", TrainName: s.Name, TrainText: s.text}
	reading := fmt.Sprintf(" --label %s", shell.Word(s.Columns[set.Label].Flag))
	o := s.options(set)
	for _, column := range o.Ignore {
		reading += " --ignore " + shell.Word(column)
	}
	if o.Header != "" {
		reading += " --header " + o.Header
	}
	how := ""
	for _, column := range o.Categorical {
		how += " --categorical " + shell.Word(column)
	}
	switch set.Strategy {
	case Fast:
		how += " --preset fast"
	case Fixed:
		how += fmt.Sprintf(" --n-estimators %d --calibration none", set.Trees)
	}
	if set.Test != TestNone {
		r.TrainName, r.TestName = stem+".train.csv", stem+".test.csv"
		r.TrainText, r.TestText = s.split(set.Test)
	}
	model := " --model " + shell.Word(r.ModelName)
	r.Commands = []string{"aoso train --data " + shell.Word(r.TrainName) + reading + how + model}
	if r.TestName != "" {
		r.Commands = append(r.Commands, "aoso eval --data "+shell.Word(r.TestName)+reading+model)
	}
	return r
}

// evaluate adds what the model predicts for the test rows.
func (r *Result) evaluate(m *aoso.Model, x *features, train, test *table.Table) error {
	e, err := m.Evaluate(x, aoso.StringLabels(test.Labels), nil)
	if err != nil {
		return err
	}
	predicted, err := m.Predict(x)
	if err != nil {
		return err
	}
	r.Test = &Evaluation{test.Rows, e.Errors, e.LogLoss}
	position, most := map[string]int{}, 0
	for k, class := range m.Classes() {
		position[class] = k
	}
	rows := make([]int, len(position))
	for _, label := range train.Labels {
		k := position[label]
		if rows[k]++; rows[k] > rows[most] {
			most = k
		}
	}
	guess, count := 0, map[[2]int]int{}
	for i, label := range test.Labels {
		k, known := position[label]
		if known {
			count[[2]int{k, predicted[i]}]++
		}
		if !known || k != most {
			guess++
		}
	}
	r.Guess = &guess
	for pair, n := range count {
		r.Confusion = append(r.Confusion, Confusion{pair[0], pair[1], n})
	}
	return nil
}

// addExamples adds the first rows of a table.
func (r *Result) addExamples(t *table.Table) {
	const most, mostCells = 50, 10_000
	for i := range min(t.Rows, most, 1+mostCells/len(t.Columns)) {
		row := ExampleRow{Label: t.Labels[i]}
		for j := range t.Columns {
			row.Cells = append(row.Cells, cell(t, j, t.Columns[j][i]))
		}
		r.Examples = append(r.Examples, row)
	}
}

func (r *Result) addModel(m *aoso.Model) error {
	var file bytes.Buffer
	err := m.Write(&file)
	r.Model, r.Fingerprint, r.Trees, r.Classes = file.Bytes(), m.Fingerprint(), m.Trees(), m.Classes()
	return err
}

// read reads rows that must have the features of a model or dataset.
func read(text []byte, name string, of table.Owner, o table.Options) (*features, *table.Table, error) {
	t, err := table.Parse(bytes.NewReader(text), name, o.As(of))
	if err != nil {
		return nil, nil, err
	}
	position, err := t.Match(name, of, "the model")
	if err != nil {
		return nil, nil, err
	}
	x := &features{rows: t.Rows}
	for _, j := range position {
		x.columns = append(x.columns, t.Columns[j])
		if t.Categories != nil {
			x.categories = append(x.categories, t.Categories[j])
		}
	}
	return x, t, nil
}

// features has the columns of a table in the order of the features.
type features struct {
	columns    [][]float64
	categories [][]string // nil: all columns are numbers
	rows       int
}

func (x *features) Rows() int { return x.rows }
func (x *features) Cols() int { return len(x.columns) }

func (x *features) Column(j, first int, dst []float64) { copy(dst, x.columns[j][first:]) }

func (x *features) Categories(j int) []string {
	if x.categories == nil {
		return nil
	}
	return x.categories[j]
}

// number returns a number as a cell.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
