package acceptance

import (
	"math/bits"
	"testing"

	"github.com/libaoso/aoso"
)

// TestSymmetricModel: with any number of threads and at any level, a categorical symmetric model is the same. A split of categories sends
// one of them left, and no tree has more than max_leaves leaves.
func TestSymmetricModel(t *testing.T) {
	people, labels, _ := people(900)
	number, kind := make([]float64, len(labels)), make([]string, len(labels))
	people.Column(2, 0, number)
	for i, y := range labels {
		kind[i] = string("acbd"[(y+i%2)%4])
	}
	set, err := aoso.NewDataset(mustTable(t, []aoso.Column{aoso.Numbers(number), aoso.Texts(kind)}), aoso.IntLabels(labels))
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for i, level := range aoso.Levels() {
		r := train(t, set, defaults(func(p *aoso.Params) {
			p.GrowPolicy, p.NEstimators, p.MaxLeaves, p.MinSamplesLeaf, p.Level, p.NThread = "symmetric", 40, 50, 3, level, 1+i
		}), aoso.TrainOptions{})
		if want == "" {
			want = r.Model.Fingerprint()
		}
		if r.Model.Fingerprint() != want {
			t.Errorf("level %s: another model", level)
		}
		f, sets := forest(r.Model), 0
		for n := range f.Trees() {
			tree := f.Tree(n)
			for _, node := range tree.Nodes() {
				if set := node.Split().Set(); set != nil {
					sets++
					codes := 0
					for _, word := range set {
						codes += bits.OnesCount64(word)
					}
					if codes != 1 {
						t.Fatalf("tree %d sends %d categories left", n, codes)
					}
				}
			}
			if tree.NumLeaves() > 32 {
				t.Errorf("tree %d has %d leaves", n, tree.NumLeaves())
			}
		}
		if sets == 0 {
			t.Error("no split of categories")
		}
	}
}

// TestGrowPolicyLimits: what excludes symmetric trees is named, and ensembles then do without them.
func TestGrowPolicyLimits(t *testing.T) {
	d := gaussians(41, 200, 4, 3)
	set := newDataset(t, d)
	for text, change := range map[string]func(*aoso.Params){
		"method abc":              func(p *aoso.Params) { p.Method = aoso.MethodABC },
		"leaf pair":               func(p *aoso.Params) { p.Leaf = "pair" },
		"leaf sparse":             func(p *aoso.Params) { p.Leaf = "sparse" },
		"min_child_weight":        func(p *aoso.Params) { p.MinChildWeight = 1 },
		"monotone_constraints":    func(p *aoso.Params) { p.MonotoneConstraints = `{"0":[1,0,0]}` },
		"interaction_constraints": func(p *aoso.Params) { p.InteractionConstraints = "[[0,1]]" },
	} {
		for _, policy := range []string{"symmetric", "mixed"} {
			p := defaults(change, func(p *aoso.Params) { p.NEstimators, p.GrowPolicy = 2, policy })
			_, err := aoso.Train(t.Context(), set, p)
			wantArgumentError(t, err, "grow_policy", "lossguide", text)
		}
		p := defaults(change, func(p *aoso.Params) { p.NEstimators, p.Ensemble = 30, 1 })
		if got := train(t, set, p, aoso.TrainOptions{}).Model.Params().GrowPolicy; got != "lossguide" {
			t.Errorf("%s: grow_policy is %s", text, got)
		}
	}
	_, err := aoso.Train(t.Context(), set, defaults(func(p *aoso.Params) { p.GrowPolicy = "symmetric" }), aoso.TrainOptions{
		Objective: squares(set.Labels(), 3),
	})
	wantArgumentError(t, err, "grow_policy", "lossguide", "objective")
}
