package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"strings"
	"unsafe"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/trials"
)

// tuner is a search for parameters in progress.
type tuner struct {
	exclusive
	interruptible
	*training
	*aoso.Tuner
	callback C.aoso_tune_callback
	broken   error // error of writing the trials table; nil: none, or it was reported
}

// step runs one iteration and reports it to the host. If the search must stop,
// StoppedBy of the result is the reason.
func (t *tuner) step() (p aoso.TuneProgress) {
	p, more, err := t.Step(t.context())
	checkpoint(inTraining)
	t.broken = cmp.Or(t.broken, err)
	switch {
	case !more:
		switch p.StoppedBy = t.Result().StoppedBy; p.StoppedBy {
		case aoso.StoppedByInterrupt:
			t.resume()
		case "":
			panic("a tuner stopped without a reason") // aoso_tuner_run would loop forever
		}
	case !t.report(p):
		p.StoppedBy = cmp.Or(p.StoppedBy, aoso.StoppedByInterrupt)
	}
	return p
}

// report calls the host's callback after an iteration. It returns false if the
// host wants to stop.
func (t *tuner) report(p aoso.TuneProgress) bool {
	return t.callback == nil || t.calls.succeeds(func() C.int32_t {
		checkpoint(inCallback)
		c := cTuneProgress(p)
		c.struct_size = C.uint32_t(unsafe.Sizeof(c))
		return C.shim_tune(t.callback, &c, t.user)
	})
}

// failure returns the error of writing the trials table. It returns an error only once.
func (t *tuner) failure() error {
	err := t.broken
	t.broken = nil
	return onFile(err)
}

func cTuneProgress(p aoso.TuneProgress) C.aoso_tune_progress {
	return C.aoso_tune_progress{
		phase:      phases[p.Phase],
		trial:      C.int64_t(p.Trial),
		rung:       C.int64_t(p.Rung),
		iteration:  C.int64_t(p.Iteration),
		trials:     C.int64_t(p.Trials),
		seconds:    C.double(p.Elapsed.Seconds()),
		log_loss:   C.double(p.LogLoss),
		errors:     C.int64_t(p.Errors),
		stopped_by: reasons[p.StoppedBy],
	}
}

func useTuner(handle C.uintptr_t, use func(*tuner) error) error {
	return useAlone("tuner", uint64(handle), use)
}

//export goaoso_tuner_create
func goaoso_tuner_create(train C.uintptr_t, params *C.aoso_params, options *C.aoso_tune_options, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "tuner"); err != nil {
			return err
		}
		o, err := readStruct("options", options, C.aoso_tune_options{})
		if err != nil {
			return err
		}
		table := ""
		if o.table != nil {
			if table, err = goString("options.table", o.table); err != nil {
				return err
			}
		}
		training, err := newTraining(train, params, readWord(options, unsafe.Offsetof(options.valid)))
		if err != nil {
			return err
		}
		if training.train.ranks != nil {
			training.end()
			return badArgument("train", text("a dataset with a collective"), "one that has all rows")
		}
		training.user = C.uintptr_t(readWord(options, unsafe.Offsetof(options.user)))
		t := &tuner{training: training, callback: o.callback}
		kept := false
		defer func() {
			if !kept {
				t.free()
			}
		}()
		if err := t.readRows(o.groups, o.times, o.num_rows); err != nil {
			return err
		}
		search := aoso.TuneOptions{Valid: t.options().Valid, Groups: t.groups, Times: t.times, Trials: int(o.trials), Table: table}
		if t.Tuner, err = aoso.NewTuner(t.train.Dataset, t.params, search); err != nil {
			return onFile(err)
		}
		t.resume()
		err = put(out, t)
		kept = err == nil
		return err
	})
}

func (t *tuner) free() {
	defer t.end()
	if t.Tuner != nil {
		t.Close()
	}
}

//export goaoso_tuner_step
func goaoso_tuner_step(handle C.uintptr_t, progress *C.aoso_tune_progress) C.aoso_status {
	return try(func() error {
		if err := checkOptionalOut("progress", progress); err != nil {
			return err
		}
		return useTuner(handle, func(t *tuner) error {
			var p aoso.TuneProgress
			offThread(t.params.NThread, t.calls, func() { p = t.step() })
			writeStruct(progress, cTuneProgress(p))
			return t.failure()
		})
	})
}

//export goaoso_tuner_run
func goaoso_tuner_run(handle C.uintptr_t, result *C.aoso_result) C.aoso_status {
	return try(func() error {
		if err := checkOptionalOut("result", result); err != nil {
			return err
		}
		return useTuner(handle, func(t *tuner) error {
			var r *aoso.TuneResult
			offThread(t.params.NThread, t.calls, func() {
				stoppedBy := aoso.StopReason("")
				for stoppedBy == "" {
					stoppedBy = t.step().StoppedBy
				}
				r = t.Result()
				r.StoppedBy = stoppedBy
			})
			logResult(&r.Result)
			writeStruct(result, cResult(&r.Result))
			return t.failure()
		})
	})
}

//export goaoso_tuner_interrupt
func goaoso_tuner_interrupt(handle C.uintptr_t) C.aoso_status {
	return try(func() error {
		t, err := find[*tuner]("tuner", uint64(handle))
		if err == nil {
			t.interrupt()
		}
		return err
	})
}

//export goaoso_tuner_model
func goaoso_tuner_model(handle C.uintptr_t, out *C.uintptr_t, result *C.aoso_result) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "model"); err != nil {
			return err
		}
		if err := checkOptionalOut("result", result); err != nil {
			return err
		}
		return useTuner(handle, func(t *tuner) error {
			r := t.Result()
			if err := addModel(out, r.Model); err != nil {
				return err
			}
			writeStruct(result, cResult(&r.Result))
			return nil
		})
	})
}

//export goaoso_tuner_params
func goaoso_tuner_params(handle C.uintptr_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		return useTuner(handle, func(t *tuner) error {
			return putText(t.Result().Params.Changes(), buffer, size, needed)
		})
	})
}

//export goaoso_tuner_trials
func goaoso_tuner_trials(handle C.uintptr_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		return useTuner(handle, func(t *tuner) error {
			var text strings.Builder
			var lines []trials.Trial
			for _, trial := range t.Result().Trials {
				lines = append(lines, trials.Trial(trial))
			}
			if err := trials.WriteCSV(&text, lines); err != nil {
				return err
			}
			return putText(text.String(), buffer, size, needed)
		})
	})
}

//export goaoso_tuner_free
func goaoso_tuner_free(handle C.uintptr_t) C.aoso_status {
	return free("tuner", handle, (*tuner).free)
}
