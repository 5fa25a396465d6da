package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/terminal"
)

// trainer is the command train.
type trainer struct {
	reader
	split          split
	data, valid    string
	others         []*otherSet
	init, model    string
	log            string
	params         parameters
	maxBin         int
	evalEvery      int
	checkpoint     string
	classWeight    string
	suspicious     string
	suspiciousRuns int
	auto           bool // columns of numbers that are codes become categorical
	json           bool
	ranks          ranks
}

func newTrain() *cobra.Command {
	t := &trainer{params: newParameters()}
	c := &cobra.Command{
		Use:   "train --data FILE --model FILE",
		Short: "Train a model on a data file",
		Long: `Train a model on a data file.

Ctrl-C ends training and saves the model so far; a second Ctrl-C ends the
program at once. The exit code is then 130. SIGTERM and SIGHUP also end training
and save the model, with exit codes 143 and 129. The model is saved before the
result is printed, so it is there even if standard output fails.`,
		Example: `  aoso train --data train.csv.gz --valid test.csv.gz --early-stopping-rounds 50 --model letters.aoso`,
		RunE:    work(t.run),
	}
	t.bind(c)
	c.Flags().StringVar(&t.log, "log", "", "`file` for the evaluations during training, as CSV; aoso plot curve draws them")
	c.Flags().StringVar(&t.checkpoint, "checkpoint", "", "`file` that keeps how far training has come, each minute and at the end; if it exists, training goes on from there")
	t.ranks.bind(c)
	c.Flags().StringVar(&t.classWeight, "class-weight", "", "weights of classes as `text`: balanced, or such as A=2,B=0.5, with 1 for the others")
	c.Flags().StringVar(&t.suspicious, "suspicious", "", "`file` for the rows held out whose labels are probably wrong, as CSV, the least likely labels first")
	c.Flags().IntVar(&t.suspiciousRuns, "suspicious-runs", 1, "runs for --suspicious, each with the next seed; more find more wrong labels")
	c.Flags().IntVar(&t.evalEvery, "eval-every", 0, "iterations between evaluations (default 1 with early stopping, else up to 10)")
	listUnder(c.Flags(), "Computing", "suspicious-runs", "eval-every")
	return c
}

// bind adds the flags that training and searching have in common.
func (t *trainer) bind(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&t.data, "data", "", "`file` to train on")
	f.Var(&validFlag{t}, "valid", "`file` to validate on; for train, further ones are only evaluated")
	t.reader.bind(c)
	t.reader.bindKinds(c)
	t.split.bind(c)
	f.StringVar(&t.model, "model", "", "`file` to save the model to; - for standard output")
	f.StringVar(&t.init, "init", "", "model `file` to continue: training adds trees to it")
	f.BoolVar(&t.json, "json", false, "print the result as one line of JSON")

	f.Var(&paramsFlag{&t.params}, "params", "parameters as `text`, such as \"max_leaves=64 learning_rate=0.1\"")
	f.Var(&paramsFileFlag{&t.params}, "params-file", "`file` of parameters, in JSON, TOML or YAML by its name; other flags win")
	bindParameters(c, &t.params)
	f.IntVar(&t.maxBin, "max-bin", 255, "value bins of a feature, 2 to 255")
	listUnder(f, "Computing", "max-bin")
	require(c, "data", "model")
}

// flagName returns the flag of a parameter.
func flagName(parameter string) string { return strings.ReplaceAll(parameter, "_", "-") }

// trained is the JSON line of train.
type trained struct {
	Trees          int             `json:"trees"`
	Iterations     int             `json:"iterations"`
	BestIteration  int             `json:"best_iteration"`
	TrainLoss      *float64        `json:"train_loss"`
	ValidErrors    *int            `json:"valid_errors"`
	ValidErrorRate *float64        `json:"valid_error_rate"`
	ValidLogLoss   *float64        `json:"valid_logloss"`
	ValidUnknown   *int            `json:"valid_unknown"`
	ValidRows      *int            `json:"valid_rows"`
	HeldOutRows    *int            `json:"held_out_rows"`
	HeldOutErrors  *int            `json:"held_out_errors"`
	HeldOutLogLoss *float64        `json:"held_out_logloss"`
	Temperature    float64         `json:"temperature"`
	Seconds        float64         `json:"seconds"`
	SecondsTotal   float64         `json:"seconds_total"`
	Threads        int             `json:"threads"`
	Level          string          `json:"level"`
	Fingerprint    string          `json:"fingerprint"`
	StoppedBy      aoso.StopReason `json:"stopped_by"`
	Capped         bool            `json:"capped"`
	Params         string          `json:"params"`
	Label          string          `json:"label,omitempty"` // its column
	Classes        int             `json:"classes"`
	Features       int             `json:"features"`
	Rows           int             `json:"rows"`
	Phase          aoso.Phase      `json:"phase"`
	Model          *string         `json:"model"` // null: not saved

	Others []evaluatedSet `json:"valid_others,omitempty"` // of the further files of --valid
}

