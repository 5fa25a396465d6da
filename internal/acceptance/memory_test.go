package acceptance

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

func TestEstimate(t *testing.T) {
	base := aoso.Shape{Rows: 100_000, Features: 50, Classes: 10, ValidRows: 20_000}
	estimate := func(s aoso.Shape, change func(*aoso.Params)) aoso.MemoryEstimate {
		e, err := aoso.Estimate(s, params(change))
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for i, v := 0, reflect.ValueOf(e); i < v.NumField(); i++ {
			part, name := v.Field(i).Int(), v.Type().Field(i).Name
			if mayBeZero := name == "Quantizing" || name == "Files"; part < 0 || part == 0 && !mayBeZero {
				t.Errorf("%+v: %s is %d", s, name, part)
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
	for name, more := range map[string]func(*aoso.Shape, *aoso.Params){
		"rows":            func(s *aoso.Shape, _ *aoso.Params) { s.Rows *= 2 },
		"features":        func(s *aoso.Shape, _ *aoso.Params) { s.Features *= 2 },
		"classes":         func(s *aoso.Shape, _ *aoso.Params) { s.Classes *= 3 },
		"validation rows": func(s *aoso.Shape, _ *aoso.Params) { s.ValidRows *= 2 },
		"large steps":     func(_ *aoso.Shape, p *aoso.Params) { p.LearningRate = 1 },
		"exhaustive abc":  func(_ *aoso.Shape, p *aoso.Params) { p.Method, p.BaseClass = aoso.MethodABC, "exhaustive" },
		"8 pairs":         func(_ *aoso.Shape, p *aoso.Params) { p.Pairs = 8 },
		"subsample":       func(_ *aoso.Shape, p *aoso.Params) { p.Subsample = 0.5 },
		"threads":         func(_ *aoso.Shape, p *aoso.Params) { p.NThread = 4 },
		"rated features":  func(s *aoso.Shape, _ *aoso.Params) { s.Rated = 5 },
		"linear scores":   func(_ *aoso.Shape, p *aoso.Params) { p.Start = "linear" },
		"categories":      func(s *aoso.Shape, _ *aoso.Params) { s.Rated, s.Categories = 5, 5000 },
	} {
		s := base
		if got := estimate(s, nil); got != want {
			t.Errorf("estimated again: %+v", got)
		}
		e := estimate(base, func(p *aoso.Params) { more(&s, p) })
		if s != base {
			e = estimate(s, nil)
		}
		if e.Total <= want.Total {
			t.Errorf("%s: %d bytes, %d with less", name, e.Total, want.Total)
		}
	}
	for argument, s := range map[string]aoso.Shape{
		"rows": {Rows: 0, Features: 1, Classes: 2}, "features": {Rows: 1, Features: -1, Classes: 2}, "classes": {Rows: 1, Features: 1, Classes: 0},
	} {
		_, err := aoso.Estimate(s, aoso.DefaultParams())
		wantArgumentError(t, err, argument, "1 to ")
	}
	most := math.MaxInt
	for argument, s := range map[string]aoso.Shape{
		"rows": {Rows: most, Features: 1, Classes: 2}, "features": {Rows: 1, Features: most, Classes: 2}, "classes": {Rows: 1, Features: 1, Classes: most}, "valid_rows": {Rows: 1, Features: 1, Classes: 2, ValidRows: most}, "max_bin": {Rows: 1, Features: 1, Classes: 2, MaxBin: 256},
	} {
		_, err := aoso.Estimate(s, aoso.DefaultParams())
		wantArgumentError(t, err, argument)
	}
	const rows = min(math.MaxUint32, math.MaxInt) - 1
	huge := aoso.Shape{Rows: rows, Features: math.MaxInt32, Classes: 1<<16 - 2, ValidRows: rows}
	if e := estimate(huge, func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = most, 1<<16 }); e.Total < 4<<56 {
		t.Errorf("of %+v: %+v", huge, e)
	}
	_, err := aoso.Estimate(base, params(func(p *aoso.Params) { p.NEstimators = -1 }))
	wantArgumentError(t, err, "n_estimators")
}

// peakShape is a training whose memory is measured. The estimates of those that are
// precise are at most a tenth too high, but for what Go's garbage collector may take.
type peakShape struct {
	aoso.Shape
	params  string
	precise bool
}

var peakShapes = []peakShape{
	{aoso.Shape{Rows: 200, Features: 5, Classes: 3}, "n_estimators=50", false},
	{aoso.Shape{Rows: 1000, Features: 10, Classes: 10, ValidRows: 500}, "n_estimators=100", false},
	{aoso.Shape{Rows: 5000, Features: 16, Classes: 26}, "n_estimators=80", false},
	{aoso.Shape{Rows: 5000, Features: 16, Classes: 26}, "n_estimators=80 leaf=pair pairs=1", false},
	{aoso.Shape{Rows: 2000, Features: 8, Classes: 300}, "n_estimators=30", false},
	{aoso.Shape{Rows: 2000, Features: 8, Classes: 300}, "n_estimators=20 max_leaves=200", false},
	{aoso.Shape{Rows: 1500, Features: 4, Classes: 1000, ValidRows: 300}, "n_estimators=20", false},
	{aoso.Shape{Rows: 30_000, Features: 20, Classes: 10, ValidRows: 10_000}, "n_estimators=20 subsample=0.5", false},
	{aoso.Shape{Rows: 100_000, Features: 30, Classes: 10, MaxBin: 63}, "n_estimators=10 subsample=0.1 max_leaves=256", false},
	{aoso.Shape{Rows: 30_000, Features: 60, Classes: 5, MaxBin: 2}, "n_estimators=10 subsample=0.9 leaf=pair", false},
	{aoso.Shape{Rows: 30_000, Features: 20, Classes: 10, MaxBin: 63}, "n_estimators=20 trim=0 pairs=8", false},
	{aoso.Shape{Rows: 30_000, Features: 20, Classes: 4}, "n_estimators=12 method=abc", false},
	{aoso.Shape{Rows: 10_000, Features: 20, Classes: 6}, "n_estimators=30 method=abc base_class=exhaustive", false},
	{aoso.Shape{Rows: 30_000, Features: 20, Classes: 4}, "n_estimators=20 method=logitboost", false},
	{aoso.Shape{Rows: 100_000, Features: 10, Classes: 2}, "n_estimators=10", false},
	{aoso.Shape{Rows: 100_000, Features: 10, Classes: 7}, "n_estimators=10 pairs=1 nthread=2", false},
	{aoso.Shape{Rows: 100_000, Features: 10, Classes: 7}, "n_estimators=10 learning_rate=1 max_delta_step=20", false},
	{aoso.Shape{Rows: 2000, Features: 400, Classes: 5}, "n_estimators=20", false},
	{aoso.Shape{Rows: 2000, Features: 400, Classes: 5}, "n_estimators=20 pairs=1 max_leaves=100", false},
	{aoso.Shape{Rows: 500, Features: 3000, Classes: 3}, "n_estimators=4 nthread=2", false},
	{aoso.Shape{Rows: 20_000, Features: 100, Classes: 3}, "n_estimators=10 colsample_bynode=0.5", false},
	{aoso.Shape{Rows: 20_000, Features: 100, Classes: 3}, "n_estimators=10 colsample_bytree=0.5 pairs=1", false},
	{aoso.Shape{Rows: 20_000, Features: 64, Classes: 3, MaxBin: 2}, "n_estimators=10", false},
	{aoso.Shape{Rows: 20_000, Features: 64, Classes: 3, MaxBin: 15}, "n_estimators=10", false},
	{aoso.Shape{Rows: 1, Features: 1, Classes: 1}, "", false},
	{aoso.Shape{Rows: 1, Features: 1, Classes: 1}, "start=linear", false},
	{aoso.Shape{Rows: 2000, Features: 8, Classes: 300}, "n_estimators=3 start=linear", false},
	{aoso.Shape{Rows: 2000, Features: 600, Classes: 300, ValidRows: 1000}, "n_estimators=2 start=linear nthread=2", false},
	{aoso.Shape{Rows: 20_000, Features: 20, Classes: 10, ValidRows: 5000}, "n_estimators=3 start=linear", false},
	{aoso.Shape{Rows: 20_000, Features: 100, Classes: 2000}, "n_estimators=3 start=linear leaf=sparse nthread=2", false},
	{aoso.Shape{Rows: 12_000, Features: 20, Classes: 6000, ValidRows: 3000}, "n_estimators=1 start=linear leaf=sparse", false},
	{aoso.Shape{Rows: 5000, Features: 20, Classes: 200}, "preset=auto n_estimators=3", false},
	{aoso.Shape{Rows: 1500, Features: 10, Classes: 10}, "preset=auto n_estimators=100", false},
	{aoso.Shape{Rows: 20_000, Features: 30, Classes: 10}, "preset=auto n_estimators=10", false},
	{aoso.Shape{Rows: 120_000, Features: 10, Classes: 3}, "preset=auto n_estimators=10", false},
	{aoso.Shape{Rows: 20_000, Features: 30, Classes: 10, ValidRows: 10_000}, "preset=auto n_estimators=10", false},
}

// init adds large trainings of all kinds.
func init() {
	const rows = 600_000
	for _, params := range []string{"n_estimators=1 pairs=1 leaf=pair", "n_estimators=1", "preset=auto n_estimators=1"} {
		for _, s := range []aoso.Shape{
			{Features: 24, Classes: 3},
			{Features: 24, Classes: 30},
			{Features: 24, Classes: 30, Mapped: true},
			{Features: 6, Classes: 8, Rated: 4, Categories: 4 * 300},
		} {
			s.Rows, s.Dense = rows, true
			peakShapes = append(peakShapes, peakShape{s, params, true})
		}
	}
}

// init adds trainings of many features.
func init() {
	const features = 20_000
	for _, rows := range []int{50, 500} {
		for _, bins := range []int{2, 255} {
			for _, start := range []string{"zero", "linear"} {
				for i, leaf := range []string{"full", "pair", "sparse"} {
					s := aoso.Shape{Rows: rows, Features: features, Classes: []int{3, 10, 40}[i], MaxBin: bins}
					peakShapes = append(peakShapes, peakShape{s, "n_estimators=2 start=" + start + " leaf=" + leaf, false})
				}
			}
		}
	}
	wide := aoso.Shape{Rows: 50, Features: features, Classes: 3, ValidRows: 20}
	for _, params := range []string{"nthread=2 pairs=1", "nthread=2 colsample_bynode=0.9", "subsample=0.5", "method=abc", "preset=auto", "preset=auto nthread=2"} {
		peakShapes = append(peakShapes, peakShape{wide, "n_estimators=2 " + params, false})
	}
	wide.Features = 200_000
	for _, bins := range []int{2, 255} {
		wide.MaxBin = bins
		peakShapes = append(peakShapes, peakShape{wide, "n_estimators=2", false})
	}
}

// TestEstimateBounds measures trainings, each in a process of its own.
func TestEstimateBounds(t *testing.T) {
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		t.Skip("not measured: no /proc to measure with")
	}
	for _, i := range cases.Some(t, 2, cases.Numbers(len(peakShapes))) {
		s := peakShapes[i]
		t.Run(fmt.Sprintf("%+v %s", s.Shape, s.params), func(t *testing.T) {
			p, err := aoso.ParseParams("preset=paper nthread=1 " + s.params)
			if err != nil {
				t.Fatal(err)
			}
			e, err := aoso.Estimate(s.Shape, p)
			if err != nil {
				t.Fatal(err)
			}
			// What a training needs at most is the most of some runs: the garbage collector is
			// sometimes early.
			peak, total := int64(0), e.Total
			if s.Mapped { // the peak is that of training
				total -= e.Quantizing
			}
			low := func() bool { return s.precise && float64(peak) < 0.9*float64(total-e.Runtime) }
			for run := 0; run == 0 || run < 3 && low(); run++ {
				now, built := childPeak(t, i)
				if peak = max(peak, now); s.Mapped && built > e.Total {
					t.Errorf("a peak of %d bytes while the dataset is built, estimated %+v", built, e)
				}
			}
			t.Logf("%.1f of an estimated %.1f MB (%.2f)", float64(peak)/1e6, float64(total)/1e6, float64(peak)/float64(total))
			if peak > total || low() {
				t.Errorf("a peak of %d bytes, estimated %+v", peak, e)
			}
		})
	}
}

// childPeak measures a training in a process of its own: the peak of all, and the peak
// while the dataset is built.
func childPeak(t *testing.T, shape int) (peak, built int64) {
	child := exec.Command(os.Args[0], "-test.run=^TestPeakChild$", "-test.v")
	child.Env = append(os.Environ(), "AOSO_TEST_PEAK="+strconv.Itoa(shape))
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	value := func(name string) int64 {
		_, text, _ := strings.Cut(string(out), name+"=")
		text, _, _ = strings.Cut(text, "\n")
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatalf("no %s in %s", name, out)
		}
		return v
	}
	return value("peak"), value("built")
}

