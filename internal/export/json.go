package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/model"
)

func init() {
	register(Format{
		Name:    "json",
		Help:    "the whole model",
		Crosses: true,
		write:   func(w io.Writer, m *model.Model, _ int) error { return jsonModel(w, m) },
	})
	register(Format{
		Name:    "json_tree",
		Help:    "one tree of the format json",
		OneTree: true,
		Crosses: true,
		write:   func(w io.Writer, m *model.Model, tree int) error { return jsonTreeOf(w, m, m.Forest.Tree(tree)) },
	})
}

type jsonTree struct {
	Nodes  []jsonNode `json:"nodes"`
	Leaves []jsonLeaf `json:"leaves"`
}

type jsonNode struct {
	Feature    any         `json:"feature"` // its number, or a cross
	Threshold  any         `json:"threshold,omitzero"`
	Categories []int       `json:"categories,omitzero"` // in place of a threshold
	Unseen     string      `json:"unseen,omitzero"`
	Missing    string      `json:"missing"`
	Left       model.Child `json:"left"`
	Right      model.Child `json:"right"`
	Gain       float32     `json:"gain"`
	Rows       int         `json:"rows"`
	Pairs      [][]int     `json:"pairs"`
}

type jsonLeaf struct {
	Rows  int          `json:"rows"`
	Steps [][2]float64 `json:"steps"`
}

// jsonTerm is a term of linear scores.
type jsonTerm struct {
	Feature any       `json:"feature"`        // its number, or a cross
	Edges   []float64 `json:"edges,omitzero"` // of a categorical feature: none
	Places  []float64 `json:"places"`         // of a categorical feature: by category, and last for unlisted ones
	Weights []float64 `json:"weights"`
}

func jsonModel(w io.Writer, m *model.Model) error {
	out := bufio.NewWriter(w)
	head, err := json.Marshal(m.Header)
	if err != nil {
		return err
	}
	version, linear := 1, m.Forest.Linear()
	switch {
	case m.Crossed():
		version = 4
	case linear != nil:
		version = 3
	case m.Encoder != nil:
		version = 2
	}
	fmt.Fprintf(out, `{"format":"aoso-json","version":%d,%s`, version, head[1:len(head)-1])
	if m.Encoder != nil {
		categories, err := json.Marshal(m.Categories())
		if err != nil {
			return err
		}
		fmt.Fprintf(out, `,"categories":%s`, categories)
	}
	if linear != nil {
		if err := jsonLinear(out, m, linear); err != nil {
			return err
		}
	}
	out.WriteString(`,"trees":[`)
	separator := "\n"
	for _, t := range m.Forest.All() {
		out.WriteString(separator)
		if err := jsonTreeOf(out, m, t); err != nil {
			return err
		}
		separator = ",\n"
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

// jsonLinear writes linear scores, one term after the other.
func jsonLinear(out *bufio.Writer, m *model.Model, l *model.Linear) error {
	bias, err := json.Marshal(inFull(l.Bias()))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `,"linear":{"bias":%s,"terms":[`, bias)
	separator := "\n"
	for t := range l.Terms() {
		term, err := json.Marshal(newJSONTerm(m, l, t))
		if err != nil {
			return err
		}
		out.WriteString(separator)
		out.Write(term)
		separator = ",\n"
	}
	out.WriteString("\n]}")
	return nil
}

// jsonCross is a cross, in place of a feature.
type jsonCross struct {
	First     int    `json:"first"`
	Second    int    `json:"second"`
	Operation string `json:"operation"`
}

// jsonColumn returns the feature that a column encodes, or a cross.
func jsonColumn(m *model.Model, column int) any {
	if m.Encoder == nil {
		return column
	}
	if c, crossed := m.Encoder.Cross(column); crossed {
		operation := map[category.Op]string{category.Difference: "difference", category.Ratio: "ratio", category.Pair: "pair"}[c.Op]
		return jsonCross{c.First, c.Second, operation}
	}
	feature, _ := m.Encoder.Owner(column)
	return feature
}

func newJSONTerm(m *model.Model, l *model.Linear, term int) jsonTerm {
	column, places := l.Column(term), l.Places(term)
	j := jsonTerm{Feature: jsonColumn(m, column), Edges: append([]float64{}, l.Edges(term)...), Weights: inFull(l.Weights(term))}
	if feature, ok := j.Feature.(int); ok && m.Encoder != nil && m.Encoder.Features[feature].Categories != nil {
		j.Edges, places = nil, nil
		for _, v := range m.Encoder.Values(column) {
			places = append(places, l.Place(term, v))
		}
	}
	j.Places = inFull(places)
	return j
}

// inFull returns numbers that are written with all digits of a float64.
func inFull(numbers []float32) []float64 {
	all := make([]float64, len(numbers))
	for i, x := range numbers {
		all[i] = float64(x)
	}
	return all
}

// jsonTreeOf writes a tree of a model as in the list of all trees.
func jsonTreeOf(w io.Writer, m *model.Model, t model.Tree) error {
	tree := jsonTree{Nodes: []jsonNode{}}
	for _, n := range t.Nodes() {
		tree.Nodes = append(tree.Nodes, newJSONNode(m, n))
	}
	for _, leaf := range t.Leaves() {
		l := jsonLeaf{leaf.Rows(), [][2]float64{}}
		for k, v := range leaf.Scores() {
			l.Steps = append(l.Steps, [2]float64{float64(k), v})
		}
		tree.Leaves = append(tree.Leaves, l)
	}
	text, err := json.Marshal(tree)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

func newJSONNode(m *model.Model, n model.Node) jsonNode {
	split := n.Split()
	j := jsonNode{
		Feature: jsonColumn(m, int(split.Feature)), Missing: split.MissingSide(),
		Left: n.Left(), Right: n.Right(), Gain: n.Gain(), Rows: n.Rows(), Pairs: [][]int{},
	}
	if sides := m.Sides(split); sides != nil {
		j.Categories, j.Unseen = sides.Members(true), sides.UnseenSide()
	} else if threshold := split.Threshold(); math.IsInf(threshold, 1) { // the split is on missing values
		j.Threshold = (*float64)(nil)
	} else {
		j.Threshold = threshold
	}
	for r, s := range n.Pairs() {
		pair := []int{r}
		if s != model.Others {
			pair = append(pair, s)
		}
		j.Pairs = append(j.Pairs, pair)
	}
	return j
}
