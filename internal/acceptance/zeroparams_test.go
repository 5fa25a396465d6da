package acceptance

import (
	"testing"

	"github.com/libaoso/aoso"
)

// TestZeroParams: the zero value is the default, and a literal has the defaults in the fields
// that it leaves out.
func TestZeroParams(t *testing.T) {
	set := newDataset(t, blobs(3, 300, 4, 3, 60))
	fit := func(p aoso.Params) *aoso.Model { return train(t, set, p, aoso.TrainOptions{}).Model }
	if zero, defaults := fit(aoso.Params{}), fit(aoso.DefaultParams()); zero.Fingerprint() != defaults.Fingerprint() || zero.Params() != defaults.Params() {
		t.Errorf("the zero value trains with %v, the defaults with %v", zero.Params(), defaults.Params())
	}
	want := aoso.DefaultParams()
	want.Method, want.NEstimators, want.MaxLeaves = aoso.MethodABC, 6, 5
	literal := aoso.Params{Method: aoso.MethodABC, NEstimators: 6, MaxLeaves: 5}
	if got := fit(literal); got.Params() != fit(want).Params() || literal.String() != want.String() || literal.Changes() != want.Changes() || literal.Check() != nil {
		t.Errorf("the literal trains with %v", got.Params())
	}
	var set0 aoso.Params
	if err := set0.Set("trim", "0"); err != nil || set0.Trim != 0 || set0.Metric != "logloss" {
		t.Errorf("Set gives %v, error %v", set0, err)
	}
	if m := fit(set0); m.Params().Trim != 0 {
		t.Errorf("trim is %v", m.Params().Trim)
	}
	if err := (aoso.Params{NEstimators: -1}).Check(); err == nil {
		t.Error("-1 trees are allowed")
	}
	shape := aoso.Shape{Rows: 1000, Features: 10, Classes: 3}
	zero, err := aoso.Estimate(shape, aoso.Params{})
	if defaults, _ := aoso.Estimate(shape, aoso.DefaultParams()); err != nil || zero != defaults {
		t.Errorf("the estimate is %v, error %v", zero, err)
	}
}
