package export

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"slices"

	"github.com/libaoso/aoso/internal/model"
)

func init() {
	register(Format{
		Name:       "treelite",
		Help:       "a checkpoint of treelite 4, which nvForest and TL2cgen read",
		MinClasses: 2,
		Binary:     true,
		TreesOnly:  true,
		write:      func(w io.Writer, m *model.Model, _ int) error { return treelite(w, m) },
	})
}

// treelite writes a model as treelite serializes its own, version 4. Unlike the formats that
// treelite imports, it has trees with a value for each class in a leaf, so a tree stays one tree.
//
// A category is encoded as its position, and any other number is a category that training did not
// have.
func treelite(w io.Writer, m *model.Model) error {
	const float64s, multiClass, allClasses = 3, 2, -1
	c := &checkpoint{Writer: bufio.NewWriter(w)}
	trees, classes := m.Forest.Trees(), int32(len(m.Classes))
	put(c, []int32{4, 0, 0})
	put(c, []uint8{float64s, float64s})
	put(c, uint64(trees))
	put(c, int32(len(m.Features)))
	put(c, []uint8{multiClass, 0})
	put(c, int32(1)) // target
	list(c, []int32{classes})
	list(c, []int32{1, classes})
	list(c, make([]int32, trees)) // the target of each tree
	list(c, slices.Repeat([]int32{allClasses}, trees))
	list(c, []byte("softmax"))
	put(c, []float32{1, 1}) // of other functions than softmax
	list(c, make([]float64, classes))
	list(c, []byte("{}"))
	put(c, int32(0))
	for _, t := range m.Forest.All() {
		c.tree(treeliteNodes(m, t), m.Encoder != nil)
	}
	return c.Flush()
}

// treeliteNode is a node or leaf, in treelite's terms.
type treeliteNode struct {
	kind, compare        int8
	left, right, feature int32
	missingLeft          bool
	threshold            float64
	members              []uint32 // categories
	membersRight         bool     // they go right, and others left
	values               []float64
}

// treeliteNodes returns the nodes of a tree, and after them its leaves.
func treeliteNodes(m *model.Model, t model.Tree) []treeliteNode {
	const numeric, categorical, less = 1, 2, 2
	number := func(c model.Child) int32 {
		if c.IsLeaf() {
			return int32(t.NumNodes() + c.Leaf())
		}
		return int32(c)
	}
	var nodes []treeliteNode
	for _, n := range t.Nodes() {
		split := n.Split()
		node := treeliteNode{left: number(n.Left()), right: number(n.Right()), missingLeft: split.MissingLeft}
		if s := m.Sides(split); s != nil {
			node.kind, node.feature, node.membersRight = categorical, int32(s.Feature), s.UnseenLeft
			for _, member := range s.Members(!s.UnseenLeft) {
				node.members = append(node.members, uint32(member))
			}
		} else {
			node.kind, node.compare, node.feature, node.threshold = numeric, less, split.Feature, threshold(m, split)
		}
		nodes = append(nodes, node)
	}
	temperature := cmp.Or(m.Temperature, 1)
	for _, leaf := range t.Leaves() {
		node := treeliteNode{left: -1, right: -1, feature: -1, values: make([]float64, len(m.Classes))}
		for k, v := range leaf.Scores() {
			node.values[k] += v / temperature
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// checkpoint writes what treelite reads: numbers, and lists after their lengths.
type checkpoint struct{ *bufio.Writer }

func (c *checkpoint) tree(nodes []treeliteNode, categorical bool) {
	put(c, int32(len(nodes)))
	put(c, categorical)
	column(c, nodes, func(n *treeliteNode) int8 { return n.kind })
	column(c, nodes, func(n *treeliteNode) int32 { return n.left })
	column(c, nodes, func(n *treeliteNode) int32 { return n.right })
	column(c, nodes, func(n *treeliteNode) int32 { return n.feature })
	column(c, nodes, func(n *treeliteNode) bool { return n.missingLeft })
	list(c, make([]float64, len(nodes))) // leaves of a single value
	column(c, nodes, func(n *treeliteNode) float64 { return n.threshold })
	column(c, nodes, func(n *treeliteNode) int8 { return n.compare })
	column(c, nodes, func(n *treeliteNode) bool { return n.membersRight })
	ragged(c, nodes, func(n *treeliteNode) []float64 { return n.values })
	ragged(c, nodes, func(n *treeliteNode) []uint32 { return n.members })
	put(c, make([]uint64, 6)) // numbers of rows, Hessians and gains: none
	put(c, make([]int32, 2))  // optional fields: none
}

// put writes a number, or numbers. Flush returns its error.
func put(c *checkpoint, numbers any) { _ = binary.Write(c, binary.LittleEndian, numbers) }

func list[T any](c *checkpoint, numbers []T) {
	put(c, uint64(len(numbers)))
	put(c, numbers)
}

// column writes a number of each node.
func column[T any](c *checkpoint, nodes []treeliteNode, field func(*treeliteNode) T) {
	numbers := make([]T, len(nodes))
	for i := range nodes {
		numbers[i] = field(&nodes[i])
	}
	list(c, numbers)
}

// ragged writes a list of each node: all after one another, then where each begins, and where it
// ends.
func ragged[T any](c *checkpoint, nodes []treeliteNode, field func(*treeliteNode) []T) {
	var all []T
	bounds := []uint64{0}
	for i := range nodes {
		all = append(all, field(&nodes[i])...)
		bounds = append(bounds, uint64(len(all)))
	}
	list(c, all)
	list(c, bounds[:len(nodes)])
	list(c, bounds[1:])
}
