package tree

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/libaoso/aoso/internal/loss"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/kernel"
	"github.com/libaoso/aoso/tools/cases"
)

// TestFewHistograms limits the memory for histograms, so that open nodes lose theirs.
func TestFewHistograms(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and one thread has no races")
	}
	for _, classes := range []int{2, 6} {
		p := newProblem(t, 25, problemOptions{rows: 1500, classes: classes, missing: true, sparse: 9})
		for _, most := range []int{0, 1, 2, 3, 1000} {
			for _, selection := range []loss.Selection{loss.SecondOrder, loss.Root} {
				t.Run(fmt.Sprint(classes, most, selection), func(t *testing.T) {
					rows := NewPartition(p.matrix.Rows)
					rows.Fill(p.matrix.Rows)
					params := Params{Leaves: 12, MinSamples: 5, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}, Pairs: 1, Selection: selection}
					g := NewGrower(kernel.Generic, p.bins(), p.residuals, params, rows, par.NewTeam(1), nil)
					g.Grow(p.columns(), nil, 0)
					if g.pool.out != 0 {
						t.Errorf("%d histograms are not given back", g.pool.out)
					}
					g.pool.most = most
					rows.Fill(p.matrix.Rows)
					tree, segments := g.Grow(p.columns(), nil, 0)
					c := &checker{t: t, problem: p, params: params, tree: tree}
					c.check(rows, segments)
					if g.pool.out != 0 {
						t.Errorf("%d histograms are not given back", g.pool.out)
					}
				})
			}
		}
	}
}

// TestGrow grows trees of every kind and then computes, by brute force and in
// float64, what every node should hold.
func TestGrow(t *testing.T) {
	newton := loss.Newton{Shrinkage: 0.1, MaxStep: 5}
	base := Params{Leaves: 12, MinSamples: 1, Newton: newton, Pairs: 1}
	with := func(change func(*Params)) Params {
		p := base
		change(&p)
		return p
	}
	trees := []struct {
		name   string
		params Params
		fixed  func(classes int) []kernel.Pair
	}{
		{"paper", base, nil},
		{"first order", with(func(p *Params) { p.Selection = loss.FirstOrder }), nil},
		{"root", with(func(p *Params) { p.Selection = loss.Root }), nil},
		{"full leaf, 2 pairs", with(func(p *Params) { p.FullLeaf, p.Pairs = true, 2 }), nil},
		{"full leaf, 4 pairs", with(func(p *Params) { p.FullLeaf, p.Pairs = true, 4 }), nil},
		{"pair leaf, 8 pairs", with(func(p *Params) { p.Pairs = 8 }), nil},
		{"full root, 4 pairs", with(func(p *Params) { p.FullLeaf, p.Pairs, p.Selection = true, 4, loss.Root }), nil},
		{"base class", base, func(int) []kernel.Pair { return []kernel.Pair{{R: 1, S: 0}} }},
		{"one class", base, func(classes int) []kernel.Pair { return []kernel.Pair{{R: 1, S: int32(classes)}} }},
	}
	bounds := []struct {
		name   string
		change func(*Params)
	}{
		{"free", func(*Params) {}},
		{"min samples", func(p *Params) { p.MinSamples = 60 }},
		{"min Hessian, L2, depth", func(p *Params) { p.MinHessian, p.Newton.L2, p.MaxDepth = 9, 3, 3 }},
		{"min gain", func(p *Params) { p.MinGain, p.Leaves = 4, 200 }},
	}
	problems := []struct {
		name    string
		options problemOptions
	}{
		{"plain", problemOptions{rows: 1500, classes: 9}},
		{"missing", problemOptions{rows: 1500, classes: 6, missing: true}},
		{"weights, missing, sparse", problemOptions{rows: 1500, classes: 20, missing: true, weights: true, sparse: 11}},
		{"binary", problemOptions{rows: 1500, classes: 2, missing: true, sparse: 11}},
		{"wide", problemOptions{rows: 150_000, classes: 3, missing: true, sparse: 4}},
		{"wide binary", problemOptions{rows: 150_000, classes: 2, weights: true, sparse: 4}},
	}
	every := 12
	switch {
	case cases.Long():
		every = 3
	case testing.Short():
		every = 36
	}
	for i, data := range problems {
		p := newProblem(t, uint64(i), data.options)
		wide := data.options.rows > kernel.SpillRows
		for j, b := range bounds {
			for k, tree := range trees {
				if wide && (j+k)%every > 0 || testing.Short() && (i+j+k)%3 > 0 {
					continue // takes long
				}
				t.Run(data.name+"/"+b.name+"/"+tree.name, func(t *testing.T) {
					params := tree.params
					b.change(&params)
					var fixed []kernel.Pair
					if tree.fixed != nil {
						fixed = tree.fixed(data.options.classes)
					}
					got, rows, segments := p.grow(params, fixed, 1+(j+k)%3)
					c := &checker{t: t, problem: p, params: params, fixed: fixed, tree: got}
					c.check(rows, segments)
				})
			}
		}
	}
}

