package aoso

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
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
	if cells := int64(220_000 * 50); want.Matrix < cells || want.Matrix > cells+cells/100 {
		t.Errorf("matrix %d, want about %d", want.Matrix, cells)
	}
	if lanes := int64(4 * 16 * 100_000); want.Residuals != lanes+4*100_000 {
		t.Errorf("residuals %d, want %d", want.Residuals, lanes)
	}
	for name, more := range map[string]func(*Shape, *Params){
		"rows":            func(s *Shape, _ *Params) { s.Rows *= 2 },
		"features":        func(s *Shape, _ *Params) { s.Features *= 2 },
		"classes":         func(s *Shape, _ *Params) { s.Classes *= 3 },
		"validation rows": func(s *Shape, _ *Params) { s.ValidRows *= 2 },
		"large steps":     func(_ *Shape, p *Params) { p.Shrinkage = 1 },
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
		wantArgumentError(t, err, argument, "1 to ")
	}
	most := math.MaxInt
	for argument, s := range map[string]Shape{
		"rows": {most, 1, 2, 0, 0}, "features": {1, most, 2, 0, 0}, "classes": {1, 1, most, 0, 0}, "valid_rows": {1, 1, 2, most, 0}, "max_bins": {1, 1, 2, 0, 256},
	} {
		_, err := Estimate(s, DefaultParams())
		wantArgumentError(t, err, argument)
	}
	huge := Shape{math.MaxUint32 - 1, math.MaxInt32, MaxClasses, math.MaxUint32 - 1, 0}
	if e := estimate(huge, func(p *Params) { p.Trees, p.Leaves = most, 1<<16 }); e.Total < 4<<56 {
		t.Errorf("of %+v: %+v", huge, e)
	}
	_, err := Estimate(base, params(func(p *Params) { p.Trees = -1 }))
	wantArgumentError(t, err, "trees")
}

// peakShape is a training whose memory is measured.
type peakShape struct {
	Shape
	params string
}

var peakShapes = []peakShape{
	{Shape{200, 5, 3, 0, 0}, "trees=50"},
	{Shape{1000, 10, 10, 500, 0}, "trees=100"},
	{Shape{5000, 16, 26, 0, 0}, "trees=80"},
	{Shape{5000, 16, 26, 0, 0}, "trees=80 leaf=pair pairs=1"},
	{Shape{2000, 8, 300, 0, 0}, "trees=30"},
	{Shape{2000, 8, 300, 0, 0}, "trees=20 leaves=200"},
	{Shape{1500, 4, 1000, 300, 0}, "trees=20"},
	{Shape{30_000, 20, 10, 10_000, 0}, "trees=20 subsample=0.5"},
	{Shape{100_000, 30, 10, 0, 63}, "trees=10 subsample=0.1 leaves=256"},
	{Shape{30_000, 60, 5, 0, 2}, "trees=10 subsample=0.9 leaf=pair"},
	{Shape{30_000, 20, 10, 0, 63}, "trees=20 trim=0 pairs=8"},
	{Shape{30_000, 20, 4, 0, 0}, "trees=12 method=abc"},
	{Shape{10_000, 20, 6, 0, 0}, "trees=30 method=abc base_class=exhaustive"},
	{Shape{30_000, 20, 4, 0, 0}, "trees=20 method=logitboost"},
	{Shape{100_000, 10, 2, 0, 0}, "trees=10"},
	{Shape{100_000, 10, 7, 0, 0}, "trees=10 pairs=1 threads=2"},
	{Shape{100_000, 10, 7, 0, 0}, "trees=10 shrinkage=1 max_step=20"},
	{Shape{2000, 400, 5, 0, 0}, "trees=20"},
	{Shape{2000, 400, 5, 0, 0}, "trees=20 pairs=1 leaves=100"},
	{Shape{500, 3000, 3, 0, 0}, "trees=4 threads=2"},
	{Shape{20_000, 100, 3, 0, 0}, "trees=10 colsample_bynode=0.5"},
	{Shape{20_000, 100, 3, 0, 0}, "trees=10 colsample_bytree=0.5 pairs=1"},
	{Shape{20_000, 64, 3, 0, 2}, "trees=10"},
	{Shape{20_000, 64, 3, 0, 15}, "trees=10"},
	{Shape{1, 1, 1, 0, 0}, ""},
	{Shape{1500, 10, 10, 0, 0}, "preset=auto trees=100"},
	{Shape{20_000, 30, 10, 0, 0}, "preset=auto trees=10"},
	{Shape{120_000, 10, 3, 0, 0}, "preset=auto trees=10"},
	{Shape{20_000, 30, 10, 10_000, 0}, "preset=auto trees=10"},
}

