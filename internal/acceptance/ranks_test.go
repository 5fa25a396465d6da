package acceptance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tools/cases"
)

// spread returns the rows of a table that each rank has. The last but one of three or more
// has none.
func spread(rows, ranks int) [][]int {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(ranks)))
	of := make([][]int, ranks)
	for row := range rows {
		to := r.IntN(ranks)
		if ranks > 2 && to == ranks-2 {
			to = 0
		}
		of[to] = append(of[to], row)
	}
	return of
}

// shard is some rows of features.
type shard struct {
	aoso.CategoricalFeatures
	rows []int
}

func (s *shard) Rows() int { return len(s.rows) }

func (s *shard) Column(j, first int, dst []float64) {
	for i := range dst {
		s.CategoricalFeatures.Column(j, s.rows[first+i], dst[i:i+1])
	}
}

// people returns a table with a column of a few categories, one of many, one of numbers and
// one of numbers that stand for categories, with missing values.
func people(rows int) (x aoso.CategoricalFeatures, labels []int, weights []float64) {
	r := rand.New(rand.NewPCG(3, uint64(rows)))
	few, many := make([]string, rows), make([]string, rows)
	number, code := make([]float64, rows), make([]float64, rows)
	for i := range rows {
		y, town := r.IntN(4), r.IntN(150)
		labels, weights = append(labels, y), append(weights, 0.5+float64(r.IntN(5)))
		few[i] = fmt.Sprintf("job %d", (y+r.IntN(3))%7)
		many[i] = fmt.Sprintf("town %d", (town*4+y)%150)
		number[i], code[i] = float64(y)+2*r.NormFloat64(), float64((y*3+r.IntN(4))%9)
		if r.IntN(10) == 0 {
			number[i] = math.NaN()
		}
		if r.IntN(10) == 0 {
			few[i] = ""
		}
	}
	table, err := aoso.NewTable(aoso.Texts(few), aoso.Texts(many), aoso.Numbers(number), aoso.Numbers(code))
	if err != nil {
		panic(err)
	}
	return table, labels, weights
}

// TestCollective trains on several ranks. The model is that of one machine, on every
// rank.
func TestCollective(t *testing.T) {
	const rows = 2600
	x, labels, weights := people(rows)
	ids := rand.New(rand.NewPCG(1, 1)).Perm(10 * rows)[:rows]
	parts := 1 // of each class
	train := func(c aoso.Collective, of []int, p aoso.Params, early bool) (string, error) {
		o := aoso.DatasetOptions{Categorical: []int{3}, SampleRows: 2000, Collective: c}
		var y []int
		for _, row := range of {
			y = append(y, labels[row]*parts+row%parts)
			o.Weights, o.RowIDs = append(o.Weights, weights[row]), append(o.RowIDs, uint64(ids[row]))
		}
		d, err := aoso.NewDataset(&shard{x, of}, aoso.IntLabels(y), o)
		if err != nil {
			return "", err
		}
		var training aoso.TrainOptions
		if early {
			var valid, validLabels []int
			for i, row := range of {
				if row%3 == 0 {
					valid, validLabels = append(valid, row), append(validLabels, y[i])
				}
			}
			if training.Valid, err = d.Aligned(&shard{x, valid}, aoso.IntLabels(validLabels), nil); err != nil {
				return "", err
			}
		}
		r, err := aoso.Train(t.Context(), d, p, training)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(r.Model.Fingerprint(), r.Iterations, r.TrainLoss, r.Model.Temperature(), r.HeldOutRows, r.Valid, r.StoppedBy), nil
	}
	type test struct {
		name   string
		early  bool
		change func(*aoso.Params)
	}
	for _, test := range cases.Some(t, 5, []test{
		{"defaults", false, func(p *aoso.Params) { p.NEstimators = 30 }},
		{"ensemble", false, ofMembers(50)},
		{"symmetric", false, func(p *aoso.Params) { p.GrowPolicy, p.NEstimators = "symmetric", 12 }},
		{"symmetric, drawn rows and columns", false, func(p *aoso.Params) {
			p.GrowPolicy, p.NEstimators, p.Subsample, p.ColsampleByNode = "symmetric", 12, 0.6, 0.5
		}},
		{"settled trees", false, settled},
		{"paper", false, func(p *aoso.Params) { p.Preset, p.NEstimators = aoso.PresetPaper, 20 }},
		{"early stopping", true, func(p *aoso.Params) {
			p.Preset, p.NEstimators, p.EarlyStoppingRounds, p.Subsample = aoso.PresetPaper, 60, 5, 0.5
		}},
		{"validation", true, func(p *aoso.Params) { p.NEstimators = 20 }},
		{"linear", false, func(p *aoso.Params) { p.Start, p.NEstimators = "linear", 10 }},
		{"linear, validation", true, func(p *aoso.Params) { p.Start, p.NEstimators = "linear", 10 }},
		{"16 classes", false, func(p *aoso.Params) { parts, p.NEstimators = 4, 10 }},
	}) {
		t.Run(test.name, func(t *testing.T) {
			p := aoso.DefaultParams()
			p.NThread, parts = 1, 1
			test.change(&p)
			want, err := train(nil, spread(rows, 1)[0], p, test.early)
			if err != nil {
				t.Fatal(err)
			}
			for ranks := 2; ranks <= 3; ranks++ {
				of := spread(rows, ranks)
				var all sync.WaitGroup
				for rank, c := range aoso.NewLocalCollective(ranks) {
					all.Go(func() {
						if got, err := train(c, of[rank], p, test.early); err != nil || got != want {
							t.Errorf("rank %d of %d: %v %v, want %v", rank, ranks, got, err, want)
						}
					})
				}
				all.Wait()
			}
		})
	}
}