func (t *trainer) run(c *cobra.Command) (err error) {
	start, stderr := time.Now(), c.ErrOrStderr()
	before, err := t.check(c)
	if err != nil {
		return err
	}
	if !t.ranks.first() { // rank 0 says it all
		if err := c.Flags().Set("quiet", "true"); err != nil {
			return err
		}
	}
	if err := t.ranks.connect(); err != nil {
		return err
	}
	defer func() { t.ranks.end(err) }()
	log, err := newLog(t.log, len(t.others))
	if err != nil {
		return err
	}
	defer log.close(stderr)
	train, valid, err := t.datasets(before, stderr, notes(c))
	if err != nil {
		return err
	}
	i := interruptions()
	defer i.stop()
	result, progress, err := t.train(i, train, valid, before, stderr, notes(c), log)
	if err != nil {
		progress.close()
		return err
	}
	return t.finish(c, i, result, progress.close, func(saved bool) error {
		return t.report(i, c, result, train, valid, saved, time.Since(start))
	})
}

// finish saves the model of a training, hides its progress and reports how it went.
func (t *trainer) finish(c *cobra.Command, i *interruption, result *aoso.Result, hide func(), report func(saved bool) error) (err error) {
	save := result.StoppedBy != aoso.StoppedByInterrupt || result.Iterations > 0
	if !t.ranks.first() {
		hide()
		return nil
	}
	if save {
		err = saveModel(c, result.Model, t.model) // before any output, which may fail or block
	}
	hide()
	if err != nil {
		return err
	}
	reported := report(save)
	switch code := i.code(); {
	case code == 0 && save:
		return unlessSaved(reported, t.model)
	case code == 0:
		return reported
	case !save:
		return &commandError{errors.New("interrupted before the first tree; no model saved"), code}
	case result.StoppedBy == aoso.StoppedByInterrupt:
		return &commandError{fmt.Errorf("interrupted; the model so far (%s) is saved in %s", count(result.Model.Trees(), "tree"), shownModel(t.model)), code}
	default:
		return &commandError{fmt.Errorf("interrupted after the end of training; the model is saved in %s", shownModel(t.model)), code}
	}
}