// TestEstimateBounds measures trainings, each in a process of its own.
func TestEstimateBounds(t *testing.T) {
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		t.Skip("not measured: no /proc to measure with")
	}
	for i, s := range peakShapes {
		t.Run(fmt.Sprintf("%+v %s", s.Shape, s.params), func(t *testing.T) {
			p, err := ParseParams("preset=paper threads=1 " + s.params)
			if err != nil {
				t.Fatal(err)
			}
			e, err := Estimate(s.Shape, p)
			if err != nil {
				t.Fatal(err)
			}
			child := exec.Command(os.Args[0], "-test.run=^TestPeakChild$", "-test.v")
			child.Env = append(os.Environ(), "AOSO_TEST_PEAK="+strconv.Itoa(i))
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			_, text, _ := strings.Cut(string(out), "peak=")
			text, _, _ = strings.Cut(text, "\n")
			peak, err := strconv.ParseInt(text, 10, 64)
			if err != nil || peak <= 0 {
				t.Fatalf("no peak in %s", out)
			}
			t.Logf("%.1f of an estimated %.1f MB (%.2f)", float64(peak)/1e6, float64(e.Total)/1e6, float64(peak)/float64(e.Total))
			if peak > e.Total {
				t.Errorf("a peak of %d bytes, estimated %+v", peak, e)
			}
		})
	}
}

// TestPeakChild is such a process.
func TestPeakChild(t *testing.T) {
	i, err := strconv.Atoi(os.Getenv("AOSO_TEST_PEAK"))
	if err != nil {
		return // not started by TestEstimateBounds
	}
	s := peakShapes[i]
	p, err := ParseParams("preset=paper threads=1 " + s.params)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 0))
	rows := s.Rows + s.ValidRows
	values, labels := make([]float32, rows*s.Features), make([]int, rows)
	for i := range labels {
		labels[i] = i % s.Classes
		for j := range s.Features {
			if s.MaxBins == 2 && r.IntN(5) > 0 {
				continue // a sparse matrix
			}
			values[i*s.Features+j] = float32(r.NormFloat64() + float64(labels[i]*(j+1)%7))
		}
	}
	y := IntLabels(labels)
	all := RowMajor(values, rows, s.Features)
	part := func(first, end int) Features {
		return RowMajor(values[first*s.Features:end*s.Features], end-first, s.Features)
	}
	before := resetPeak(t)
	set, err := NewDataset(part(0, s.Rows), y[:s.Rows], DatasetOptions{MaxBins: s.MaxBins, Threads: p.Threads})
	if err != nil {
		t.Fatal(err)
	}
	o := TrainOptions{}
	if s.ValidRows > 0 {
		if o.Valid, err = set.aligned(part(s.Rows, rows), y[s.Rows:], nil, nil, p.Threads); err != nil {
			t.Fatal(err)
		}
	}
	result := train(t, set, p, o)
	peak := statusBytes(t, "VmHWM") - before
	fmt.Printf("peak=%d\n", max(peak, 1))
	runtime.KeepAlive(all)
	runtime.KeepAlive(result)
}

// resetPeak is the memory of the process, from which its peak now counts.
func resetPeak(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
	return statusBytes(t, "VmRSS")
}

// statusBytes is a figure of /proc/self/status.
func statusBytes(t *testing.T, name string) int64 {
	t.Helper()
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, _ := strings.Cut(lines.Text(), ":"); key == name {
			kB, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kB << 10
		}
	}
	t.Fatalf("no %s in /proc/self/status", name)
	return 0
}
