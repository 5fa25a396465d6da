package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/libaoso/aoso"
)

// trainer is a training run in progress.
type trainer struct {
	exclusive
	interruptible
	*training
	*aoso.Trainer
}

// interruptible has a context that other threads can cancel.
type interruptible struct {
	mu     sync.Mutex // guards the other fields, as interrupt is called from other threads
	ctx    context.Context
	cancel context.CancelFunc
}

// context returns the context that interrupt cancels.
func (i *interruptible) context() context.Context {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ctx
}

func (i *interruptible) interrupt() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cancel()
}

// resume makes a new context, so that work can continue after an interrupt.
func (i *interruptible) resume() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ctx, i.cancel = context.WithCancel(context.Background())
}

// step runs one iteration and reports it to the host. If training must stop,
// StoppedBy of the result is the reason.
func (b *trainer) step() (p aoso.Progress, err error) {
	p, more := b.Step(b.context())
	checkpoint(inTraining)
	switch {
	case b.Err() != nil:
		return p, b.Err()
	case !more:
		switch p.StoppedBy = b.Result().StoppedBy; p.StoppedBy {
		case aoso.StoppedByInterrupt:
			b.resume()
		case "":
			panic("a trainer stopped without a reason") // aoso_trainer_run would loop forever
		}
	case b.report(p):
	case b.train.ranks != nil:
		b.interrupt() // the next step tells all ranks
	default:
		p.StoppedBy = cmp.Or(p.StoppedBy, aoso.StoppedByInterrupt)
	}
	return p, nil
}

func useTrainer(handle C.uintptr_t, use func(*trainer) error) error {
	return useAlone("trainer", uint64(handle), use)
}

//export goaoso_trainer_create
func goaoso_trainer_create(train C.uintptr_t, params *C.aoso_params, options *C.aoso_train_options, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "trainer"); err != nil {
			return err
		}
		t, err := beginTraining(train, params, options)
		if err != nil {
			return err
		}
		o := &trainer{training: t}
		kept := false
		defer func() {
			if !kept {
				o.free()
			}
		}()
		err = t.run(func() (err error) {
			o.Trainer, err = aoso.NewTrainer(t.train.Dataset, t.params, t.options())
			return err
		})
		if err != nil {
			return err
		}
		o.resume()
		err = put(out, o)
		kept = err == nil
		return err
	})
}

func (b *trainer) free() {
	defer b.end()
	if b.Trainer != nil {
		b.Close()
	}
}

//export goaoso_trainer_step
func goaoso_trainer_step(handle C.uintptr_t, progress *C.aoso_progress) C.aoso_status {
	return try(func() error {
		if err := checkOptionalOut("progress", progress); err != nil {
			return err
		}
		return useTrainer(handle, func(b *trainer) error {
			var p aoso.Progress
			if err := b.run(func() (err error) { p, err = b.step(); return err }); err != nil {
				return err
			}
			writeStruct(progress, b.progress(p))
			return nil
		})
	})
}

//export goaoso_trainer_scores
func goaoso_trainer_scores(handle C.uintptr_t, set C.int64_t, out *C.double, length C.int64_t) C.aoso_status {
	return try(func() error {
		return useTrainer(handle, func(b *trainer) error {
			sets := b.sets()
			if err := within("set", int64(set), 0, int64(len(sets))-1); err != nil {
				return err
			}
			n := sets[set].Rows() * len(b.train.classes)
			if int64(length) != int64(n) || out == nil {
				return badArgument("length", length, "%d, rows × classes of the set, and out not null", n)
			}
			scores, err := b.Scores(int(set))
			to := unsafe.Slice((*float64)(unsafe.Pointer(out)), n)
			for i := copy(to, scores); i < n; i++ {
				to[i] = math.NaN()
			}
			return err
		})
	})
}

//export goaoso_trainer_measure
func goaoso_trainer_measure(handle C.uintptr_t, set C.int64_t, metric *C.char, out *C.double) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "value"); err != nil {
			return err
		}
		name, err := goString("metric", metric)
		if err != nil {
			return err
		}
		return useTrainer(handle, func(b *trainer) error {
			var values []float64
			err := b.run(func() (err error) { values, err = b.Measure(int(set), []aoso.Metric{aoso.Metric(name)}); return err })
			if err != nil {
				return err
			}
			*out = C.double(math.NaN())
			if values != nil {
				*out = C.double(values[0])
			}
			return nil
		})
	})
}

// sets returns all validation sets. The set that early stopping monitors comes first.
func (t *training) sets() []*dataset {
	if t.valid == nil {
		return t.others
	}
	return append([]*dataset{t.valid}, t.others...)
}

//export goaoso_trainer_set_learning_rate
func goaoso_trainer_set_learning_rate(handle C.uintptr_t, rate C.double) C.aoso_status {
	return try(func() error {
		return useTrainer(handle, func(b *trainer) error {
			return b.run(func() error { return b.SetLearningRate(float64(rate)) })
		})
	})
}

//export goaoso_trainer_checkpoint_error
func goaoso_trainer_checkpoint_error(handle C.uintptr_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		return useTrainer(handle, func(b *trainer) error {
			text := ""
			if err := b.CheckpointErr(); err != nil {
				text = err.Error()
			}
			return putText(text, buffer, size, needed)
		})
	})
}

