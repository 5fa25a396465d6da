package aoso

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/libaoso/aoso/internal/terminal"
)

// Dump writes the first trees (0: all) as text, a line a node, with the class
// pairs that each node tells apart:
//
//	tree 0
//	  x.ege < 2.5  [A|L F|O]  gain 1043.2  rows 16000
//	    yes: …
//
// In names, characters that do not print are escaped, as in \x1b.
func (m *Model) Dump(w io.Writer, trees int) error {
	if trees < 0 || trees > m.Trees() {
		return badArgument("trees", trees, "0 to %d, the trees of the model", m.Trees())
	}
	if trees == 0 {
		trees = m.Trees()
	}
	out := bufio.NewWriter(w)
	for t := range trees {
		fmt.Fprintf(out, "tree %d\n", t)
		m.dumpNode(out, t, m.root(t), 1)
	}
	return out.Flush()
}

func (m *Model) root(tree int) int32 {
	if m.Leaves(tree) == 1 {
		return ^int32(0)
	}
	return 0
}

func (m *Model) dumpNode(out *bufio.Writer, tree int, child int32, depth int) {
	f := m.forest
	out.WriteString(strings.Repeat("  ", depth))
	if child < 0 {
		m.dumpLeaf(out, int(f.FirstLeaf[tree])+int(^child))
		return
	}
	i := int(f.FirstNode[tree]) + int(child)
	missing := "right"
	if f.MissingLeft[i] != 0 {
		missing = "left"
	}
	fmt.Fprintf(out, "%s < %v  [%s]  missing %s  gain %.6g  rows %d\n", terminal.Plain(m.names[f.Feature[i]]), f.Threshold[i],
		m.pairNames(f.NodePairs[i*2*f.Pairs:][:2*f.Pairs]), missing, f.Gain[i], f.NodeRows[i])
	m.dumpNode(out, tree, f.Left[i], depth+1)
	m.dumpNode(out, tree, f.Right[i], depth+1)
}

func (m *Model) dumpLeaf(out *bufio.Writer, i int) {
	f := m.forest
	n := f.StepsPerLeaf()
	out.WriteString("leaf")
	for k, step := range f.Steps[i*n:][:n] {
		if f.Full {
			fmt.Fprintf(out, "  %s %+.6g", terminal.Plain(m.classes[k]), step)
		} else if pair := realPairs(f.LeafPairs[(i*n+k)*2:][:2], f.Classes); len(pair) > 0 {
			fmt.Fprintf(out, "  %s %+.6g", m.pairNames(pair), step)
		}
	}
	fmt.Fprintf(out, "  rows %d\n", f.LeafRows[i])
}

// pairNames is pairs as r|s, a single class as r alone, for a terminal.
func (m *Model) pairNames(pairs []uint16) string {
	var names []string
	for pairs = realPairs(pairs, len(m.classes)); len(pairs) > 0; pairs = pairs[2:] {
		name := m.classes[pairs[0]]
		if int(pairs[1]) < len(m.classes) {
			name += "|" + m.classes[pairs[1]]
		}
		names = append(names, name)
	}
	return terminal.Plain(strings.Join(names, " "))
}
