package aoso

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/tree"
)

// forge is the file, its checksums right, of a model that was changed.
func forge(t testing.TB, m *Model, change func(h *header, f *tree.Forest)) []byte {
	t.Helper()
	c := *m
	c.forest = m.forest.Clone()
	h := header{c.content(), c.Trees(), fileParams(c.params)}
	h.Classes, h.Features = append([]string(nil), h.Classes...), append([]string(nil), h.Features...)
	change(&h, c.forest)
	var b bytes.Buffer
	if _, err := c.writer(h).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestForgedModels: whatever a hostile writer puts into a model is found, and
// named.
func TestForgedModels(t *testing.T) {
	d := blobs(90, 200, 3, 4, 255).punch(90, 0.05)
	full := fit(t, d, params(func(p *Params) { p.Trees, p.Pairs = 4, 2 })).Model
	pair := fit(t, d, params(func(p *Params) { p.Trees, p.Method = 6, ABC })).Model
	nan := float32(math.NaN())
	for _, test := range []struct {
		want   string
		m      *Model
		change func(h *header, f *tree.Forest)
	}{
		{`method is "gbdt"`, full, func(h *header, _ *tree.Forest) { h.Method = "gbdt" }},
		{`leaf is "full" for method abc`, pair, func(h *header, _ *tree.Forest) { h.Leaf = "full" }},
		{"pairs is 3", full, func(h *header, _ *tree.Forest) { h.Pairs = 3 }},
		{"pairs is 2 for method abc", pair, func(h *header, _ *tree.Forest) { h.Pairs = 2 }},
		{"trees_per_iteration is 2 in place of 1", full, func(h *header, _ *tree.Forest) { h.TreesPerIteration = 2 }},
		{"trees_per_iteration is 4 in place of 3", pair, func(h *header, _ *tree.Forest) { h.TreesPerIteration = 4 }},
		{"trees is 5, there are 4", full, func(h *header, _ *tree.Forest) { h.Trees = 5 }},
		{"there are 0 classes", full, func(h *header, _ *tree.Forest) { h.Classes = nil }},
		{`"1" is among the classes twice`, full, func(h *header, _ *tree.Forest) { h.Classes[3] = "1" }},
		{`"" is among the classes`, full, func(h *header, _ *tree.Forest) { h.Classes[0] = "" }},
		{"there are no features", full, func(h *header, _ *tree.Forest) { h.Features = nil }},
		{"feature 2 of 2", full, func(h *header, f *tree.Forest) { f.Feature[1], h.Features = 2, h.Features[:2] }},
		{"temperature is 65", full, func(h *header, _ *tree.Forest) { h.Temperature = 65 }},
		{"temperature is -1", full, func(h *header, _ *tree.Forest) { h.Temperature = -1 }},
		{`parameters are those of method "abc"`, full, func(h *header, _ *tree.Forest) { h.Params.Method = ABC }},
		{"the parameter Leaves is -7", full, func(h *header, _ *tree.Forest) { h.Params.Leaves = -7 }},
		{"the parameter Trim is -0.5", full, func(h *header, _ *tree.Forest) { h.Params.Trim = -0.5 }},
		{`the parameter Metric is "\x1b[2J"`, full, func(h *header, _ *tree.Forest) { h.Params.Metric = "\x1b[2J" }},
		{"node 2 has gain NaN", full, func(_ *header, f *tree.Forest) { f.Gain[2] = nan }},
		{"node 2 has gain +Inf", full, func(_ *header, f *tree.Forest) { f.Gain[2] = float32(math.Inf(1)) }},
		{"node 2 has gain -1", full, func(_ *header, f *tree.Forest) { f.Gain[2] = -1 }},
		{"node 1 has threshold NaN", full, func(_ *header, f *tree.Forest) { f.Threshold[1] = math.NaN() }},
		{"node 1 has threshold -Inf", full, func(_ *header, f *tree.Forest) { f.Threshold[1] = math.Inf(-1) }},
		{"node 1 has feature -1 of 3", full, func(_ *header, f *tree.Forest) { f.Feature[1] = -1 }},
		{"node 0 has missing_left 2", full, func(_ *header, f *tree.Forest) { f.MissingLeft[0] = 2 }},
		{"leaf 1 has step NaN", full, func(_ *header, f *tree.Forest) { f.Steps[5] = nan }},
		{"leaf 5 has step -Inf", pair, func(_ *header, f *tree.Forest) { f.Steps[5] = float32(math.Inf(-1)) }},
		{"the nodes of tree 0", full, func(_ *header, f *tree.Forest) { f.Left[0] = 0 }},
		{"rows of a node of tree 0", full, func(_ *header, f *tree.Forest) { f.NodeRows[0]++ }},
		{"rows of a node of tree 0", full, func(_ *header, f *tree.Forest) { f.LeafRows[0] += 3 }},
		{"tree 0 has", full, func(_ *header, f *tree.Forest) { f.FirstLeaf[1]++ }},
		{"tree 0 has", full, func(_ *header, f *tree.Forest) { f.FirstNode[1], f.FirstLeaf[1] = 1<<31, 1<<31+1 }},
		{"first_node and first_leaf", full, func(_ *header, f *tree.Forest) { f.FirstNode[0] = 1 }},
		{"gain has", full, func(_ *header, f *tree.Forest) { f.Gain = f.Gain[1:] }},
		{"leaf_pairs has 2 numbers in place of 0", full, func(_ *header, f *tree.Forest) { f.LeafPairs = []uint16{0, 1} }},
		{"node 0 has classes", full, func(_ *header, f *tree.Forest) { f.NodePairs[0] = f.NodePairs[1] }},
		{"node 0 has classes", full, func(_ *header, f *tree.Forest) { f.NodePairs[0], f.NodePairs[1] = 4, 0 }},
		{"leaf 2 has classes", pair, func(_ *header, f *tree.Forest) { f.LeafPairs[4], f.LeafPairs[5] = 1, 1 }},
		{"leaf 0 has classes", pair, func(_ *header, f *tree.Forest) { f.LeafPairs[0], f.LeafPairs[1] = math.MaxUint16, 3 }},
	} {
		m, err := Decode(forge(t, test.m, test.change))
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), test.want) || m != nil {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	// What was put there and is none of the model's is left out.
	m, err := Decode(forge(t, full, func(h *header, _ *tree.Forest) { h.Params.Threads, h.Params.Level = 1e9, "mmx" }))
	if err != nil || m.Params().Threads != 0 || m.Params().Level != "" {
		t.Error(m, err)
	}
}

// TestForgedDatasets is TestForgedModels for datasets.
func TestForgedDatasets(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(d *Dataset)
	}{
		{"60 rows have 59 labels", func(d *Dataset) { d.labels = d.labels[1:] }},
		{"features have", func(d *Dataset) { d.names = d.names[1:] }},
		{`"0" is among the classes twice`, func(d *Dataset) { d.classes[1] = "0" }},
		{`"" is among the classes`, func(d *Dataset) { d.classes[1] = "" }},
		{"there are 0 classes", func(d *Dataset) { d.classes = nil }},
		{"row 3 has label 4 of 4", func(d *Dataset) { d.labels[3] = 4 }},
		{"row 3 has label -2", func(d *Dataset) { d.labels[3] = -2 }},
		{"60 rows have 10 weights", func(d *Dataset) { d.weights = d.weights[:10] }},
		{"row 0 has weight NaN", func(d *Dataset) { d.weights[0] = float32(math.NaN()) }},
		{"row 1 has weight -1", func(d *Dataset) { d.weights[1] = -1 }},
		{"all weights are 0", func(d *Dataset) { clear(d.weights) }},
		{"bins of feature 0 do not rise", func(d *Dataset) { d.mapper.Features[0].Edges[2] = math.NaN() }},
		{"bins of feature 1 do not rise", func(d *Dataset) { f := d.mapper.Features[1].Lower; f[1], f[2] = f[2], f[1] }},
		{"bins of feature 1 do not rise", func(d *Dataset) { d.mapper.Features[1].Upper[0] = math.Inf(1) }},
		{"missing, lower, upper and edges", func(d *Dataset) { f := &d.mapper.Features[0]; f.Upper = f.Upper[1:] }},
		{"its codes", func(d *Dataset) { d.matrix.Codes()[7] = 255 }},
	} {
		set := newDataset(t, mixed(91, 60).weighted(91))
		test.change(set)
		d, err := decodeDataset(mem.Of(encodeDataset(t, set)))
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), test.want) || d != nil {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// FuzzForged changes single numbers of models to the ones most likely to do
// harm, with checksums that are right: what is taken must do no harm.
func FuzzForged(f *testing.F) {
	var models []*Model
	for _, file := range smallFiles(f) {
		m, err := Decode(file)
		if err != nil {
			f.Fatal(err)
		}
		models = append(models, m)
	}
	for i := range models {
		f.Add(uint8(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, model uint8, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 92))
		data := forge(t, models[int(model)%len(models)], func(h *header, f *tree.Forest) {
			for range 1 + r.IntN(2) {
				spoil(r, h, f)
			}
		})
		m, err := Decode(data)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Error(err)
			}
			return
		}
		use(t, m)
		if again, err := Decode(encode(t, m)); err != nil || again.Fingerprint() != m.Fingerprint() {
			t.Errorf("saved and loaded again: %v", err)
		}
	})
}