// check checks what it can before any data are read, and loads the model to
// continue, if any.
func (t *trainer) check(c *cobra.Command) (before *aoso.Model, err error) {
	if err := cmp.Or(t.checkData(), t.ranks.check()); err != nil {
		return nil, err
	}
	if t.auto = t.takeAuto(); t.auto && t.ranks.from != "" {
		return nil, usageError(errors.New(`categorical is "auto"; allowed with --ranks: columns, such as aoso suggest finds them`))
	}
	if t.init != "" {
		if before, err = loadModel(t.init, t.data, t.valid); err != nil {
			return nil, err
		}
		if p := &t.params.Params; !c.Flags().Changed("method") && p.Method == aoso.DefaultParams().Method {
			p.Method = before.Params().Method
		}
	}
	if err := cmp.Or(t.params.Check(), t.checkUnused(c)); err != nil {
		return nil, usageError(err)
	}
	switch {
	case t.maxBin < 2 || t.maxBin > 255:
		return nil, usageError(fmt.Errorf("max_bin is %d; allowed: 2 to 255", t.maxBin))
	case t.evalEvery < 0:
		return nil, usageError(fmt.Errorf("eval_every is %d; allowed: at least 0", t.evalEvery))
	case t.params.EarlyStoppingRounds > 0 && t.valid == "":
		return nil, usageError(errors.New("--early-stopping-rounds needs --valid"))
	case t.split.isSet() && t.valid+t.init != "":
		return nil, usageError(errors.New("--group and --time have no effect with --valid or --init, which hold no rows out; allowed: without them"))
	case occurrences(t.inputs(), "-") > 1:
		return nil, usageError(errors.New("two files are standard input; allowed: one"))
	}
	switch {
	case t.suspiciousRuns < 1 && c.Flags().Changed("suspicious-runs"):
		return nil, usageError(fmt.Errorf("suspicious_runs is %d; allowed: at least 1", t.suspiciousRuns))
	case t.suspiciousRuns > 1 && t.suspicious == "":
		return nil, usageError(errors.New("--suspicious-runs has no effect without --suspicious"))
	case t.suspiciousRuns > 1 && t.ranks.from != "":
		return nil, usageError(fmt.Errorf("suspicious_runs is %d; allowed with --ranks: 1", t.suspiciousRuns))
	}
	if t.log != "" && (t.log == t.model || t.log == "-") {
		return nil, usageError(fmt.Errorf("log is %q; allowed: a file of its own", t.log))
	}
	inputs := slices.DeleteFunc(t.inputs(), func(file string) bool { return file == t.init })
	if err := cmp.Or(keepApart(t.model, inputs...), keepApart(t.log, t.inputs()...)); err != nil {
		return nil, err
	}
	t.split.leftOut(&t.layout)
	if t.checkpoint != "" {
		if err := keepApart(t.checkpoint, append(t.inputs(), t.model)...); err != nil {
			return nil, err
		}
	}
	if !t.ranks.first() {
		t.log, t.suspicious = "", ""
		return before, nil
	}
	if t.suspicious != "" {
		if t.suspicious == t.model || t.suspicious == t.log {
			return nil, usageError(fmt.Errorf("suspicious is %q; allowed: a file of its own", t.suspicious))
		}
		if err := checkOut(t.suspicious, append(t.inputs(), t.model, t.log, t.checkpoint)...); err != nil {
			return nil, err
		}
	}
	return before, checkModel(c, t.model, t.json)
}

// checkUnused refuses flags that say how to read training data and would have no
// effect.
func (t *trainer) checkUnused(c *cobra.Command) error {
	given := func(flags ...string) string {
		i := slices.IndexFunc(flags, c.Flags().Changed)
		if i < 0 {
			return ""
		}
		return flags[i]
	}
	ofTraining := []string{"columns", "numeric", "categorical", "text-labels", "row-id", "group", "time", "max-bin"}
	switch {
	case isDataset(t.data):
		unused := given(ofTraining...)
		if t.valid == "" {
			unused = cmp.Or(unused, given("label", "label-columns", "weight", "ignore", "format", "header", "no-header", "separator", "decimal", "comment"))
		}
		if unused != "" {
			return fmt.Errorf("--%s has no effect: %s is a dataset, whose columns are settled; allowed: --%[1]s for aoso bin", unused, t.data)
		}
	case t.init != "":
		if unused := given(ofTraining[:3]...); unused != "" {
			return fmt.Errorf("--%s has no effect with --init: the features are those of %s; allowed: --ignore", unused, t.init)
		}
	}
	return nil
}

// datasets reads the training set and the validation set, which may be nil.
func (t *trainer) datasets(before *aoso.Model, stderr, notes io.Writer) (train, valid *aoso.Dataset, err error) {
	if train, err = t.trainingSet(before, notes); err != nil {
		return nil, nil, err
	}
	if err := t.tellNewClasses(stderr, train, before); err != nil {
		return nil, nil, err
	}
	const few = 20 // rows, whose labels may well be different
	switch classes := train.Classes(); {
	case len(classes) == 1:
		warn(stderr, "all labels of %s are %q: the model can only predict this class", t.data, classes[0])
	case 2*len(classes) > train.Rows() && train.Rows() > few:
		warn(stderr, "%s has %d classes in %d rows; --label names another column, if this is not the label", t.data, len(classes), train.Rows())
	}
	if t.valid == "" {
		return train, nil, nil
	}
	if _, valid, err = t.readValidation(t.valid, train, stderr); err != nil {
		return nil, nil, err
	}
	for _, other := range t.others {
		if other.data, other.set, err = t.readValidation(other.file, train, stderr); err != nil {
			return nil, nil, err
		}
	}
	return train, valid, nil
}

