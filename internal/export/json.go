package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/libaoso/aoso/internal/model"
)

func init() {
	register(Format{
		Name:  "json",
		Help:  "the whole model",
		write: func(w io.Writer, m *model.Model, _ int) error { return jsonModel(w, m) },
	})
}

type jsonTree struct {
	Nodes  []jsonNode `json:"nodes"`
	Leaves []jsonLeaf `json:"leaves"`
}

type jsonNode struct {
	Feature    int         `json:"feature"`
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

func jsonModel(w io.Writer, m *model.Model) error {
	out := bufio.NewWriter(w)
	head, err := json.Marshal(m.Header)
	if err != nil {
		return err
	}
	version := 1
	if m.Encoder != nil {
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
	out.WriteString(`,"trees":[`)
	separator := "\n"
	for _, t := range m.Forest.All() {
		out.WriteString(separator)
		if err := TreeJSON(out, m, t); err != nil {
			return err
		}
		separator = ",\n"
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

// TreeJSON writes a tree of a model as JSON, as it is among all trees.
func TreeJSON(w io.Writer, m *model.Model, t model.Tree) error {
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
		Feature: int(split.Feature), Missing: split.MissingSide(),
		Left: n.Left(), Right: n.Right(), Gain: n.Gain(), Rows: n.Rows(), Pairs: [][]int{},
	}
	if sides := m.Sides(split); sides != nil {
		j.Feature, j.Categories, j.Unseen = sides.Feature, sides.Members(true), sides.UnseenSide()
	} else if threshold := split.Threshold(); math.IsInf(threshold, 1) { // the split is on what is missing
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
