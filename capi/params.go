package main

// #include "shim.h"
import "C"

import (
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/libaoso/aoso"
)

// The values of the enums in the order of their numbers.
var (
	methods    = []string{aoso.AOSO, aoso.ABC, aoso.LogitBoost}
	leafKinds  = []string{"", "full", "pair"}
	selections = []string{"second_order", "first_order", "root"}
	baseKinds  = []string{"worst", "exhaustive"}
	metrics    = []string{"logloss", "error"}
)

// levelNames is aoso.Levels as strings of C, which live for ever: in an array
// of the library, so that leak checkers see that they do.
var levelNames [8]*C.char

func init() {
	for i, level := range aoso.Levels() {
		levelNames[i] = C.CString(level)
	}
}

// readParams is the parameters in C's struct; null: the defaults.
func readParams(p *C.aoso_params) (g aoso.Params, err error) {
	missing, err := cParams(aoso.DefaultParams())
	if err != nil {
		return g, err
	}
	c, err := readStruct("params", p, missing)
	if err != nil {
		return g, err
	}
	if c.level != nil {
		if g.Level, err = goString("level", c.level); err != nil {
			return g, err
		}
		if levels := aoso.Levels(); !slices.Contains(levels, g.Level) {
			return g, badArgument("level", g.Level, "%s on this CPU", strings.Join(levels, ", "))
		}
	}
	for _, f := range []struct {
		name   string
		number C.int32_t
		values []string
		field  *string
	}{
		{"method", c.method, methods, &g.Method},
		{"leaf", c.leaf, leafKinds, &g.Leaf},
		{"pair_selection", c.pair_selection, selections, &g.PairSelection},
		{"base_class", c.base_class, baseKinds, &g.BaseClass},
		{"metric", c.metric, metrics, &g.Metric},
	} {
		if err := within(f.name, int64(f.number), 0, int64(len(f.values))-1); err != nil {
			return g, err
		}
		*f.field = f.values[f.number]
	}
	for _, f := range []struct {
		name  string
		value C.int64_t
		field *int
	}{
		{"trees", c.trees, &g.Trees},
		{"leaves", c.leaves, &g.Leaves},
		{"max_depth", c.max_depth, &g.MaxDepth},
		{"min_samples", c.min_samples, &g.MinSamples},
		{"early_stopping", c.early_stopping, &g.EarlyStopping},
	} {
		if *f.field, err = narrow(f.name, int64(f.value)); err != nil {
			return g, err
		}
	}
	if g.Threads, err = threads(int64(c.num_threads)); err != nil {
		return g, err
	}
	g.Pairs = int(c.pairs)
	g.BaseGap = int(c.base_gap)
	g.Shrinkage = float64(c.shrinkage)
	g.MinHessian = float64(c.min_hessian)
	g.MinGain = float64(c.min_gain)
	g.L2 = float64(c.l2)
	g.MaxStep = float64(c.max_step)
	g.Subsample = float64(c.subsample)
	g.ColsampleByTree = float64(c.colsample_bytree)
	g.ColsampleByNode = float64(c.colsample_bynode)
	g.Trim = float64(c.trim)
	g.StopLoss = float64(c.stop_loss)
	g.Seed = uint64(c.seed)
	return g, nil
}

// cParams is the way back. It fails where the struct has no number for a
// value.
func cParams(g aoso.Params) (c C.aoso_params, err error) {
	for _, f := range []struct {
		name, value string
		values      []string
		field       *C.int32_t
	}{
		{"method", g.Method, methods, &c.method},
		{"leaf", g.Leaf, leafKinds, &c.leaf},
		{"pair_selection", g.PairSelection, selections, &c.pair_selection},
		{"base_class", g.BaseClass, baseKinds, &c.base_class},
		{"metric", g.Metric, metrics, &c.metric},
	} {
		i := slices.Index(f.values, f.value)
		if i < 0 {
			return c, badArgument(f.name, f.value, "%s", strings.TrimPrefix(strings.Join(f.values, ", "), ", "))
		}
		*f.field = C.int32_t(i)
	}
	for _, f := range []struct {
		name  string
		value int
		field *C.int32_t
	}{{"pairs", g.Pairs, &c.pairs}, {"base_gap", g.BaseGap, &c.base_gap}} {
		if err := within(f.name, int64(f.value), math.MinInt32, math.MaxInt32); err != nil {
			return c, err
		}
		*f.field = C.int32_t(f.value)
	}
	if g.Level != "" {
		levels := aoso.Levels()
		i := slices.Index(levels, g.Level)
		if i < 0 {
			return c, badArgument("level", g.Level, "%s on this CPU", strings.Join(levels, ", "))
		}
		c.level = levelNames[i]
	}
	c.trees = C.int64_t(g.Trees)
	c.leaves = C.int64_t(g.Leaves)
	c.max_depth = C.int64_t(g.MaxDepth)
	c.min_samples = C.int64_t(g.MinSamples)
	c.early_stopping = C.int64_t(g.EarlyStopping)
	c.num_threads = C.int64_t(g.Threads)
	c.shrinkage = C.double(g.Shrinkage)
	c.min_hessian = C.double(g.MinHessian)
	c.min_gain = C.double(g.MinGain)
	c.l2 = C.double(g.L2)
	c.max_step = C.double(g.MaxStep)
	c.subsample = C.double(g.Subsample)
	c.colsample_bytree = C.double(g.ColsampleByTree)
	c.colsample_bynode = C.double(g.ColsampleByNode)
	c.trim = C.double(g.Trim)
	c.stop_loss = C.double(g.StopLoss)
	c.seed = C.uint64_t(g.Seed)
	return c, nil
}

//export goaoso_params_init
func goaoso_params_init(params *C.aoso_params, structSize C.uint32_t) C.aoso_status {
	return try(func() error {
		if params == nil {
			return badArgument("params", null, "a struct to set")
		}
		if err := checkStructSize("params", uintptr(structSize)); err != nil {
			return err
		}
		c, err := cParams(aoso.DefaultParams())
		if err != nil {
			return err
		}
		*(*C.uint32_t)(unsafe.Pointer(params)) = structSize
		writeStruct(params, c)
		return nil
	})
}

//export goaoso_params_parse
func goaoso_params_parse(params *C.aoso_params, text *C.char) C.aoso_status {
	return try(func() error {
		if err := checkOut("params", params); err != nil {
			return err
		}
		g, err := readParams(params)
		if err != nil {
			return err
		}
		changes, err := goString("text", text)
		if err != nil {
			return err
		}
		if g, err = aoso.ParseParams(g.String() + "\n" + changes); err != nil {
			return err
		}
		c, err := cParams(g)
		if err != nil {
			return err
		}
		writeStruct(params, c)
		return nil
	})
}

//export goaoso_params_check
func goaoso_params_check(params *C.aoso_params) C.aoso_status {
	return try(func() error {
		g, err := readParams(params)
		if err != nil {
			return err
		}
		return g.Check()
	})
}

//export goaoso_suggest_params
func goaoso_suggest_params(rows, features, classes C.int64_t, buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		s, err := shape(rows, features, classes)
		if err != nil {
			return err
		}
		return putText(aoso.Suggest(s).Changes(), buffer, size, needed)
	})
}
