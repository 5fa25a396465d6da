// Command many measures training with thousands of classes: CPU seconds, memory, errors
// and log loss on a hierarchical mixture of Gaussians.
//
//	go run ./bench/many -classes 1000 -rows 200000 -leaf sparse
//
// With -write it writes the rows for python -m bench.many, which measures other
// libraries on them.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/libaoso/aoso"
)

func main() {
	log.SetFlags(0)
	m := mixture{}
	flag.IntVar(&m.classes, "classes", 1000, "classes")
	flag.IntVar(&m.features, "features", 50, "features")
	rows := flag.Int("rows", 200_000, "rows to train on")
	test := flag.Int("test", 2000, "rows to test on")
	p := aoso.DefaultParams()
	flag.StringVar(&p.Start, "start", p.Start, "zero or linear")
	flag.StringVar(&p.Leaf, "leaf", p.Leaf, "full or sparse")
	flag.IntVar(&p.LeafClasses, "leaf-classes", p.LeafClasses, "classes that a sparse leaf moves")
	flag.IntVar(&p.NEstimators, "n-estimators", 40, "trees; 0: the data choose")
	flag.IntVar(&p.MaxLeaves, "max-leaves", p.MaxLeaves, "leaves of a tree; 0: the default")
	flag.IntVar(&p.Pairs, "pairs", p.Pairs, "class pairs of a node; 0: the default")
	flag.Float64Var(&p.LearningRate, "learning-rate", p.LearningRate, "learning rate; 0: the default")
	flag.Float64Var(&p.MaxDeltaStep, "max-delta-step", p.MaxDeltaStep, "most that a leaf moves a score; 0: the default")
	flag.Float64Var(&p.Subsample, "subsample", p.Subsample, "share of the rows that a tree is grown on; 0: the default")
	flag.Float64Var(&p.RegLambda, "reg-lambda", p.RegLambda, "regularization; -1: the default")
	flag.StringVar(&p.Calibration, "calibration", "none", "how the temperature is found")
	flag.StringVar(&p.PairSelection, "pair-selection", p.PairSelection, "how a node chooses its class pairs")
	flag.IntVar(&p.NThread, "nthread", 2, "threads")
	folder := flag.String("write", "", "write the rows to this folder, and do not train")
	profile := flag.String("cpuprofile", "", "file for a profile of the training")
	flag.Parse()
	if *folder != "" {
		if err := m.write(*folder, *rows, *test); err != nil {
			log.Fatal(err)
		}
		return
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			log.Fatal(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := measure(&m, *rows, *test, p); err != nil {
		log.Fatal(err)
	}
}

func measure(m *mixture, rows, test int, p aoso.Params) error {
	m.place()
	x, y := m.draw(rows, 1)
	train, err := aoso.NewDataset(aoso.RowMajor(x, rows, m.features), aoso.IntLabels(y), aoso.DatasetOptions{NThread: p.NThread})
	if err != nil {
		return err
	}
	x = nil
	cpu, _ := usage()
	start := time.Now()
	r, err := aoso.Train(context.Background(), train, p)
	if err != nil {
		return err
	}
	wall := time.Since(start)
	end, peak := usage()
	xt, yt := m.draw(test, 2)
	e, err := r.Model.Evaluate(aoso.RowMajor(xt, test, m.features), aoso.IntLabels(yt), nil, aoso.PredictOptions{NThread: p.NThread})
	if err != nil {
		return err
	}
	q := r.Model.Params()
	fmt.Printf("classes %d rows %d leaf %s %d max_leaves %d learning_rate %g subsample %g trees %d: %.1f CPU s, %.1f s, %.0f MB, train loss %.4f, log loss %.4f, errors %.2f %%\n",
		m.classes, rows, q.Leaf, q.LeafClasses, q.MaxLeaves, q.LearningRate, q.Subsample, r.Model.Trees(),
		(end - cpu).Seconds(), wall.Seconds(), float64(peak)/1e6, r.TrainLoss, e.LogLoss, 100*e.ErrorRate)
	return nil
}

// usage returns the CPU time of the process and the most memory it had, in bytes.
func usage() (cpu time.Duration, peak int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), u.Maxrss << 10
}
