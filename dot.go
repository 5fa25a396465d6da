package aoso

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// WriteDOT writes a tree, counted from 0, for Graphviz (dot -Tsvg): at each
// node the class pairs that it tells apart, at each leaf the classes that it
// moves most.
func (m *Model) WriteDOT(w io.Writer, tree int) error {
	if err := m.checkTree(tree); err != nil {
		return err
	}
	f, out := m.forest, bufio.NewWriter(w)
	fmt.Fprintf(out, "digraph tree%d {\n  node [shape=box]\n", tree)
	for i := int(f.FirstNode[tree]); i < int(f.FirstNode[tree+1]); i++ {
		name := dotName(int32(i - int(f.FirstNode[tree])))
		fmt.Fprintf(out, "  %s [label=%s]\n", name, dotLabel(
			fmt.Sprintf("%s < %v", m.names[f.Feature[i]], f.Threshold[i]),
			m.pairNames(f.NodePairs[i*2*f.Pairs:][:2*f.Pairs]),
			fmt.Sprintf("gain %.6g", f.Gain[i]),
			fmt.Sprintf("rows %d", f.NodeRows[i])))
		yes, no := "yes", "no, missing"
		if f.MissingLeft[i] != 0 {
			yes, no = "yes, missing", "no"
		}
		fmt.Fprintf(out, "  %s -> %s [label=%q]\n", name, dotName(f.Left[i]), yes)
		fmt.Fprintf(out, "  %s -> %s [label=%q]\n", name, dotName(f.Right[i]), no)
	}
	for i := int(f.FirstLeaf[tree]); i < int(f.FirstLeaf[tree+1]); i++ {
		lines := append(m.greatestSteps(i), fmt.Sprintf("rows %d", f.LeafRows[i]))
		fmt.Fprintf(out, "  %s [label=%s style=rounded]\n", dotName(^int32(i-int(f.FirstLeaf[tree]))), dotLabel(lines...))
	}
	out.WriteString("}\n")
	return out.Flush()
}

func dotName(child int32) string {
	if child < 0 {
		return fmt.Sprintf("leaf%d", ^child)
	}
	return fmt.Sprintf("node%d", child)
}

// dotLabel is lines as a string of DOT.
func dotLabel(lines ...string) string {
	text := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(strings.Join(lines, "\x00"))
	return `"` + strings.ReplaceAll(text, "\x00", `\n`) + `"`
}

// greatestSteps is the classes that a leaf moves most, and how far.
func (m *Model) greatestSteps(leaf int) (lines []string) {
	type step struct {
		class int
		value float64
	}
	var steps []step
	for k, v := range m.forest.LeafScores(leaf) {
		if v != 0 {
			steps = append(steps, step{k, v})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(math.Abs(b.value), math.Abs(a.value)) })
	const most = 8
	for _, s := range steps[:min(most, len(steps))] {
		lines = append(lines, fmt.Sprintf("%s %+.6g", m.classes[s.class], s.value))
	}
	if len(steps) > most {
		lines = append(lines, fmt.Sprintf("and %d more", len(steps)-most))
	}
	return lines
}
