package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/libaoso/aoso/internal/collective"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/par"
)

// draw draws rows with ties, weights, unknown classes and a class without rows.
func draw(r *rand.Rand, n, classes int) *Rows {
	t := &data.Target{Classes: make([]string, classes)}
	rows := &Rows{Target: t, Team: &par.Team{}}
	for range n {
		t.Labels = append(t.Labels, int32(r.IntN(classes))-1)
		t.Weights = append(t.Weights, float32(r.IntN(4))/3)
		sum := 0.0
		first := len(rows.Proba)
		for range classes {
			p := float64(1 + r.IntN(4))
			sum += p
			rows.Proba = append(rows.Proba, p)
		}
		for k := first; k < len(rows.Proba); k++ {
			rows.Proba[k] /= sum
			rows.Scores = append(rows.Scores, math.Log(rows.Proba[k]))
		}
	}
	return rows
}

// pick returns some of the rows.
func (r *Rows) pick(which []int) *Rows {
	picked := &Rows{Target: &data.Target{Classes: r.Classes}, Team: r.Team}
	for _, i := range which {
		picked.Labels = append(picked.Labels, r.Labels[i])
		picked.Weights = append(picked.Weights, r.Weights[i])
		picked.Proba = append(picked.Proba, r.proba(i)...)
		picked.Scores = append(picked.Scores, r.scores(i)...)
	}
	return picked
}

// slowAUC compares all pairs of rows.
func slowAUC(r *Rows, ovo, weighted bool) float64 {
	classes := r.classes()
	area := func(k int, among func(int) bool) (won, pairs float64) {
		for i, a := range r.Labels {
			for j, b := range r.Labels {
				if int(a) != k || int(b) == k || b < 0 || !among(int(b)) {
					continue
				}
				w := r.Weight(i) * r.Weight(j)
				pairs += w
				if p, q := r.proba(i)[k], r.proba(j)[k]; p > q {
					won += w
				} else if p == q {
					won += w / 2
				}
			}
		}
		return won, pairs
	}
	weight := make([]float64, classes)
	for i, y := range r.Labels {
		if y >= 0 {
			weight[y] += r.Weight(i)
		}
	}
	sum, total := 0.0, 0.0
	add := func(v, w float64) {
		if !weighted {
			w = 1
		}
		sum, total = sum+w*v, total+w
	}
	for a := range classes {
		if !ovo {
			if won, pairs := area(a, func(int) bool { return true }); pairs > 0 {
				add(won/pairs, weight[a])
			}
			continue
		}
		for b := range a {
			ab, pairs := area(a, func(k int) bool { return k == b })
			ba, _ := area(b, func(k int) bool { return k == a })
			if pairs > 0 {
				add((ab+ba)/pairs/2, weight[a]+weight[b])
			}
		}
	}
	return sum / total
}

func TestAUC(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 60 {
		r := draw(random, random.IntN(60)+10, 2+random.IntN(4))
		for name, want := range map[string]float64{
			"auc_ovr": slowAUC(r, false, false), "auc_ovr_weighted": slowAUC(r, false, true),
			"auc_ovo": slowAUC(r, true, false), "auc_ovo_weighted": slowAUC(r, true, true),
		} {
			if got := measured(t, name, r); math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
	}
}

func measured(t *testing.T, name string, r *Rows) float64 {
	t.Helper()
	m, err := Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return m.Of(r)
}

// TestPredicted works out small examples by hand.
func TestPredicted(t *testing.T) {
	r := &Rows{Target: &data.Target{Classes: []string{"a", "b", "c"}, Labels: []int32{0, 0, 1, 2, -1}}, Team: &par.Team{}}
	r.Scores = []float64{
		3, 1, 2, // right
		1, 2, 0, // a taken for b
		1, 1, 0, // b taken for a, which ties with it and comes first
		0, 1, 2, // right
		0, 0, 1, // unknown, taken for c
	}
	for name, want := range map[string]float64{
		"error@1": 3.0 / 5, "error@2": 1.0 / 5, "error@3": 1.0 / 5, "top_k_error": 1.0 / 5,
		"balanced_error": 1 - (0.5+0+1+0)/4,
		"f1_macro":       (2.0/4 + 0 + 2.0/3 + 0) / 4,
		"kappa":          (2.0/5 - (2*2+1*1+1*2)/25.0) / (1 - (2*2+1*1+1*2)/25.0),
	} {
		if got := measured(t, name, r); math.Abs(got-want) > 1e-15 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// TestOrderAndRanks: the order of the rows does not matter, nor which rank has them.
func TestOrderAndRanks(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	r := draw(random, 500, 4)
	for i := range r.Weights {
		r.Weights[i] = random.Float32()
	}
	team := par.NewTeam(3)
	defer team.Close()
	const ranks = 3
	mixed := r.pick(random.Perm(500))
	mixed.Team = team
	parts := make([]*Rows, ranks)
	for rank := range parts {
		var which []int
		for i := range 500 {
			if i%4 == rank || i%4 == 3 && rank == 0 {
				which = append(which, i)
			}
		}
		parts[rank] = r.pick(which)
	}
	for _, name := range append(Names(), "error@2") {
		want := measured(t, name, r)
		if math.IsNaN(want) {
			t.Errorf("%s is NaN", name)
		}
		if got := measured(t, name, mixed); got != want {
			t.Errorf("%s is %v in another order, want %v", name, got, want)
		}
		var all sync.WaitGroup
		for rank, c := range collective.NewLocal(ranks) {
			all.Go(func() {
				parts[rank].Ranks = collective.NewGroup(c)
				if got := measured(t, name, parts[rank]); got != want {
					t.Errorf("%s is %v on rank %d, want %v", name, got, rank, want)
				}
			})
		}
		all.Wait()
	}
}

func TestParse(t *testing.T) {
	for _, name := range []string{"", "auc", "error@", "error@0", "error@x", "logloss"} {
		if _, err := Parse(name); err == nil {
			t.Errorf("%q is a metric", name)
		}
	}
	if !slices.Contains(Names(), "kappa") {
		t.Error(Names())
	}
}
