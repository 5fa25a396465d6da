package aoso

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
)

type jsonNode struct {
	Feature   int32    `json:"feature"`
	Threshold *float64 `json:"threshold"`
	Missing   string   `json:"missing"`
	Left      int32    `json:"left"`
	Right     int32    `json:"right"`
	Gain      float32  `json:"gain"`
	Rows      uint32   `json:"rows"`
	Pairs     [][]int  `json:"pairs"`
}

type jsonLeaf struct {
	Rows  uint32       `json:"rows"`
	Steps [][2]float64 `json:"steps"`
}

// WriteJSON writes the model as JSON:
//
//	{"format": "aoso-json", "version": 1,
//	 "method": "aoso", "leaf": "full", "pairs": 4, "trees_per_iteration": 1,
//	 "classes": ["A", …], "features": ["x.box", …],
//	 "trees": [
//	  {"nodes": [{"feature": 7, "threshold": 2.5, "missing": "right", "left": 1, "right": -1,
//	              "gain": 1043.2, "rows": 16000, "pairs": [[0, 11], [5, 14]]}, …],
//	   "leaves": [{"rows": 12, "steps": [[0, 0.31], [11, -0.31]]}, …]},
//	  …]}
//
// Features and classes are given by number from 0. A row begins at node 0, or
// at leaf 0 of a tree without nodes. At a node it goes left if its feature is
// below the threshold (null: whatever it is), or if it is missing and missing
// says so. left and right are a node or, below zero, −1 − a leaf. A leaf adds
// its steps to the scores of classes. A pair of one class parts it from all
// others. A model with a temperature has it as "temperature".
func (m *Model) WriteJSON(w io.Writer) error {
	out := bufio.NewWriter(w)
	head, err := json.Marshal(m.content())
	if err != nil {
		return err
	}
	out.WriteString(`{"format":"aoso-json","version":1,`)
	out.Write(head[1 : len(head)-1])
	out.WriteString(`,"trees":[`)
	for t := range m.Trees() {
		separator := ",\n"
		if t == 0 {
			separator = "\n"
		}
		out.WriteString(separator)
		if err := m.WriteTreeJSON(out, t); err != nil {
			return err
		}
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

// WriteTreeJSON writes a tree, counted from 0, as JSON: the element of "trees"
// that [Model.WriteJSON] writes.
func (m *Model) WriteTreeJSON(w io.Writer, tree int) error {
	if err := m.checkTree(tree); err != nil {
		return err
	}
	text, err := json.Marshal(m.jsonTree(tree))
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

func (m *Model) jsonTree(t int) any {
	var tree struct {
		Nodes  []jsonNode `json:"nodes"`
		Leaves []jsonLeaf `json:"leaves"`
	}
	f := m.forest
	tree.Nodes = []jsonNode{}
	for i := f.FirstNode[t]; i < f.FirstNode[t+1]; i++ {
		n := jsonNode{f.Feature[i], &f.Threshold[i], "right", f.Left[i], f.Right[i], f.Gain[i], f.NodeRows[i], [][]int{}}
		if f.MissingLeft[i] != 0 {
			n.Missing = "left"
		}
		if math.IsInf(f.Threshold[i], 1) { // the split is on what is missing
			n.Threshold = nil
		}
		pairs := realPairs(f.NodePairs[int(i)*2*f.Pairs:][:2*f.Pairs], f.Classes)
		for ; len(pairs) > 0; pairs = pairs[2:] {
			pair := []int{int(pairs[0])}
			if s := int(pairs[1]); s < f.Classes {
				pair = append(pair, s)
			}
			n.Pairs = append(n.Pairs, pair)
		}
		tree.Nodes = append(tree.Nodes, n)
	}
	for i := f.FirstLeaf[t]; i < f.FirstLeaf[t+1]; i++ {
		l := jsonLeaf{f.LeafRows[i], [][2]float64{}}
		for k, step := range f.LeafScores(int(i)) {
			l.Steps = append(l.Steps, [2]float64{float64(k), step})
		}
		tree.Leaves = append(tree.Leaves, l)
	}
	return tree
}
