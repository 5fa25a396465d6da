package model

import (
	"encoding/json"
	"fmt"

	"github.com/libaoso/aoso/internal/modelio"
)

// version1 is the parameters as files of version 1 name them, by the names of
// fields in Go, and their names since. Threads and Level, which say nothing
// about a model, are gone.
var version1 = map[string]string{
	"Method":          "method",
	"Leaf":            "leaf",
	"Pairs":           "pairs",
	"PairSelection":   "pair_selection",
	"BaseClass":       "base_class",
	"BaseGap":         "base_gap",
	"Trees":           "trees",
	"Leaves":          "leaves",
	"Shrinkage":       "shrinkage",
	"MaxDepth":        "max_depth",
	"MinSamples":      "min_samples",
	"MinHessian":      "min_hessian",
	"MinGain":         "min_gain",
	"L2":              "l2",
	"MaxStep":         "max_step",
	"Subsample":       "subsample",
	"ColsampleByTree": "colsample_bytree",
	"ColsampleByNode": "colsample_bynode",
	"Trim":            "trim",
	"StopLoss":        "stop_loss",
	"EarlyStopping":   "early_stopping",
	"Metric":          "metric",
	"Threads":         "",
	"Seed":            "seed",
	"Level":           "",
}

// renamed is parameters of version 1 under their names since.
func renamed(params json.RawMessage) (json.RawMessage, error) {
	var old map[string]json.RawMessage
	if err := json.Unmarshal(params, &old); err != nil {
		return nil, fmt.Errorf("%w: params: %w", modelio.ErrCorrupt, err)
	}
	now := make(map[string]json.RawMessage, len(old))
	for key, value := range old {
		name, ok := version1[key]
		if !ok {
			return nil, modelio.UnknownKey(fmt.Sprintf("the parameter %q", key))
		}
		if name != "" {
			now[name] = value
		}
	}
	return json.Marshal(now)
}
