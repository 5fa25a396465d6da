package acceptance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/libaoso/aoso"
)

// TestVersion1: files that builds of aoso wrote before version 2 of the format still load, parameters and all.
func TestVersion1(t *testing.T) {
	for _, test := range []struct{ name, fingerprint, params string }{
		{"aoso-full", "1a2de0d4738dca98341cba97caee3ce1",
			"method=aoso leaf=full pairs=2 pair_selection=first_order base_class=exhaustive base_gap=3 preset=paper trees=4 leaves=5 shrinkage=0.25 max_depth=6 min_samples=2 min_hessian=0.01 min_gain=0.001 category_smoothing=10 category_l2=10 l2=0.5 max_step=4 subsample=0.9 colsample_bytree=0.8 colsample_bynode=0.7 trim=0.05 calibration=auto stop_loss=1e-09 time_limit=0 early_stopping=7 metric=error threads=0 seed=9223372036854775809 level=auto"},
		{"aoso-pair", "ed17c16493f041e2ee64c9f9ea36191d",
			"method=aoso leaf=pair pairs=2 pair_selection=second_order base_class=worst base_gap=1 preset=paper trees=3 leaves=4 shrinkage=0.1 max_depth=0 min_samples=1 min_hessian=0 min_gain=0 category_smoothing=10 category_l2=10 l2=0 max_step=5 subsample=1 colsample_bytree=1 colsample_bynode=1 trim=0.1 calibration=auto stop_loss=1e-16 time_limit=0 early_stopping=0 metric=logloss threads=0 seed=0 level=auto"},
		{"abc", "92f141de70bd1d741d572876f25fe7d6",
			"method=abc leaf=pair pairs=1 pair_selection=second_order base_class=worst base_gap=1 preset=paper trees=6 leaves=4 shrinkage=0.1 max_depth=0 min_samples=1 min_hessian=0 min_gain=0 category_smoothing=10 category_l2=10 l2=0 max_step=5 subsample=1 colsample_bytree=1 colsample_bynode=1 trim=0.1 calibration=auto stop_loss=1e-16 time_limit=0 early_stopping=0 metric=logloss threads=0 seed=0 level=auto"},
		{"logitboost", "80fe01646974056c6292e2311c723263",
			"method=logitboost leaf=pair pairs=1 pair_selection=second_order base_class=worst base_gap=1 preset=paper trees=4 leaves=4 shrinkage=0.1 max_depth=0 min_samples=1 min_hessian=0 min_gain=0 category_smoothing=10 category_l2=10 l2=0 max_step=5 subsample=1 colsample_bytree=1 colsample_bynode=1 trim=0.1 calibration=auto stop_loss=1e-16 time_limit=0 early_stopping=0 metric=logloss threads=0 seed=0 level=auto"},
		{"one-class", "01a95c747fc68e2e255152b219e8e685",
			"method=aoso leaf=full pairs=1 pair_selection=second_order base_class=worst base_gap=1 preset=paper trees=2 leaves=20 shrinkage=0.1 max_depth=0 min_samples=1 min_hessian=0 min_gain=0 category_smoothing=10 category_l2=10 l2=0 max_step=5 subsample=1 colsample_bytree=1 colsample_bynode=1 trim=0.1 calibration=auto stop_loss=1e-16 time_limit=0 early_stopping=0 metric=logloss threads=0 seed=0 level=auto"},
	} {
		m, err := aoso.Load(filepath.Join("..", "..", "testdata", "version1", test.name+".aoso"))
		if err != nil {
			t.Error(err)
			continue
		}
		params, err := aoso.ParseParams(test.params)
		if err != nil {
			t.Fatal(err)
		}
		params.Start = "zero" // there was nothing else
		if m.Fingerprint() != test.fingerprint || m.Params() != params {
			t.Errorf("%s: fingerprint %s, want %s; params %s, want %s", test.name, m.Fingerprint(), test.fingerprint, m.Params(), params)
		}
		if calibrated := m.Temperature() != 1; calibrated != (test.name == "aoso-full") {
			t.Errorf("%s: temperature %v", test.name, m.Temperature())
		}
	}
}

// TestOlderFiles: files of versions 2 and 3, whose arrays are not packed, and of version 4, which have children
// in place of middles and groups of one kind, still load, and models made of them are saved as all others.
func TestOlderFiles(t *testing.T) {
	for _, test := range []struct {
		path, fingerprint string
		version           byte
	}{
		{"unpacked/numbers.aoso", "c3734f7221ffadafa62cd584cc25345e", 2},
		{"unpacked/categories.aoso", "d1df953f2d3309d98c6d7d958db47f85", 3},
		{"version4/numbers.aoso", "24474f43ac341d6f0184f19fefcc75ae", 4},
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", test.path))
		if err != nil {
			t.Fatal(err)
		}
		m, err := aoso.Decode(data)
		if err != nil || data[8] != test.version || m.Fingerprint() != test.fingerprint {
			t.Errorf("%s, version %d: %v, fingerprint %v", test.path, data[8], err, m)
			continue
		}
		file := encode(t, m)
		if len(file) > len(data)+256 { // more parameters since
			t.Errorf("%s: %d bytes in place of %d", test.path, len(file), len(data))
		}
		again, err := aoso.Decode(file)
		if err != nil || again.Fingerprint() != test.fingerprint || file[8] != 5 {
			t.Errorf("%s, version %d: %v, fingerprint %v", test.path, file[8], err, again)
		}
	}
}
