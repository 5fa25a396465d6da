package acceptance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/libaoso/aoso"
)

// codedTable has a column that is a code, one that is a measure, one with a fraction, one of two values, and one of texts.
func codedTable(t *testing.T, rows int) (aoso.Features, aoso.Labels) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 0))
	job, age, size, flag := make([]int64, rows), make([]int, rows), make([]float64, rows), make([]int, rows)
	town, y := make([]string, rows), make([]int, rows)
	var skilled [60]int
	for k := range skilled {
		skilled[k] = r.IntN(2)
	}
	for i := range rows {
		job[i], age[i], size[i], flag[i] = int64(r.IntN(60)), 18+r.IntN(42), r.NormFloat64(), r.IntN(2)
		town[i] = string(rune('a' + r.IntN(5)))
		if y[i] = skilled[job[i]]; age[i] > 58 {
			y[i] = 1 - y[i]
		}
	}
	x, err := aoso.NewTable(aoso.Numbers(job), aoso.Numbers(age), aoso.Numbers(size), aoso.Numbers(flag), aoso.Texts(town))
	if err != nil {
		t.Fatal(err)
	}
	return x, aoso.IntLabels(y)
}

func TestSuggestCodes(t *testing.T) {
	const rows = 900
	x, y := codedTable(t, rows)
	suggest := func(o aoso.DatasetOptions) (text string, gains [][2]float64) {
		found, err := o.SuggestCodes(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found {
			text += fmt.Sprint(s.Feature, " ", s.Values, " ", s.Suggested, "; ")
			gains = append(gains, [2]float64{s.Gain, s.Error})
		}
		return text, gains
	}
	text, gains := suggest(aoso.DatasetOptions{})
	if text != "0 60 true; 1 42 false; " || gains[0][0] < 2*gains[0][1] || gains[0][1] <= 0 || gains[1][0] > 0 {
		t.Fatalf("%s %v", text, gains)
	}
	if again, same := suggest(aoso.DatasetOptions{NThread: 1}); again != text || !reflect.DeepEqual(gains, same) {
		t.Errorf("with one thread %s %v", again, same)
	}
	if known, _ := suggest(aoso.DatasetOptions{Categorical: []int{0}}); known != "1 42 false; " {
		t.Errorf("with a column that is known: %s", known)
	}
	weights := make([]float64, rows) // of zero: the rows count for nothing
	for i := range weights[:rows*2/3] {
		weights[i] = 2
	}
	if of, gains := suggest(aoso.DatasetOptions{Weights: weights}); of != text || math.IsNaN(gains[0][1]) {
		t.Errorf("with weights: %s %v", of, gains)
	}
}

func TestSuggestCodesRefuses(t *testing.T) {
	x, y := codedTable(t, 600)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (aoso.DatasetOptions{}).SuggestCodes(ctx, x, y); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_, err := aoso.DatasetOptions{}.SuggestCodes(context.Background(), x, y[1:])
	wantArgumentError(t, err, "labels", "600, one for each row")
	_, err = aoso.DatasetOptions{Collective: aoso.NewLocalCollective(2)[0]}.SuggestCodes(context.Background(), x, y)
	wantArgumentError(t, err, "collective", "nil")
	if found, err := (aoso.DatasetOptions{}).SuggestCodes(context.Background(), aoso.RowMajor([]float64{1, math.NaN(), math.Inf(1)}, 3, 1), y[:3]); err != nil || found != nil {
		t.Errorf("three rows: %v, %v", found, err)
	}
}
