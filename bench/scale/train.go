package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/libaoso/aoso"
)

// table is rows of classes that overlap. Values are rounded to this many per unit, so
// that a few per unit leave few bins.
type table struct {
	values   []float32
	classes  []int
	features int
}

func newTable(rows, features, classes int, perUnit float64) *table {
	r := rand.New(rand.NewPCG(1, uint64(rows)))
	means := make([]float64, classes*features)
	for i := range means {
		means[i] = r.NormFloat64() / 2
	}
	t := &table{make([]float32, rows*features), make([]int, rows), features}
	for i := range rows {
		y := r.IntN(classes)
		t.classes[i] = y
		for j := range features {
			v := min(max(means[y*features+j]+r.NormFloat64(), -3), 3)
			t.values[i*features+j] = float32(float64(int(v*perUnit)) / perUnit)
		}
	}
	return t
}

// Run is how a training on ranks of one thread each went.
type Run struct {
	Seconds     float64 // the median of the trees after the first
	Sent        Traffic // by rank 0, for a tree
	Fingerprint string
	Advice      string // of training, where one rank alone would be faster
}

// train trains on ranks that are goroutines, with the delays of a network, and times
// each tree.
func (t *table) train(ranks, trees int, network Network) (run Run, err error) {
	collectives := aoso.NewLocalCollective(ranks)
	errs := make([]error, ranks)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			c := &delayed{CollectiveScatterer: collectives[rank].(aoso.CollectiveScatterer), network: network}
			r, err := t.trainRank(c, trees)
			if errs[rank] = err; rank == 0 {
				run = r
			}
		})
	}
	all.Wait()
	for _, e := range errs {
		if e != nil {
			err = e
		}
	}
	return run, err
}

func (t *table) trainRank(c *delayed, trees int) (run Run, err error) {
	rows := len(t.classes)
	first, end := rows*c.Rank()/c.Size(), rows*(c.Rank()+1)/c.Size()
	x := aoso.RowMajor(t.values[first*t.features:end*t.features], end-first, t.features)
	train, err := aoso.NewDataset(x, aoso.IntLabels(t.classes[first:end]), aoso.DatasetOptions{Collective: c, NThread: 1})
	if err != nil {
		return run, err
	}
	p := aoso.DefaultParams()
	p.Preset, p.NEstimators, p.NThread = aoso.PresetPaper, trees, 1
	trainer, err := aoso.NewTrainer(train, p, aoso.TrainOptions{EvalEvery: 1 << 30, Warn: func(err error) { run.Advice = err.Error() }})
	if err != nil {
		return run, err
	}
	defer trainer.Close()
	var seconds []float64
	for range trees {
		start := time.Now()
		c.sent = Traffic{}
		if _, more := trainer.Step(context.Background()); !more {
			return run, trainer.Err()
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	run.Sent = c.sent
	seconds = seconds[min(1, trees-1):]
	slices.Sort(seconds)
	run.Seconds = seconds[len(seconds)/2]
	run.Fingerprint = trainer.Result().Model.Fingerprint()
	return run, trainer.Err()
}