// TestCollectiveSparse trains sparse leaves on several ranks: with 50 classes because it is
// asked to, with 6,000 by default. Most classes have rows on one rank only.
func TestCollectiveSparse(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	type test struct {
		name          string
		classes, rows int
		change        func(*aoso.Params)
	}
	for _, test := range cases.Some(t, 1, []test{
		{"120 classes that linear scores may know", 120, 1500, func(p *aoso.Params) { p.MaxLeaves = 30 }},
		{"50 classes", 50, 2500, func(p *aoso.Params) { p.Leaf, p.NEstimators = "sparse", 10 }},
		{"6000 classes", 6000, 7500, func(p *aoso.Params) { p.NEstimators, p.MaxLeaves, p.Calibration = 2, 1000, "none" }},
	}) {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, uint64(test.classes)))
			x, labels := make([]float64, 0, 3*test.rows), make([]int, test.rows)
			for i := range labels {
				labels[i] = i % test.classes
				for j := range 3 {
					x = append(x, float64(labels[i]*(j+3)%97)+r.NormFloat64())
				}
			}
			p := aoso.DefaultParams()
			p.NThread = 1
			test.change(&p)
			train := func(c aoso.Collective, rank, ranks int) (string, error) {
				var part []float64
				var y []int
				o := aoso.DatasetOptions{Collective: c}
				for i, label := range labels {
					to := label % ranks
					if label%10 == 0 {
						to = i % ranks
					}
					if to == rank {
						part, y, o.RowIDs = append(part, x[3*i:3*i+3]...), append(y, label), append(o.RowIDs, uint64(i))
					}
				}
				d, err := aoso.NewDataset(aoso.RowMajor(part, len(y), 3), aoso.IntLabels(y), o)
				if err != nil {
					return "", err
				}
				got, err := aoso.Train(t.Context(), d, p)
				if err != nil {
					return "", err
				}
				if leaf := got.Model.Params().Leaf; leaf != "sparse" && test.classes != 120 {
					t.Errorf("leaves are %s", leaf)
				}
				return fmt.Sprint(got.Model.Fingerprint(), got.TrainLoss, got.Iterations, got.HeldOutRows, got.Model.Temperature()), nil
			}
			want, err := train(nil, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, ranks := range cases.Some(t, 1, []int{2, 3, 4}) {
				var all sync.WaitGroup
				for rank, c := range aoso.NewLocalCollective(ranks) {
					all.Go(func() {
						if got, err := train(c, rank, ranks); err != nil || got != want {
							t.Errorf("rank %d of %d: %v %v, want %v", rank, ranks, got, err, want)
						}
					})
				}
				all.Wait()
			}
		})
	}
}

// lossy is a rank that fails in its n-th call.
type lossy struct {
	aoso.Collective
	left  *int
	fault func() error
}

func (l lossy) call() error {
	*l.left--
	if *l.left == 0 {
		return l.fault()
	}
	return nil
}

func (l lossy) AllReduce(op aoso.CollectiveOp, v []int64) error {
	if err := l.call(); err != nil {
		return err
	}
	return l.Collective.AllReduce(op, v)
}

func (l lossy) AllGather(b []byte) ([][]byte, error) {
	if err := l.call(); err != nil {
		return nil, err
	}
	return l.Collective.AllGather(b)
}

func (l lossy) ReduceScatter(v []int64, counts []int) ([]int64, error) {
	if err := l.call(); err != nil {
		return nil, err
	}
	return l.Collective.(aoso.CollectiveScatterer).ReduceScatter(v, counts)
}

