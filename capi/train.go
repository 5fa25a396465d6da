package main

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/libaoso/aoso"
)

// training has the arguments of aoso_train and aoso_trainer_create.
type training struct {
	train, valid  *dataset // released by end; valid may be nil
	others        []*dataset
	params        aoso.Params
	evalEvery     int
	checkpoint    string
	every         time.Duration // time between checkpoints
	callback      C.aoso_progress_callback
	user          C.uintptr_t
	objective     C.aoso_objective_callback
	objectiveUser C.uintptr_t // the user pointer of objective
	calls         calls       // makes the calls of callback and objective
	classWeights  []float64
	groups        []uint64
	times         []float64
	evaluations   *C.aoso_evaluation // by other validation set, for the progress; in C's memory
}

func beginTraining(train C.uintptr_t, params *C.aoso_params, options *C.aoso_train_options) (t *training, err error) {
	o, err := readStruct("options", options, C.aoso_train_options{})
	if err != nil {
		return nil, err
	}
	if t, err = newTraining(train, params, readWord(options, unsafe.Offsetof(options.valid))); err != nil {
		return nil, err
	}
	if err := t.findOthers(o); err != nil {
		t.end()
		return nil, err
	}
	if err := t.readClassWeights(o); err != nil {
		t.end()
		return nil, err
	}
	if err := t.readRows(o.groups, o.times, o.num_rows); err != nil {
		t.end()
		return nil, err
	}
	t.evalEvery = int(o.eval_every)
	if err = t.readCheckpoint(o); err != nil {
		t.end()
		return nil, err
	}
	t.callback = o.callback
	t.user = C.uintptr_t(readWord(options, unsafe.Offsetof(options.user)))
	t.objective, t.objectiveUser = o.objective, C.uintptr_t(readWord(options, unsafe.Offsetof(options.objective_user)))
	return t, nil
}

func (t *training) readCheckpoint(o *C.aoso_train_options) (err error) {
	const most = 1e9 // 32 years
	if s := float64(o.checkpoint_seconds); !(s >= 0 && s <= most) {
		return badArgument("options.checkpoint_seconds", s, "0 to %g", most)
	}
	t.every = time.Duration(float64(o.checkpoint_seconds) * float64(time.Second))
	if o.checkpoint != nil {
		t.checkpoint, err = goString("options.checkpoint", o.checkpoint)
	}
	return err
}

// newTraining finds the datasets of a training run and reads its parameters. valid may be 0.
func newTraining(train C.uintptr_t, params *C.aoso_params, valid uintptr) (t *training, err error) {
	t = &training{}
	defer func() {
		if err != nil {
			t.end()
		}
	}()
	if t.train, err = findDataset("train", train); err != nil {
		return t, err
	}
	if t.params, err = readParams(params); err != nil {
		return t, err
	}
	if valid != 0 {
		if t.valid, err = findDataset("options.valid", C.uintptr_t(valid)); err != nil {
			return t, err
		}
	}
	t.calls = callsFrom(t.params.NThread)
	return t, t.train.ranks.use(nil, t.affordable)
}

// findOthers finds the other validation sets.
func (t *training) findOthers(o *C.aoso_train_options) error {
	n := int64(o.num_others)
	if err := within("options.num_others", n, 0, maxHandles); err != nil || n == 0 {
		return err
	}
	if o.others == nil {
		return badArgument("options.others", null, "%d datasets", n)
	}
	for i, handle := range unsafe.Slice((*C.uintptr_t)(unsafe.Pointer(o.others)), n) {
		d, err := findDataset(fmt.Sprintf("options.others[%d]", i), handle)
		if err != nil {
			return err
		}
		t.others = append(t.others, d)
	}
	t.evaluations = (*C.aoso_evaluation)(C.calloc(C.size_t(n), C.sizeof_aoso_evaluation))
	return nil
}

