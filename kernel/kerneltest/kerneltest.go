// Package kerneltest is the conformance suite of package kernel. A table of
// kernels passes if it does what the reference does, to the last bit, touches
// no memory that the contract does not give it, and refuses bad jobs.
package kerneltest

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/libaoso/aoso/kernel"
	"github.com/libaoso/aoso/tools/cases"
)

// A suite tests one kernel.
type suite struct {
	name   string
	shapes func() []shape
	trial  func(dice, shape) call
}

// shape is the size of a trial.
type shape struct {
	rows     int // bins of a scan, cells of a spill
	classes  int
	pairs    int
	terms    int
	padding  bool // a lane for the padding class
	weighted bool
}

// call calls a kernel on a job whose slices are in the given memory.
type call func(*kernel.Funcs, *memory)

var suites = []suite{
	{"Totals", classShapes, totals},
	{"Cross", classShapes, cross},
	{"Gradients", pairShapes, gradients},
	{"Quantize", quantizeShapes, quantize},
	{"Histogram", histogramShapes, histogram},
	{"Sparse", sparseShapes, sparse},
	{"SumBins", spillShapes, sumBins},
	{"Spill", spillShapes, spill},
	{"Subtract", spillShapes, subtract},
	{"Scan", scanShapes, scan},
	{"AddCuts", scanShapes, addCuts},
	{"Partition", partitionShapes, partition},
	{"Update", classShapes, update},
	{"Compare", compareShapes, compare},
	{"Compare32", compareShapes, compare32},
	{"Members", compareShapes, members},
	{"Leaves", leavesShapes, leaves},
	{"AddSteps", classShapes, addSteps},
	{"AddPairs", pairShapes, addPairs},
	{"AddShort", classShapes, addShort},
	{"Scores", classShapes, scores},
	{"Best", classShapes, best},
	{"Linear", linearShapes, linear},
	{"Products", productsShapes, products},
	{"Softmax", softmaxShapes, softmax},
	{"Walk", walkShapes, walk},
}

// Run tests every kernel of a table, each in a subtest of its name, and then
// gives all of them bad jobs. It tries every third shape with -short, and for the reference itself unless make test-long runs.
func Run(t *testing.T, f *kernel.Funcs) {
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			failures := 0
			third := testing.Short() || f == kernel.Generic && !cases.Long()
			for i, shape := range s.shapes() {
				if third && i%3 > 0 {
					continue
				}
				seed := uint64(i)
				if message := try(f, s.trial(newDice(seed, 0xa050), shape), seed); message != "" {
					t.Errorf("trial %d, %+v: %s", i, shape, message)
					if failures++; failures == 5 {
						t.Fatal("and so on")
					}
				}
			}
		})
	}
	t.Run("Refusals", func(t *testing.T) {
		for _, r := range allRefusals() {
			if message := r.refuse(f); message != "" {
				t.Errorf("%s %s", r.kernel, message)
			}
		}
	})
}

// try compares a table with the reference on one job and describes the first
// difference; "": none.
func try(f *kernel.Funcs, c call, seed uint64) (message string) {
	var want memory
	defer want.free()
	c(kernel.Generic, &want)

	got := memory{places: rand.New(rand.NewPCG(seed, 1))}
	defer got.free()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			message = got.locate(p.Addr())
		default:
			message = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	c(f, &got)
	return got.compare(&want)
}

// rowCounts are the sizes around vectors and blocks.
var rowCounts = []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 255, 257, 1000, 4095, 4096}

var classCounts = []int{2, 3, 4, 7, 8, 9, 16, 17, 26, 33, 100, 261}

// classShapes returns every number of rows with every number of classes; the
// smaller ones more often.
func classShapes() (shapes []shape) {
	for _, rows := range rowCounts {
		for _, classes := range classCounts {
			if classes > 100 && rows > 300 { // takes long, and has nothing new
				continue
			}
			for repeat := range 4 {
				s := shape{rows: rows, classes: classes, padding: repeat&1 != 0, weighted: repeat&2 != 0}
				if rows < 300 || repeat == (rows+classes)%4 {
					shapes = append(shapes, s)
				}
			}
		}
	}
	return shapes
}

// pairShapes returns the classShapes with numbers of pairs.
func pairShapes() (shapes []shape) {
	for _, s := range classShapes() {
		for s.pairs = 1; s.pairs <= kernel.MaxPairs; s.pairs *= 2 {
			if s.rows < 70 || s.pairs == 1<<(len(shapes)%4) {
				shapes = append(shapes, s)
			}
		}
	}
	return shapes
}
