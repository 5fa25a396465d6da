package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/libaoso/aoso/internal/model"
)

func init() {
	register(Format{Name: "dot", Help: "one tree, for Graphviz", OneTree: true, Crosses: true, write: dot})
}

// dot writes a tree for Graphviz: at each node the class pairs that it separates, at each leaf
// the classes whose scores it changes most.
func dot(w io.Writer, m *model.Model, tree int) error {
	t, out := m.Forest.Tree(tree), bufio.NewWriter(w)
	fmt.Fprintf(out, "digraph tree%d {\n  node [shape=box]\n", tree)
	for i, n := range t.Nodes() {
		name, split := dotName(i), n.Split()
		fmt.Fprintf(out, "  %s [label=%s]\n", name, dotLabel(
			m.Words(split, func(name string) string { return name }),
			pairNames(m.Classes, n.Pairs()),
			fmt.Sprintf("gain %.6g", n.Gain()),
			fmt.Sprintf("rows %d", n.Rows())))
		answers := map[bool]string{true: "yes", false: "no"} // for rows that go left
		answers[split.MissingLeft] += ", missing"
		if sides := m.Sides(split); sides != nil {
			answers[sides.UnseenLeft] += ", unseen"
		}
		fmt.Fprintf(out, "  %s -> %s [label=%q]\n", name, dotName(n.Left()), answers[true])
		fmt.Fprintf(out, "  %s -> %s [label=%q]\n", name, dotName(n.Right()), answers[false])
	}
	for i, l := range t.Leaves() {
		lines := append(greatestValues(m.Classes, l), fmt.Sprintf("rows %d", l.Rows()))
		fmt.Fprintf(out, "  %s [label=%s style=rounded]\n", dotName(model.LeafChild(i)), dotLabel(lines...))
	}
	out.WriteString("}\n")
	return out.Flush()
}

func dotName(c model.Child) string {
	if c.IsLeaf() {
		return fmt.Sprintf("leaf%d", c.Leaf())
	}
	return fmt.Sprintf("node%d", c)
}

// dotLabel returns lines as a DOT string.
func dotLabel(lines ...string) string {
	text := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(strings.Join(lines, "\x00"))
	return `"` + strings.ReplaceAll(text, "\x00", `\n`) + `"`
}

// greatestValues returns the classes whose scores a leaf changes most, and by how much.
func greatestValues(classes []string, l model.Leaf) (lines []string) {
	type move struct {
		class int
		value float64
	}
	var moves []move
	for k, v := range l.Scores() {
		if v != 0 {
			moves = append(moves, move{k, v})
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int { return cmp.Compare(math.Abs(b.value), math.Abs(a.value)) })
	const most = 8
	for _, v := range moves[:min(most, len(moves))] {
		lines = append(lines, fmt.Sprintf("%s %+.6g", classes[v.class], v.value))
	}
	if len(moves) > most {
		lines = append(lines, fmt.Sprintf("and %d more", len(moves)-most))
	}
	return lines
}
