package aoso

import (
	"reflect"
	"testing"
)

func TestEstimate(t *testing.T) {
	base := Shape{Rows: 100_000, Features: 50, Classes: 10, ValidRows: 20_000}
	estimate := func(s Shape, change func(*Params)) MemoryEstimate {
		e, err := Estimate(s, params(change))
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for i, v := 0, reflect.ValueOf(e); i < v.NumField(); i++ {
			part := v.Field(i).Int()
			if part <= 0 {
				t.Errorf("%+v: %s is %d", s, v.Type().Field(i).Name, part)
			}
			sum += part
		}
		if sum != 2*e.Total {
			t.Errorf("the parts of %+v are not its total", e)
		}
		return e
	}
	want := estimate(base, nil)
	if cells := int64(120_000 * 50); want.Matrix < cells || want.Matrix > cells+cells/100 {
		t.Errorf("matrix %d, want about %d", want.Matrix, cells)
	}
	if lanes := int64(4 * 16 * 100_000); want.Residuals != lanes {
		t.Errorf("residuals %d, want %d", want.Residuals, lanes)
	}
	for name, more := range map[string]func(*Shape, *Params){
		"rows":            func(s *Shape, _ *Params) { s.Rows *= 2 },
		"features":        func(s *Shape, _ *Params) { s.Features *= 2 },
		"classes":         func(s *Shape, _ *Params) { s.Classes *= 3 },
		"validation rows": func(s *Shape, _ *Params) { s.ValidRows *= 2 },
		"logitboost":      func(_ *Shape, p *Params) { p.Method = LogitBoost },
		"exhaustive abc":  func(_ *Shape, p *Params) { p.Method, p.BaseClass = ABC, "exhaustive" },
		"8 pairs":         func(_ *Shape, p *Params) { p.Pairs = 8 },
		"subsample":       func(_ *Shape, p *Params) { p.Subsample = 0.5 },
		"threads":         func(_ *Shape, p *Params) { p.Threads = 4 },
	} {
		s := base
		if got := estimate(s, nil); got != want {
			t.Errorf("estimated again: %+v", got)
		}
		e := estimate(base, func(p *Params) { more(&s, p) })
		if s != base {
			e = estimate(s, nil)
		}
		if e.Total <= want.Total {
			t.Errorf("%s: %d bytes, %d with less", name, e.Total, want.Total)
		}
	}
	for argument, s := range map[string]Shape{
		"rows": {0, 1, 2, 0, 0}, "features": {1, -1, 2, 0, 0}, "classes": {1, 1, 0, 0, 0},
	} {
		_, err := Estimate(s, DefaultParams())
		wantArgumentError(t, err, argument, "at least 1")
	}
	_, err := Estimate(base, params(func(p *Params) { p.Trees = 0 }))
	wantArgumentError(t, err, "trees")
}
