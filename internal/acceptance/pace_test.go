package acceptance

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libaoso/aoso"
)

// slow is a rank whose calls take longer.
type slow struct {
	aoso.Collective
	delay time.Duration
}

func (s slow) AllReduce(op aoso.CollectiveOp, v []int64) error {
	time.Sleep(s.delay)
	return s.Collective.AllReduce(op, v)
}

// TestSlowRanks: ranks that wait for messages for longer than they compute say so, once, on rank 0.
func TestSlowRanks(t *testing.T) {
	const size = 2
	x, y := []float32{}, []int{}
	for i := range 200 {
		x, y = append(x, float32(i%13), float32(i%7)), append(y, i%13/5)
	}
	heard := make([][]string, size)
	var all sync.WaitGroup
	for rank, c := range aoso.NewLocalCollective(size) {
		all.Go(func() {
			o := aoso.DatasetOptions{Collective: slow{c, 2 * time.Millisecond}, NThread: 1}
			train, err := aoso.NewDataset(aoso.RowMajor(x[200*rank:][:200], 100, 2), aoso.IntLabels(y[100*rank:][:100]), o)
			if err != nil {
				t.Error(err)
				return
			}
			p := aoso.DefaultParams()
			p.Preset, p.NThread = aoso.PresetPaper, 1
			warned := func(err error) { heard[rank] = append(heard[rank], err.Error()) }
			stop := func(aoso.Progress) bool { return len(heard[rank]) == 0 }
			if _, err := aoso.Train(context.Background(), train, p, aoso.TrainOptions{Warn: warned, Callback: stop}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(heard[0]) != 1 || len(heard[1]) > 0 || !strings.Contains(heard[0][0], "2 ranks took") {
		t.Errorf("%q", heard)
	}
}
