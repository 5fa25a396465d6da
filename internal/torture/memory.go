package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/libaoso/aoso"
)

// What a process needs beside the library's memory: the Go runtime's own, and
// what its allocator holds ready.
const runtimeBytes = 8 << 20

// checkMemory trains in a process of its own, whose peak of resident memory
// must not be above the estimate.
func checkMemory(c *scenario) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.Command(self, "-measure", fmt.Sprintf("-seed=%d", c.seed))
	command.Env = append(os.Environ(), "GOGC=50")
	text, err := command.CombinedOutput()
	var peak int64
	if _, scanErr := fmt.Sscanf(string(text), "peak %d\n", &peak); scanErr != nil {
		return fmt.Errorf("the process that measures: %v: %s", err, text)
	}
	shape := aoso.Shape{Rows: c.train.rows(), Features: c.train.cols(), Classes: c.train.classes(), MaxBins: c.data.MaxBins}
	if c.valid != nil {
		shape.ValidRows = c.valid.rows()
	}
	p := c.params
	p.Trees = min(p.Trees, saturated(c.most, (&setting{params: &p, classes: shape.Classes}).perRound()))
	e, err := aoso.Estimate(shape, p)
	if err != nil {
		return err
	}
	if peak > e.Total+runtimeBytes {
		return fmt.Errorf("the peak is %d bytes, the estimate %d (%+v)", peak, e.Total, e)
	}
	return nil
}

// measureMemory trains and prints by how much the peak of resident memory is
// above what data and program had before.
func measureMemory(seed uint64) error {
	c := newScenario(seed)
	x := c.train.columns()
	runtime.GC()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak begins anew
		return err
	}
	before, err := status("VmRSS")
	if err != nil {
		return err
	}
	train, valid, err := c.sets(x, nil)
	if err != nil {
		return err
	}
	r, err := run(train, valid, c.params, c.every, c.most, nil)
	if err != nil {
		return err
	}
	peak, err := status("VmHWM")
	if err != nil {
		return err
	}
	runtime.KeepAlive(r)
	fmt.Printf("peak %d\n", peak-before)
	os.Exit(0)
	return nil
}

// status is a line of the process's status, in bytes.
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