//export goaoso_trainer_judge
func goaoso_trainer_judge(handle C.uintptr_t, value C.double, progress *C.aoso_progress) C.aoso_status {
	return try(func() error {
		if err := checkOptionalOut("progress", progress); err != nil {
			return err
		}
		return useTrainer(handle, func(b *trainer) error {
			var p aoso.Progress
			err := b.run(func() (err error) { p, err = b.Judge(float64(value)); return err })
			if err != nil {
				return err
			}
			writeStruct(progress, b.progress(p))
			return nil
		})
	})
}

//export goaoso_trainer_run
func goaoso_trainer_run(handle C.uintptr_t, result *C.aoso_result) C.aoso_status {
	return try(func() error {
		if err := checkOptionalOut("result", result); err != nil {
			return err
		}
		return useTrainer(handle, func(b *trainer) error {
			var r *aoso.Result
			err := b.run(func() error {
				stoppedBy := aoso.StopReason("")
				for stoppedBy == "" {
					p, err := b.step()
					if err != nil {
						return err
					}
					stoppedBy = p.StoppedBy
				}
				r = b.Result()
				r.StoppedBy = stoppedBy
				return nil
			})
			if err != nil {
				return err
			}
			logResult(r)
			writeStruct(result, cResult(r))
			return nil
		})
	})
}

//export goaoso_trainer_interrupt
func goaoso_trainer_interrupt(handle C.uintptr_t) C.aoso_status {
	return try(func() error {
		b, err := find[*trainer]("trainer", uint64(handle))
		if err == nil {
			b.interrupt()
		}
		return err
	})
}

//export goaoso_trainer_model
func goaoso_trainer_model(handle C.uintptr_t, out *C.uintptr_t, result *C.aoso_result) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "model"); err != nil {
			return err
		}
		if err := checkOptionalOut("result", result); err != nil {
			return err
		}
		return useTrainer(handle, func(b *trainer) error {
			var r *aoso.Result
			if err := b.train.ranks.use(nil, func() error { r = b.Result(); return nil }); err != nil {
				return err
			}
			if err := addModel(out, r.Model); err != nil {
				return err
			}
			writeStruct(result, cResult(r))
			return nil
		})
	})
}

//export goaoso_trainer_local_model
func goaoso_trainer_local_model(handle C.uintptr_t, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "model"); err != nil {
			return err
		}
		return useTrainer(handle, func(b *trainer) error { return addModel(out, b.LocalModel()) })
	})
}

//export goaoso_trainer_suspicious_rows
func goaoso_trainer_suspicious_rows(handle C.uintptr_t, out *C.aoso_suspicious_row, length C.int64_t, count *C.int64_t) C.aoso_status {
	return goaoso_trainer_suspicious_rows_with(handle, nil, 0, out, length, count)
}

//export goaoso_trainer_suspicious_rows_with
func goaoso_trainer_suspicious_rows_with(handle C.uintptr_t, others *C.uintptr_t, numOthers C.int64_t, out *C.aoso_suspicious_row, length C.int64_t, count *C.int64_t) C.aoso_status {
	return try(func() error {
		if err := within("length", int64(length), 1, maxValues); err != nil {
			return err
		}
		to, err := output[C.aoso_suspicious_row](unsafe.Pointer(out), length, int(length), "the most rows")
		if err != nil {
			return err
		}
		if err := cmp.Or(checkPut(count, "number of rows"), within("num_others", int64(numOthers), 0, maxHandles)); err != nil {
			return err
		}
		if others == nil && numOthers > 0 {
			return badArgument("others", null, "%d trainers", numOthers)
		}
		r, err := resultOf("trainer", handle)
		if err != nil {
			return err
		}
		results := make([]*aoso.Result, numOthers)
		for i, other := range unsafe.Slice(others, numOthers) {
			if results[i], err = resultOf(fmt.Sprintf("others[%d]", i), other); err != nil {
				return err
			}
		}
		rows, err := r.SuspiciousRows(len(to), results...)
		for i, row := range rows {
			to[i] = C.aoso_suspicious_row{
				row:               C.int64_t(row.Row),
				label:             C.int32_t(row.Label),
				other:             C.int32_t(row.Other),
				probability:       C.double(row.Probability),
				other_probability: C.double(row.OtherProbability),
				suspected:         cBool(row.Suspected),
			}
		}
		*count = C.int64_t(len(rows))
		return err
	})
}

// resultOf returns the result so far of the trainer that an argument names.
func resultOf(name string, handle C.uintptr_t) (r *aoso.Result, err error) {
	err = useAlone(name, uint64(handle), func(b *trainer) error {
		return b.train.ranks.use(nil, func() error { r = b.Result(); return nil })
	})
	return r, err
}

//export goaoso_trainer_free
func goaoso_trainer_free(handle C.uintptr_t) C.aoso_status { return freeTrainer(uint64(handle)) }

func freeTrainer(handle uint64) C.aoso_status {
	return free("trainer", C.uintptr_t(handle), (*trainer).free)
}