// spoil changes a number of a model.
func spoil(r *rand.Rand, h *header, f *tree.Forest) {
	pick := func(n int) int { return r.IntN(max(n, 1)) }
	integers := []int{-1, 0, 1, 2, 3, math.MaxInt16, math.MaxInt32, math.MinInt32, r.IntN(10)}
	floats := []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, -math.MaxFloat64, math.SmallestNonzeroFloat64}
	i, v := integers[r.IntN(len(integers))], floats[r.IntN(len(floats))]
	switch k := r.IntN(16); {
	case k == 0:
		h.Method = []string{AOSO, ABC, LogitBoost, ""}[r.IntN(4)]
	case k == 1:
		h.Leaf = []string{"full", "pair", ""}[r.IntN(3)]
	case k == 2:
		h.Pairs, f.Pairs = i, max(i&15, 1)
	case k == 3:
		h.TreesPerIteration = i
	case k == 4:
		h.Classes = append(h.Classes, h.Classes[pick(len(h.Classes))]+strings.Repeat("x", r.IntN(2)))[r.IntN(2):]
	case k == 5:
		h.Features = append(h.Features, "new")[r.IntN(3):]
	case k == 6:
		h.Trees = i
	case len(f.Feature) == 0:
		f.Steps[pick(len(f.Steps))] = float32(v)
	default:
		n := pick(len(f.Feature))
		switch k {
		case 7:
			f.Feature[n] = int32(i)
		case 8:
			f.Threshold[n] = v
		case 9:
			f.Gain[n] = float32(v)
		case 10:
			f.Left[n] = int32(i)
		case 11:
			f.Right[n] = ^int32(i)
		case 12:
			f.NodePairs[pick(len(f.NodePairs))] = uint16(i)
		case 13:
			f.NodeRows[n] = uint32(i)
		case 14:
			f.FirstNode[pick(len(f.FirstNode))] = uint32(i)
		case 15:
			f.Steps[pick(len(f.Steps))] = float32(v)
		}
	}
}