// TestCollectiveFaults has a rank fail in any of its calls: all ranks end with an
// error, and none hangs.
func TestCollectiveFaults(t *testing.T) {
	for _, leaf := range []string{"full", "sparse"} {
		t.Run(leaf, func(t *testing.T) { testFaults(t, leaf) })
	}
}

func testFaults(t *testing.T, leaf string) {
	const rows, ranks = 400, 3
	x, labels, weights := people(rows)
	of := spread(rows, ranks)
	p := aoso.DefaultParams()
	p.NEstimators, p.NThread, p.Leaf = 4, 1, leaf
	train := func(c aoso.Collective, of []int) (aoso.Collective, error) {
		var y []int
		o := aoso.DatasetOptions{Collective: c}
		for _, row := range of {
			y, o.Weights = append(y, labels[row]), append(o.Weights, weights[row])
		}
		d, err := aoso.NewDataset(&shard{x, of}, aoso.IntLabels(y), o)
		if err != nil {
			return c, err
		}
		_, err = aoso.Train(t.Context(), d, p)
		return c, err
	}
	lost := errors.New("the cable is out")
	calls := math.MaxInt
	for at := 1; at < calls; at += 1 + at/6 {
		var all sync.WaitGroup
		left, done := at, make(chan struct{})
		for rank, c := range aoso.NewLocalCollective(ranks) {
			all.Go(func() {
				if rank == 1 {
					c = lossy{c, &left, func() error { c.Abort("rank 1 is lost"); return lost }}
				}
				_, err := train(c, of[rank])
				if left > 0 { // it needs fewer calls
					if err != nil && rank == 1 {
						t.Errorf("rank %d: %v", rank, err)
					}
					return
				}
				if !errors.Is(err, aoso.ErrCollective) || rank == 1 && !errors.Is(err, lost) {
					t.Errorf("call %d, rank %d: %v", at, rank, err)
				}
			})
		}
		go func() { all.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			t.Fatalf("a fault in call %d hangs", at)
		}
		if left > 0 {
			calls = at
		}
	}
	if calls < 100 {
		t.Errorf("a training has %d calls", calls)
	}
}

// TestCollectiveRefuses: what ranks must agree on.
func TestCollectiveRefuses(t *testing.T) {
	d := blobs(5, 200, 3, 3, 20)
	for name, rank1 := range map[string]func(o *aoso.DatasetOptions, p *aoso.Params, y *aoso.Labels){
		"options": func(o *aoso.DatasetOptions, _ *aoso.Params, _ *aoso.Labels) { o.MaxBin = 7 },
		"params":  func(_ *aoso.DatasetOptions, p *aoso.Params, _ *aoso.Labels) { p.NEstimators = 3 },
		"labels":  func(_ *aoso.DatasetOptions, _ *aoso.Params, y *aoso.Labels) { *y = (*y)[:5] },
		"ids":     func(o *aoso.DatasetOptions, _ *aoso.Params, _ *aoso.Labels) { o.RowIDs = make([]uint64, 3) },
		"weights": func(o *aoso.DatasetOptions, _ *aoso.Params, _ *aoso.Labels) { o.Weights = []float64{-1} },
	} {
		t.Run(name, func(t *testing.T) {
			var all sync.WaitGroup
			for rank, c := range aoso.NewLocalCollective(2) {
				all.Go(func() {
					half := d.slice(100*rank, 100*rank+100)
					o, p, y := aoso.DatasetOptions{Collective: c}, aoso.DefaultParams(), half.labels()
					p.NEstimators, p.NThread = 2, 1
					if rank == 1 {
						rank1(&o, &p, &y)
					}
					set, err := aoso.NewDataset(half.features(), y, o)
					if err == nil {
						_, err = aoso.Train(t.Context(), set, p)
					}
					if err == nil {
						t.Errorf("rank %d: no error", rank)
					}
				})
			}
			all.Wait()
		})
	}
}

