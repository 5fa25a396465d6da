package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/category"
)

// shapeOf returns the shape of the scenario's training for [aoso.Estimate].
func (c *scenario) shapeOf() aoso.Shape {
	s := aoso.Shape{Rows: c.train.rows(), Features: c.train.cols(), Classes: c.train.classes(), MaxBin: c.data.MaxBin}
	if c.valid != nil {
		s.ValidRows = c.valid.rows()
	}
	x, column := c.train.columns(), make([]float64, c.train.rows())
	for _, j := range c.data.Categorical {
		x.Column(j, 0, column)
		slices.Sort(column)
		categories := len(slices.Compact(column))
		if categories > category.MostUnplaced {
			s.Categorical++
		}
		if categories > min(cmp.Or(c.data.MaxBin, 255), category.MostCodes) {
			s.Rated++
			s.Categories += categories
		}
	}
	return s
}

// checkEstimate checks that no part of an estimate is negative and that the total
// does not overflow.
func checkEstimate(t *trial, _ dice) error {
	e, err := aoso.Estimate(t.shapeOf(), t.params)
	if err != nil {
		return err
	}
	sum := 0.0
	for _, part := range []int64{e.Matrix, e.Sparse, e.Residuals, e.Rows, e.Histograms, e.Quantizing, e.Trees, e.Runtime} {
		if part < 0 {
			return fmt.Errorf("a part is negative: %+v", e)
		}
		sum += float64(part)
	}
	if float64(e.Total) < min(sum, math.MaxInt64)*0.999 {
		return fmt.Errorf("the total is less than the sum of the parts: %+v", e)
	}
	return nil
}

// checkMemory trains in a separate process. The peak of its resident memory must
// not exceed the estimate.
func checkMemory(c *scenario) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := exec.Command(self, "-measure", fmt.Sprintf("-seed=%d", c.seed)).CombinedOutput()
	var peak int64
	if _, scanErr := fmt.Sscanf(string(text), "peak %d\n", &peak); scanErr != nil {
		return fmt.Errorf("measuring process: %v: %s", err, text)
	}
	p := c.params
	p.NEstimators = min(p.NEstimators, saturated(c.limit, perRound(&p, c.train.classes())))
	e, err := aoso.Estimate(c.shapeOf(), p)
	if err != nil {
		return err
	}
	if peak > e.Total {
		return fmt.Errorf("the peak is %d bytes, %.2f times the estimate: %+v", peak, float64(peak)/float64(e.Total), e)
	}
	return nil
}

// measureMemory trains and prints by how much resident memory grows at its peak.
// The features and labels of the caller do not count.
func measureMemory(seed uint64) error {
	c := newScenario(seed)
	x, y := c.train.columns(), c.train.labels()
	var validLabels aoso.Labels
	if c.valid != nil {
		validLabels = c.valid.labels()
	}
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // resets the peak
		return err
	}
	before, err := status("VmRSS")
	if err != nil {
		return err
	}
	train, err := aoso.NewDataset(x, y, c.data)
	if err != nil {
		return err
	}
	var valid *aoso.Dataset
	if c.valid != nil {
		if valid, err = train.Aligned(c.valid.columns(), validLabels, c.valid.weights); err != nil {
			return err
		}
	}
	r, err := run(train, valid, c.params, c.every, c.limit, nil)
	if err != nil {
		return err
	}
	peak, err := status("VmHWM")
	if err != nil {
		return err
	}
	runtime.KeepAlive(r)
	runtime.KeepAlive(c)
	fmt.Printf("peak %d\n", max(peak-before, 0))
	return nil
}

// status returns a value from /proc/self/status in bytes.
func status(name string) (int64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			kilobytes, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", name)
}