// readClassWeights copies the weights of the classes.
func (t *training) readClassWeights(o *C.aoso_train_options) error {
	n := int64(o.num_class_weights)
	if o.class_weights == nil && n == 0 {
		return nil
	}
	if o.class_weights == nil || n != int64(len(t.train.classes)) {
		return badArgument("options.num_class_weights", n, "%d, one for each class, or 0 and null", len(t.train.classes))
	}
	t.classWeights = slices.Clone(unsafe.Slice((*float64)(unsafe.Pointer(o.class_weights)), n))
	return nil
}

// readRows copies the groups or times of the training rows.
func (t *training) readRows(groups *C.uint64_t, times *C.double, rows C.int64_t) error {
	if groups == nil && times == nil && rows == 0 {
		return nil
	}
	if groups == nil && times == nil || int64(rows) != int64(t.train.Rows()) {
		return badArgument("options.num_rows", int64(rows), "%d with groups or times, 0 without", t.train.Rows())
	}
	if groups != nil {
		t.groups = slices.Clone(unsafe.Slice((*uint64)(unsafe.Pointer(groups)), rows))
	}
	if times != nil {
		t.times = slices.Clone(unsafe.Slice((*float64)(unsafe.Pointer(times)), rows))
	}
	return nil
}

func (t *training) end() {
	t.train.release()
	t.valid.release()
	for _, d := range t.others {
		d.release()
	}
	C.free(unsafe.Pointer(t.evaluations))
}

// affordable returns an error if there is not enough memory for what training needs in any case.
func (t *training) affordable() error {
	rows := max(t.train.Rows(), 1) // a rank may have no rows
	shape := aoso.Shape{Rows: rows, Features: len(t.train.names), Classes: len(t.train.classes)}
	if t.valid != nil {
		shape.ValidRows = t.valid.Rows()
	}
	for _, d := range t.others {
		shape.ValidRows += d.Rows()
	}
	p := t.params
	if p.Method == aoso.MethodAOSO && p.NEstimators >= 0 {
		p.NEstimators = 1 // training may end after the first tree
	}
	e, err := aoso.Estimate(shape, p)
	if err != nil {
		return err
	}
	return affordable("training", float64(e.Residuals)+float64(e.Rows))
}

func (t *training) options() aoso.TrainOptions {
	o := aoso.TrainOptions{EvalEvery: t.evalEvery, ClassWeights: t.classWeights, Groups: t.groups, Times: t.times, Checkpoint: t.checkpoint, CheckpointEvery: t.every}
	if t.valid != nil {
		o.Valid = t.valid.Dataset
	}
	for _, d := range t.others {
		o.Others = append(o.Others, d.Dataset)
	}
	if t.objective != nil {
		o.Objective = t.gradients
	}
	o.Warn = func(err error) {
		t.calls.do(func() C.int32_t { logWarning("%v; training goes on", err); return 0 })
	}
	return o
}

// gradients calls the host's objective.
func (t *training) gradients(scores, gradient, hessian []float64) error {
	address := func(v []float64) *C.double { return (*C.double)(unsafe.SliceData(v)) }
	classes := len(t.train.classes)
	rows := C.int64_t(len(scores) / classes)
	code := t.calls.do(func() C.int32_t {
		checkpoint(inCallback)
		return C.shim_objective(t.objective, address(scores), rows, C.int64_t(classes), address(gradient), address(hessian), t.objectiveUser)
	})
	if code != 0 {
		return badArgument("options.objective", fmt.Sprintf("a function that has returned %d", code), "one that returns 0")
	}
	return nil
}

// report calls the host's callback after an iteration. It returns false if the
// host wants to stop.
func (t *training) report(p aoso.Progress) bool {
	return t.callback == nil || t.calls.succeeds(func() C.int32_t {
		checkpoint(inCallback)
		c := t.progress(p)
		c.struct_size = C.uint32_t(unsafe.Sizeof(c))
		return C.shim_progress(t.callback, &c, t.user)
	})
}

// run does work of the training run with its threads.
func (t *training) run(work func() error) error {
	return t.train.ranks.use(t.calls, func() (err error) {
		offThread(t.params.NThread, t.calls, func() { err = work() })
		return err
	})
}