// TestCollectiveTune: a search is for one machine.
func TestCollectiveTune(t *testing.T) {
	d := blobs(6, 100, 3, 3, 20)
	var all sync.WaitGroup
	for rank, c := range aoso.NewLocalCollective(2) {
		all.Go(func() {
			half := d.slice(50*rank, 50*rank+50)
			set, err := aoso.NewDataset(half.features(), half.labels(), aoso.DatasetOptions{Collective: c})
			if err != nil {
				t.Error(err)
				return
			}
			_, err = aoso.NewTuner(set, aoso.DefaultParams(), aoso.TuneOptions{Trials: 2})
			if bad, ok := errors.AsType[*aoso.ArgumentError](err); !ok || bad.Argument != "train" {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	all.Wait()
}

// TestCollectiveContinues trains some trees on some ranks and goes on on others: the
// model is that which one machine continues.
func TestCollectiveContinues(t *testing.T) {
	t.Run("same classes", func(t *testing.T) { testCollectiveContinues(t, func(int) bool { return true }) })
	t.Run("new class", func(t *testing.T) { testCollectiveContinues(t, func(label int) bool { return label != 2 }) })
}

// testCollectiveContinues continues a model that knows some of the labels.
func testCollectiveContinues(t *testing.T, knows func(label int) bool) {
	const rows = 900
	x, labels, weights := people(rows)
	p := aoso.DefaultParams()
	p.Preset, p.NThread, p.Subsample = aoso.PresetPaper, 1, 0.7
	train := func(ranks, trees int, init *aoso.Model) *aoso.Model {
		of := spread(rows, ranks)
		models := make([]*aoso.Model, ranks)
		var all sync.WaitGroup
		for rank, c := range aoso.NewLocalCollective(ranks) {
			all.Go(func() {
				var y []int
				o := aoso.DatasetOptions{Categorical: []int{3}, Collective: c, Init: init}
				var mine []int
				for _, row := range of[rank] {
					if init == nil && !knows(labels[row]) {
						continue
					}
					mine, y, o.Weights = append(mine, row), append(y, labels[row]), append(o.Weights, weights[row])
					o.RowIDs = append(o.RowIDs, uint64(row))
				}
				d, err := aoso.NewDataset(&shard{x, mine}, aoso.IntLabels(y), o)
				if err != nil {
					t.Errorf("rank %d of %d: %v", rank, ranks, err)
					return
				}
				p := p
				p.NEstimators = trees
				r, err := aoso.Train(t.Context(), d, p)
				if err != nil {
					t.Errorf("rank %d of %d: %v", rank, ranks, err)
					return
				}
				models[rank] = r.Model
			})
		}
		all.Wait()
		if t.Failed() {
			t.FailNow()
		}
		return models[ranks-1]
	}
	for _, shrinkage := range []float64{0.1, 1} {
		p.LearningRate = shrinkage
		want := train(1, 12, train(1, 8, nil)).Fingerprint()
		for _, ranks := range [][2]int{{1, 3}, {3, 1}, {2, 3}, {3, 2}} {
			if got := train(ranks[1], 12, train(ranks[0], 8, nil)).Fingerprint(); got != want {
				t.Errorf("shrinkage %v, %d ranks and then %d: another model", shrinkage, ranks[0], ranks[1])
			}
		}
	}
}

// TestCollectiveBlocks makes shards of blocks. Where a rank fails, or has other options
// though no rows, all end with an error.
func TestCollectiveBlocks(t *testing.T) {
	const rows = 500
	x, labels, weights := people(rows)
	whole, err := aoso.NewDataset(x, aoso.IntLabels(labels), aoso.DatasetOptions{Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	p := aoso.DefaultParams()
	p.NEstimators, p.NThread = 5, 1
	want := train(t, whole, p, aoso.TrainOptions{}).Model.Fingerprint()
	wrong := errors.New("the disk is full")
	for name, fails := range map[string]bool{"good": false, "failing": true} {
		var all sync.WaitGroup
		for rank, c := range aoso.NewLocalCollective(2) {
			all.Go(func() {
				blocks := func(yield func(aoso.Block, error) bool) {
					for first := 250 * rank; first < 250*(rank+1); first += 50 {
						if fails && rank == 1 && first == 400 {
							yield(aoso.Block{}, wrong)
							return
						}
						ids := make([]uint64, 50)
						for i := range ids {
							ids[i] = uint64(first + i)
						}
						part := &shard{x, make([]int, 50)}
						for i := range part.rows {
							part.rows[i] = first + i
						}
						if !yield(aoso.Block{Features: part, Labels: aoso.IntLabels(labels[first : first+50]), Weights: weights[first : first+50], RowIDs: ids}, nil) {
							return
						}
					}
				}
				d, err := aoso.NewDatasetFromBlocks(blocks, aoso.DatasetOptions{Collective: c})
				switch {
				case !fails && err != nil, fails && err == nil, fails && rank == 1 && !errors.Is(err, wrong):
					t.Errorf("%s, rank %d: %v", name, rank, err)
				case !fails:
					r, err := aoso.Train(t.Context(), d, p)
					if err != nil || r.Model.Fingerprint() != want {
						t.Errorf("%s, rank %d: another model, %v", name, rank, err)
					}
				}
			})
		}
		all.Wait()
	}
	var all sync.WaitGroup
	for rank, c := range aoso.NewLocalCollective(2) {
		all.Go(func() {
			d := blobs(5, 100, 3, 3, 20).slice(0, 100*(1-rank))
			if _, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Collective: c, MaxBin: 255 - 5*rank}); err == nil {
				t.Errorf("rank %d: no error", rank)
			}
		})
	}
	all.Wait()
}
