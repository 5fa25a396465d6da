package export

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/terminal"
)

func init() {
	register(Format{
		Name:    "text",
		Help:    "every tree, for people to read",
		Crosses: true,
		write:   func(w io.Writer, m *model.Model, _ int) error { return text(w, m) },
	})
}

// text writes the features of linear scores, and the trees, a line for each node and leaf. It
// escapes unprintable characters of names.
func text(w io.Writer, m *model.Model) error {
	out := bufio.NewWriter(w)
	switch m.Forest.Start() {
	case "prior":
		fmt.Fprintln(out, "the same initial scores for all rows, to which leaves add")
	case "linear":
		fmt.Fprintf(out, "linear scores of %s, to which leaves add\n", linearNames(m))
	}
	for i, t := range m.Forest.All() {
		fmt.Fprintf(out, "tree %d\n", i)
		writeText(out, m, t, t.Root(), 1)
	}
	return out.Flush()
}

// linearNames returns the features of linear scores for a terminal, the first if there are many.
func linearNames(m *model.Model) string {
	features := m.LinearFeatures()
	const most = 6
	var names []string
	for _, j := range features[:min(len(features), most)] {
		names = append(names, terminal.Plain(m.Features[j]))
	}
	if more := len(features) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

func writeText(out *bufio.Writer, m *model.Model, t model.Tree, c model.Child, depth int) {
	out.WriteString(strings.Repeat("  ", depth))
	if c.IsLeaf() {
		writeLeaf(out, m, t.Leaf(c.Leaf()))
		return
	}
	n := t.Node(c)
	split := n.Split()
	missing := "missing " + split.MissingSide()
	if sides := m.Sides(split); sides != nil {
		missing += "  unseen " + sides.UnseenSide()
	}
	fmt.Fprintf(out, "%s  [%s]  %s  gain %.6g  rows %d\n",
		m.Words(split, terminal.Plain), pairNames(m.Classes, n.Pairs()), missing, n.Gain(), n.Rows())
	writeText(out, m, t, n.Left(), depth+1)
	writeText(out, m, t, n.Right(), depth+1)
}

func writeLeaf(out *bufio.Writer, m *model.Model, l model.Leaf) {
	out.WriteString("leaf")
	if m.Forest.Full() {
		for k, v := range l.Values() {
			fmt.Fprintf(out, "  %s %+.6g", terminal.Plain(m.Classes[k]), v)
		}
	} else {
		for i, p := range l.Pairs() {
			if int(p.R) < len(m.Classes) {
				fmt.Fprintf(out, "  %s %+.6g", terminal.Plain(pairName(m.Classes, int(p.R), int(p.S))), l.Values()[i])
			}
		}
	}
	fmt.Fprintf(out, "  rows %d\n", l.Rows())
}

// pairNames returns class pairs for a terminal.
func pairNames(classes []string, pairs iter.Seq2[int, int]) string {
	var names []string
	for r, s := range pairs {
		names = append(names, pairName(classes, r, s))
	}
	return terminal.Plain(strings.Join(names, " "))
}

// pairName returns a pair as r|s, or as r alone if s is no class.
func pairName(classes []string, r, s int) string {
	if s < 0 || s >= len(classes) {
		return classes[r]
	}
	return classes[r] + "|" + classes[s]
}
