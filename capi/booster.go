package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"context"
	"sync"

	"github.com/libaoso/aoso"
)

// booster is a training in progress.
type booster struct {
	exclusive
	*training
	*aoso.Booster

	mu     sync.Mutex // guards the fields below, which interrupt uses from other threads
	ctx    context.Context
	cancel context.CancelFunc
}

// context returns the context that interrupt cancels.
func (b *booster) context() context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ctx
}

func (b *booster) interrupt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cancel()
}

// resume makes a new context, so that training can continue after an interrupt.
func (b *booster) resume() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ctx, b.cancel = context.WithCancel(context.Background())
}

// step runs one iteration and reports it to the host. If training must stop,
// StoppedBy of the result is the reason.
func (b *booster) step() (p aoso.Progress) {
	p, more := b.Step(b.context())
	checkpoint(inTraining)
	switch {
	case !more:
		switch p.StoppedBy = b.Result().StoppedBy; p.StoppedBy {
		case aoso.StoppedByInterrupt:
			b.resume()
		case "":
			panic("a booster stopped without a reason") // aoso_booster_run would loop forever
		}
	case !b.report(p):
		p.StoppedBy = cmp.Or(p.StoppedBy, aoso.StoppedByInterrupt)
	}
	return p
}

func useBooster(handle C.uintptr_t, use func(*booster) error) error {
	return useAlone("booster", uint64(handle), use)
}

//export goaoso_booster_create
func goaoso_booster_create(train C.uintptr_t, params *C.aoso_params, options *C.aoso_train_options, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "booster"); err != nil {
			return err
		}
		t, err := beginTraining(train, params, options)
		if err != nil {
			return err
		}
		o := &booster{training: t}
		kept := false
		defer func() {
			if !kept {
				o.free()
			}
		}()
		if o.Booster, err = aoso.NewBooster(t.train.Dataset, t.params, t.options()); err != nil {
			return err
		}
		o.resume()
		err = put(out, o)
		kept = err == nil
		return err
	})
}

func (b *booster) free() {
	defer b.end()
	if b.Booster != nil {
		b.Free()
	}
}

//export goaoso_booster_step
func goaoso_booster_step(handle C.uintptr_t, progress *C.aoso_progress) C.aoso_status {
	return try(func() error {
		if err := checkWanted("progress", progress); err != nil {
			return err
		}
		return useBooster(handle, func(b *booster) error {
			var p aoso.Progress
			b.run(func() { p = b.step() })
			writeStruct(progress, cProgress(p))
			return nil
		})
	})
}

//export goaoso_booster_run
func goaoso_booster_run(handle C.uintptr_t, result *C.aoso_result) C.aoso_status {
	return try(func() error {
		if err := checkWanted("result", result); err != nil {
			return err
		}
		return useBooster(handle, func(b *booster) error {
			var r *aoso.Result
			b.run(func() {
				stoppedBy := ""
				for stoppedBy == "" {
					stoppedBy = b.step().StoppedBy
				}
				r = b.Result()
				r.StoppedBy = stoppedBy
			})
			logResult(r)
			writeStruct(result, cResult(r))
			return nil
		})
	})
}

//export goaoso_booster_interrupt
func goaoso_booster_interrupt(handle C.uintptr_t) C.aoso_status {
	return try(func() error {
		b, err := find[*booster]("booster", uint64(handle))
		if err == nil {
			b.interrupt()
		}
		return err
	})
}

//export goaoso_booster_model
func goaoso_booster_model(handle C.uintptr_t, out *C.uintptr_t, result *C.aoso_result) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "model"); err != nil {
			return err
		}
		if err := checkWanted("result", result); err != nil {
			return err
		}
		return useBooster(handle, func(b *booster) error {
			r := b.Result()
			if err := addModel(out, r.Model); err != nil {
				return err
			}
			writeStruct(result, cResult(r))
			return nil
		})
	})
}

//export goaoso_booster_free
func goaoso_booster_free(handle C.uintptr_t) C.aoso_status { return freeBooster(uint64(handle)) }

func freeBooster(handle uint64) C.aoso_status {
	return free("booster", C.uintptr_t(handle), (*booster).free)
}