// tellNewClasses names the labels that the model to continue does not know, which may be misspelt. If it knows none, that is
// a mistake.
func (t *trainer) tellNewClasses(stderr io.Writer, train *aoso.Dataset, before *aoso.Model) error {
	if before == nil {
		return nil
	}
	known, classes := before.Classes(), train.Classes()
	isNew := func(class string) bool { return !slices.Contains(known, class) }
	added := slices.DeleteFunc(slices.Clone(classes), func(class string) bool { return !isNew(class) })
	switch isOld := func(k int32) bool { return !isNew(classes[k]) }; {
	case len(added) == 0:
	case t.ranks.collective() == nil && !slices.ContainsFunc(train.Labels(), isOld):
		return fmt.Errorf("%s has no label that %s knows, but labels such as %s; allowed: at least one of the classes of the model: %s", t.data, t.init, shown(added[:1]), shown(known))
	default:
		warn(stderr, "%s has labels that %s does not know; they become new classes: %s", t.data, t.init, shown(added))
	}
	return nil
}

// trainingSet reads the training set.
func (t *trainer) trainingSet(before *aoso.Model, notes io.Writer) (*aoso.Dataset, error) {
	layout := t.layout
	defer func() { t.layout = layout }()
	t.layout, t.apart = t.split.kept(layout), t.split.group+t.split.time
	o := aoso.DatasetOptions{MaxBin: t.maxBin, Seed: t.params.Seed, NThread: t.params.NThread, Init: before, TextLabels: t.layout.TextLabels}
	o.Collective = t.ranks.collective()
	switch {
	case isDataset(t.data) && o.Collective != nil:
		return nil, usageError(fmt.Errorf("%s is a dataset, whose bins are settled; allowed with --ranks: a data file", t.data))
	case isDataset(t.data) && before != nil:
		return nil, usageError(fmt.Errorf("%s is a dataset, which cannot continue a model; allowed with --init: a data file", t.data))
	case isDataset(t.data):
		return aoso.LoadDataset(t.data)
	case before != nil:
		d, err := t.readAs(t.data, before, "the model to continue")
		if err != nil {
			return nil, err
		}
		return d.dataset(o)
	case isLarge(t.data) && !t.split.isSet() && !t.auto:
		s, err := t.newStream(t.data)
		if err != nil {
			return nil, err
		}
		bar := newReadBar(notes, s)
		defer bar.close()
		return s.dataset(context.Background(), &t.reader, o, bar.begin)
	}
	d, err := t.read(t.data)
	if err == nil {
		err = t.split.take(t.data, d)
	}
	if err == nil && t.auto {
		err = t.takeCodes(t.data, d, o)
	}
	if err != nil {
		return nil, err
	}
	return d.dataset(o)
}

// train trains to the end or until it is interrupted. The caller closes the
// display.
func (t *trainer) train(ctx context.Context, train, valid *aoso.Dataset, before *aoso.Model, stderr, notes io.Writer, log *trainLog) (*aoso.Result, display, error) {
	had := 0
	if before != nil {
		had = before.Trees()
	}
	every := t.evalEvery
	if every == 0 && t.params.EarlyStoppingRounds == 0 {
		every = 1
		for following(every) <= min(10, t.iterations(len(train.Classes()))/100) {
			every = following(every)
		}
	}
	d := newDisplay(notes, had)
	weights, err := t.classWeights(train)
	if err != nil {
		return nil, d, err
	}
	var others []*aoso.Dataset
	for _, other := range t.others {
		others = append(others, other.set)
	}
	result, err := aoso.Train(ctx, train, t.params.Params, aoso.TrainOptions{
		Valid:        valid,
		Others:       others,
		ClassWeights: weights,
		Groups:       t.split.groups,
		Times:        t.split.times,
		EvalEvery:    every,
		Checkpoint:   t.checkpoint,
		Warn:         func(err error) { warn(stderr, "%v; training goes on", err) },
		Callback: func(p aoso.Progress) bool {
			log.add(p)
			d.show(p)
			return true
		},
	})
	return result, d, err
}

// iterations returns the largest number of iterations.
func (t *trainer) iterations(classes int) int {
	trees := cmp.Or(t.params.NEstimators, 1000)
	switch t.params.Method {
	case aoso.MethodABC:
		return trees / max(classes-1, 1)
	case aoso.MethodLogitBoost:
		return trees / classes
	}
	return trees
}

// report writes the result, as JSON or for people.
func (t *trainer) report(ctx context.Context, c *cobra.Command, r *aoso.Result, train, valid *aoso.Dataset, saved bool, total time.Duration) error {
	if t.suspicious != "" {
		if err := t.writeSuspicious(ctx, c, r, train); err != nil {
			return err
		}
	}
	others, err := t.evaluate(r.Model)
	if err != nil {
		return err
	}
	if !t.json {
		return t.tell(reportsOn(c, t.model), r, r.Model.Params(), valid, others, saved)
	}
	line := t.line(r, train, valid, saved, total)
	line.Others = others
	return json.NewEncoder(c.OutOrStdout()).Encode(line)
}

