package acceptance

import (
	"github.com/libaoso/aoso/internal/model"
)

// byNode is something of all nodes of a forest.
func byNode[T any](f *model.Forest, of func(model.Node) T) (all []T) {
	for n := range f.AllNodes() {
		all = append(all, of(n))
	}
	return all
}

func splits(f *model.Forest) []model.Split { return byNode(f, model.Node.Split) }
func gains(f *model.Forest) []float32      { return byNode(f, model.Node.Gain) }
func rowsOfNodes(f *model.Forest) []int    { return byNode(f, model.Node.Rows) }

func thresholds(f *model.Forest) []float64 {
	return byNode(f, func(n model.Node) float64 { return n.Split().Threshold() })
}

func rowsOfLeaves(f *model.Forest) (rows []int) {
	for _, t := range f.All() {
		for _, l := range t.Leaves() {
			rows = append(rows, l.Rows())
		}
	}
	return rows
}

func leafValues(f *model.Forest) []float32 {
	values, _ := f.LeafValues(0, f.Trees())
	return values
}