func (t *training) progress(p aoso.Progress) C.aoso_progress {
	for i, e := range p.Others {
		unsafe.Slice(t.evaluations, len(t.others))[i] = cEvaluation(e)
	}
	return C.aoso_progress{
		others:     t.evaluations,
		num_others: C.int64_t(len(p.Others)),
		evaluated:  cBool(p.Evaluated),
		iteration:  C.int64_t(p.Iteration),
		trees:      C.int64_t(p.Trees),
		best:       C.int64_t(p.Best),
		seconds:    C.double(p.Elapsed.Seconds()),
		train_loss: C.double(p.TrainLoss),
		has_valid:  cBool(p.Valid != nil),
		stopped_by: reasons[p.StoppedBy],
		valid:      cEvaluation(p.Valid),
		phase:      phases[p.Phase],
		max_trees:  C.int64_t(p.MaxTrees),
	}
}

func cResult(r *aoso.Result) C.aoso_result {
	return C.aoso_result{
		stopped_by:     reasons[r.StoppedBy],
		iterations:     C.int64_t(r.Iterations),
		best_iteration: C.int64_t(r.BestIteration),
		threads:        C.int64_t(r.Threads),
		train_loss:     C.double(r.TrainLoss),
		seconds:        C.double(r.Elapsed.Seconds()),
		has_valid:      cBool(r.Valid != nil),
		phase:          phases[r.Phase],
		valid:          cEvaluation(r.Valid),
		held_out_rows:  C.int64_t(r.HeldOutRows),
		held_out:       cEvaluation(r.HeldOut),
	}
}

func cEvaluation(e *aoso.Evaluation) (c C.aoso_evaluation) {
	if e != nil {
		c.errors = C.int64_t(e.Errors)
		c.error_rate = C.double(e.ErrorRate)
		c.log_loss = C.double(e.LogLoss)
	}
	return c
}

func cBool(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// phases has the C constants of the phases.
var phases = map[aoso.Phase]C.int32_t{
	aoso.PhaseTrain:   C.AOSO_PHASE_TRAIN,
	aoso.PhaseHoldOut: C.AOSO_PHASE_HOLDOUT,
	aoso.PhaseSearch:  C.AOSO_PHASE_SEARCH,
}

// reasons has the C constants of the stop reasons. The constant for no reason, "", is 0, AOSO_RUNNING.
var reasons = map[aoso.StopReason]C.int32_t{
	aoso.StoppedByStopLoss:      C.AOSO_STOPPED_BY_STOP_LOSS,
	aoso.StoppedByTrees:         C.AOSO_STOPPED_BY_TREES,
	aoso.StoppedByEarlyStopping: C.AOSO_STOPPED_BY_EARLY_STOPPING,
	aoso.StoppedByInterrupt:     C.AOSO_STOPPED_BY_INTERRUPT,
	aoso.StoppedByNoSplit:       C.AOSO_STOPPED_BY_NO_SPLIT,
	aoso.StoppedByTimeLimit:     C.AOSO_STOPPED_BY_TIME_LIMIT,
}

func logResult(r *aoso.Result) {
	logInfo("training stopped (%s) after %d iterations, %.3g s, %d threads, level %s", r.StoppedBy, r.Iterations, r.Elapsed.Seconds(), r.Threads, r.Level)
}

//export goaoso_train
func goaoso_train(train C.uintptr_t, params *C.aoso_params, options *C.aoso_train_options, out *C.uintptr_t, result *C.aoso_result) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "model"); err != nil {
			return err
		}
		if err := checkOptionalOut("result", result); err != nil {
			return err
		}
		t, err := beginTraining(train, params, options)
		if err != nil {
			return err
		}
		defer t.end()
		o := t.options()
		if t.callback != nil {
			o.Callback = t.report
		}
		var r *aoso.Result
		err = t.run(func() (err error) {
			checkpoint(inTraining)
			r, err = aoso.Train(context.Background(), t.train.Dataset, t.params, o)
			return err
		})
		if err != nil {
			return err
		}
		logResult(r)
		if err := addModel(out, r.Model); err != nil {
			return err
		}
		writeStruct(result, cResult(r))
		return nil
	})
}