// line returns the result for JSON.
func (t *trainer) line(r *aoso.Result, train, valid *aoso.Dataset, saved bool, total time.Duration) trained {
	line := trained{
		Trees:         r.Model.Trees(),
		Iterations:    r.Iterations,
		BestIteration: r.BestIteration,
		TrainLoss:     finite(r.TrainLoss),
		Temperature:   r.Model.Temperature(),
		Phase:         r.Phase,
		Seconds:       r.Elapsed.Seconds(),
		SecondsTotal:  total.Seconds(),
		Threads:       r.Threads,
		Level:         r.Level,
		Fingerprint:   r.Model.Fingerprint(),
		StoppedBy:     r.StoppedBy,
		Capped:        r.Capped,
		Params:        r.Model.Params().Changes(),
		Label:         r.Model.LabelName(),
		Classes:       len(train.Classes()),
		Features:      len(train.FeatureNames()),
		Rows:          train.Rows(),
	}
	if saved {
		line.Model = &t.model
	}
	if h := r.HeldOut; h != nil {
		line.HeldOutRows, line.HeldOutErrors, line.HeldOutLogLoss = &r.HeldOutRows, &h.Errors, &h.LogLoss
	}
	if valid != nil && r.Valid != nil {
		unknown, rows := valid.Unknown(), valid.Rows()
		line.ValidErrors, line.ValidErrorRate = &r.Valid.Errors, &r.Valid.ErrorRate
		line.ValidUnknown, line.ValidRows = &unknown, &rows
		if unknown < rows {
			line.ValidLogLoss = finite(r.Valid.LogLoss)
		}
	}
	return line
}

// tell describes a result for people. params are those to train such a model with.
func (t *trainer) tell(w io.Writer, r *aoso.Result, params aoso.Params, valid *aoso.Dataset, others []evaluatedSet, saved bool) error {
	if name := r.Model.LabelName(); name != "" {
		fmt.Fprintf(w, "label       %s (%d classes)\n", terminal.Plain(name), len(r.Model.Classes()))
	}
	fmt.Fprintf(w, "iterations  %d; training took %.2f s on %s, %s kernels; stopped by %s\n",
		r.Iterations, r.Elapsed.Seconds(), count(r.Threads, "thread"), r.Level, r.StoppedBy)
	if r.Capped {
		with := ""
		if n := params.Ensemble; n > 1 {
			with = fmt.Sprintf(" with --ensemble %d", n)
		}
		fmt.Fprintf(w, "trees       %d, the most that the settings allow; --n-estimators%s allows more\n", r.Model.Trees(), with)
	}
	fmt.Fprintf(w, "params      %s\n", terminal.Plain(params.Changes()))
	if t := r.Model.Temperature(); t != 1 {
		fmt.Fprintf(w, "calibrated  with temperature %.5g: all probabilities, and the log losses below, but not the train loss\n", t)
	}
	fmt.Fprintf(w, "train loss  %.6g\n", r.TrainLoss)
	if v := r.Valid; v != nil {
		fmt.Fprintf(w, "validation  %s of %s (%.2f %%), logloss %.5f", count(v.Errors, "error"), count(valid.Rows(), "row"), 100*v.ErrorRate, v.LogLoss)
		if r.BestIteration != r.Iterations {
			fmt.Fprintf(w, " (best iteration: %d)", r.BestIteration)
		}
		fmt.Fprintln(w)
	}
	for i := range others {
		others[i].tell(w)
	}
	if h := r.HeldOut; h != nil {
		fmt.Fprintf(w, "held out    %s of %s (%.2f %%), logloss %.5f\n", count(h.Errors, "error"), count(r.HeldOutRows, "row"), 100*h.ErrorRate, h.LogLoss)
	}
	if !saved {
		return nil
	}
	_, err := fmt.Fprintf(w, "model       %s: %s, fingerprint %s\n", shownModel(t.model), count(r.Model.Trees(), "tree"), r.Model.Fingerprint())
	return err
}

// finite returns a number for JSON, or nil for infinities and NaN.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// occurrences returns how often a text is among others.
func occurrences(texts []string, text string) (n int) {
	for _, t := range texts {
		if t == text {
			n++
		}
	}
	return n
}
