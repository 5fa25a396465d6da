// Package densetest makes models whose files are as small as those of such models can be: all of what they have
// repeats. To read them and to predict with them takes most memory for each byte of the file.
package densetest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// kind is how a model is made: leaves of a kind, trees of a shape.
type kind struct {
	classes, features, trees, leaves int
	leaf                             string
	per                              int // pairs or classes of a leaf
	distinct                         bool
	rated                            bool // features
}

var kinds = map[string]kind{
	"stumps":        {classes: 2, features: 1, trees: 100_000, leaves: 2, leaf: "pair", per: 1},
	"leaf":          {classes: 2, features: 1, trees: 200_000, leaves: 1, leaf: "pair", per: 1},
	"sparse-leaf":   {classes: 40, features: 1, trees: 200_000, leaves: 1, leaf: "sparse", per: 1},
	"wide-leaf":     {classes: 65_534, features: 1, trees: 20_000, leaves: 1, leaf: "pair", per: 1},
	"wide-sparse":   {classes: 200_000, features: 1, trees: 20_000, leaves: 1, leaf: "sparse", per: 1},
	"nodes":         {classes: 2, features: 1, trees: 4, leaves: 65_536, leaf: "pair", per: 1, distinct: true},
	"spread":        {classes: 16, features: 1, trees: 200, leaves: 1000, leaf: "pair", per: 1},
	"full":          {classes: 500, features: 1, trees: 100, leaves: 100, leaf: "full"},
	"one-class":     {classes: 1, features: 1, trees: 400, leaves: 1000, leaf: "full"},
	"many-features": {classes: 2, features: 200_000, trees: 1, leaves: 2, leaf: "pair", per: 1},
	"many-classes":  {classes: 200_000, features: 1, trees: 1, leaves: 2, leaf: "sparse", per: 1},
	"rates":         {classes: 500, features: 500, trees: 1, leaves: 2, leaf: "pair", per: 1, rated: true},
}

// Names lists the models.
func Names() []string {
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New returns a model of the list.
func New(name string) *model.Model {
	k := kinds[name]
	h := model.Header{Method: model.AOSO, Leaf: k.leaf, Pairs: 1, TreesPerIteration: 1, Classes: numbered(k.classes), Features: numbered(k.features)}
	f := model.NewForest(k.classes, 1, k.leaf == "full")
	if k.leaf == "sparse" {
		h.LeafClasses = k.per
		f = model.NewSparseForest(k.classes, 1, k.per)
	}
	values := make([]float32, max(k.per, 1))
	if k.leaf == "full" {
		values = make([]float32, k.classes)
	}
	values[0] = 0.5
	pair := []kernel.Pair{{R: 0, S: int32(k.classes)}}
	if k.classes > 1 && k.leaf != "sparse" {
		pair[0].S = 1
	}
	ofLeaf := pair
	if k.leaf == "full" {
		ofLeaf = nil
	}
	for t := range k.trees {
		for n := range k.leaves - 1 { // a chain to the right
			threshold := float64(n)
			if k.distinct {
				threshold += float64(t * k.leaves)
			}
			right := model.Child(n + 1)
			if n == k.leaves-2 {
				right = model.LeafChild(n + 1)
			}
			f.AddNode(split(k, threshold), model.LeafChild(n), right, 1, pair)
		}
		for range k.leaves {
			f.AddLeaf(values, ofLeaf, 1)
		}
		f.EndTree()
	}
	return &model.Model{Header: h, Encoder: encoder(k), Forest: f, Params: json.RawMessage(params(k))}
}

func split(k kind, threshold float64) model.Split {
	if k.rated {
		return model.NumericSplit(k.features, threshold, true) // on the first rates
	}
	return model.NumericSplit(0, threshold, true)
}

// encoder has one category for each feature.
func encoder(k kind) *category.Encoder {
	if !k.rated {
		return nil
	}
	e := &category.Encoder{}
	const columns = 12
	weights, rates := make([][]float32, columns), make([][]float32, columns+1)
	for i := range weights {
		weights[i] = make([]float32, k.classes)
	}
	for i := range rates {
		rates[i] = []float32{0.5, 0.5}
	}
	for range k.features {
		e.Features = append(e.Features, category.Feature{Categories: []string{"a"}, Rated: true, Weights: weights, Rates: rates})
	}
	return e
}

func numbered(n int) []string {
	digits := int(math.Log10(float64(n))) + 1
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%0*d", digits, i)
	}
	return names
}

func params(k kind) string {
	return fmt.Sprintf(`{"method": "aoso", "leaf": %q, "pairs": 1%s}`, k.leaf, map[bool]string{true: `, "leaf_classes": 1`}[k.leaf == "sparse"])
}