// TestPeakChild is such a process.
func TestPeakChild(t *testing.T) {
	i, err := strconv.Atoi(os.Getenv("AOSO_TEST_PEAK"))
	if err != nil {
		return // not started by TestEstimateBounds
	}
	s := peakShapes[i]
	p, err := aoso.ParseParams("preset=paper nthread=1 " + s.params)
	if err != nil {
		t.Fatal(err)
	}
	rows := s.Rows + s.ValidRows
	values, labels := s.values(), make([]int, rows)
	for i := range labels {
		labels[i] = i % s.Classes
	}
	y := aoso.IntLabels(labels)
	all := aoso.RowMajor(values, rows, s.Features)
	part := func(first, end int) aoso.Features {
		return aoso.RowMajor(values[first*s.Features:end*s.Features], end-first, s.Features)
	}
	options := aoso.DatasetOptions{MaxBin: s.MaxBin, NThread: p.NThread}
	for j := range s.Rated {
		options.Categorical = append(options.Categorical, j)
	}
	if s.Mapped {
		options.Path = filepath.Join(t.TempDir(), "set")
	}
	before := resetPeak(t)
	anonymous := watch(t)
	set, err := aoso.NewDataset(part(0, s.Rows), y[:s.Rows], options)
	if err != nil {
		t.Fatal(err)
	}
	o := aoso.TrainOptions{}
	if s.ValidRows > 0 {
		if o.Valid, err = set.Aligned(part(s.Rows, rows), y[s.Rows:], nil); err != nil {
			t.Fatal(err)
		}
	}
	built := anonymous()
	anonymous = watch(t)
	result := train(t, set, p, o)
	peak := statusBytes(t, "VmHWM") - before
	if s.Mapped {
		peak = anonymous()
	}
	fmt.Printf("peak=%d\nbuilt=%d\n", max(peak, 1), built)
	runtime.KeepAlive(all)
	runtime.KeepAlive(result)
}

// values is features by row: first numbers that stand for categories, then others.
func (s *peakShape) values() []float32 {
	rows := s.Rows + s.ValidRows
	r := rand.New(rand.NewPCG(1, 0))
	values := make([]float32, rows*s.Features)
	for i := range rows {
		for j := range s.Features {
			v := &values[i*s.Features+j]
			switch {
			case j < s.Rated:
				*v = float32(r.IntN(300))
			case s.MaxBin == 2 && r.IntN(5) > 0: // a sparse matrix
			default:
				*v = float32(r.IntN(4000) + 1000*(i%s.Classes*(j+1)%7))
			}
		}
	}
	return values
}

// watch samples the anonymous memory of the process, until the function that it
// returns tells by how much it grew at most.
func watch(t *testing.T) (most func() int64) {
	first, greatest := statusBytes(t, "RssAnon"), atomic.Int64{}
	look := func() { greatest.Store(max(greatest.Load(), statusBytes(t, "RssAnon")-first)) }
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			look()
		}
	}()
	return func() int64 { look(); return greatest.Load() }
}

// resetPeak returns the memory of the process, from which its peak now counts.
func resetPeak(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
	return statusBytes(t, "VmRSS")
}

// statusBytes returns a figure of /proc/self/status.
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
