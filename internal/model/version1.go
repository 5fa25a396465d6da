package model

import (
	"encoding/json"
	"fmt"

	"github.com/libaoso/aoso/internal/modelio"
)

// version1 maps the names of parameters in files of version 1, which are names of fields in Go,
// to their present names. Threads and Level, which describe no model, are absent.
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

// renamed returns parameters of version 1 under their present names.
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