// TestGrowerAgain: a grower that has grown other trees grows the same ones.
func TestGrowerAgain(t *testing.T) {
	p := newProblem(t, 20, problemOptions{rows: 3000, classes: 5, missing: true, sparse: 5})
	rows := NewPartition(p.matrix.Rows)
	rows.Fill(p.matrix.Rows)
	team := par.NewTeam(2)
	defer team.Close()
	params := Params{Leaves: 9, MinSamples: 3, Newton: loss.Newton{Shrinkage: 0.1, MaxStep: 5}, Pairs: 1, Trim: 0.1}
	g := NewGrower(kernel.Generic, p.bins(), p.residuals, params, rows, team, nil)
	pair := []kernel.Pair{{R: 2, S: 0}}
	some := []int{0, 2, 4, 6}
	grow := func(columns []int, fixed []kernel.Pair) string {
		rows.Fill(p.matrix.Rows)
		tree, segments := g.Grow(columns, fixed, 1)
		return fmt.Sprint(*tree, segments)
	}
	first := []string{grow(p.columns(), nil), grow(p.columns(), pair), grow(some, nil), grow(some, pair)}
	again := []string{grow(p.columns(), nil), grow(p.columns(), pair), grow(some, nil), grow(some, pair)}
	if !slices.Equal(first, again) {
		t.Error("the second time the trees are others")
	}
	if slices.Sort(first); len(slices.Compact(first)) != 4 {
		t.Error("four tasks have less than four trees")
	}
}

// TestLookAhead: nodes that are expanded before their turn make the same tree, and
// leave the rows of those whose turn never came in order.
func TestLookAhead(t *testing.T) {
	p := newProblem(t, 23, problemOptions{rows: 2000, classes: 7, missing: true, sparse: 5})
	for _, params := range []Params{
		{Leaves: 100, MinSamples: 1, FullLeaf: true, Pairs: 2},
		{Leaves: 61, MinSamples: 5, Pairs: 2, Trim: 0.1},
		{Leaves: 300, MinSamples: 3, FullLeaf: true, Pairs: 4, MaxDepth: 7},
		{Leaves: 40, MinSamples: 1, FullLeaf: true, Pairs: 2, NodeColumns: 3},
		{Leaves: 40, MinSamples: 1, FullLeaf: true, Pairs: 2, Selection: loss.Root},
		{Leaves: 100, MinSamples: 2, FullLeaf: true, Pairs: 1},
		{Leaves: 60, MinSamples: 1, Pairs: 1, Trim: 0.1},
		{Leaves: 60, MinSamples: 1, Pairs: 1, NodeColumns: 3},
	} {
		params.Newton = loss.Newton{Shrinkage: 0.1, MaxStep: 5}
		tree, rows, segments := p.grow(params, nil, 1)
		if len(tree.Leaves) < params.Leaves && params.MaxDepth == 0 {
			t.Errorf("%d leaves, want %d", len(tree.Leaves), params.Leaves)
		}
		for _, s := range segments {
			if !slices.IsSorted(s.Rows) {
				t.Errorf("the rows of leaf %d are not in order", s.Leaf)
			}
		}
		for threads := 2; threads <= 5; threads++ {
			other, otherRows, otherSegments := p.grow(params, nil, threads)
			if !reflect.DeepEqual(tree, other) || !reflect.DeepEqual(segments, otherSegments) || !slices.Equal(rows.Rows, otherRows.Rows) {
				t.Errorf("%+v: %d threads grow another tree", params, threads)
			}
		}
	}
}

// TestTrimWeights checks that a row of weight k is trimmed where k copies are.
func TestTrimWeights(t *testing.T) {
	p := newProblem(t, 22, problemOptions{rows: 3000, classes: 3})
	r := rand.New(rand.NewPCG(22, 6))
	weights := make([]float32, 3000)
	var once, copies []uint32
	for i := range weights {
		weights[i] = float32(r.IntN(5))
		if weights[i] == 0 {
			continue
		}
		once = append(once, uint32(i))
		for range int(weights[i]) {
			copies = append(copies, uint32(i))
		}
	}
	team := par.NewTeam(1)
	defer team.Close()
	kept := func(rows []uint32, weights []float32) []uint32 {
		p.residuals.Weights = weights
		g := newEvaluator(kernel.Generic, p.bins(), p.residuals, &Params{Pairs: 2}, newGradientBuffer(len(rows), 2), team).gradients
		g.bind(0, len(rows))
		stats := g.compute(rows, []kernel.Pair{{R: 0, S: 1}, {R: 2, S: 3}}, team)
		g.quantize(rows, g.newQuanta(&stats, 1.5, p.residuals.SumWeights(rows)), team)
		rows, _ = g.packed()
		return rows
	}
	got, want := kept(once, weights), slices.Compact(kept(copies, nil))
	if len(want) < 100 || len(once)-len(want) < 100 {
		t.Fatalf("%d rows of %d kept", len(want), len(once))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d rows kept by weights, %d by copies, not the same", len(got), len(want))
	}
}
