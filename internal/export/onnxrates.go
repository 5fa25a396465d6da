package export

import (
	"fmt"
	"math"

	"github.com/libaoso/aoso/internal/model"
)

// addRates adds the target-encoded columns of features in double, and returns the name of the
// matrix of all columns, in the order of splits.
func addRates(graph *message, m *model.Model, x string) string {
	columns := []string{x}
	for j := range m.Features {
		if m.Encoder != nil && m.Encoder.Features[j].Rates != nil {
			columns = append(columns, addFeatureRates(graph, m, x, j))
		}
	}
	if len(columns) == 1 {
		return x
	}
	graph.operator("Concat", columns, "columns", func(node *message) { node.intAttribute("axis", 1) })
	return "columns"
}

// addFeatureRates looks up the target encoding of a feature in a table with a row for each
// category, one for unlisted ones, and one for missing values.
func addFeatureRates(graph *message, m *model.Model, x string, feature int) string {
	f := &m.Encoder.Features[feature]
	listed, width := len(f.Categories), len(f.Rates)
	table := make([]float64, 0, (listed+2)*width)
	for category := range listed + 1 {
		for i := range f.Rates {
			table = append(table, f.Rate(i, category))
		}
	}
	for range width {
		table = append(table, math.NaN())
	}
	name := func(what string) string { return fmt.Sprintf("%s%d", what, feature) }
	graph.addDoubles(5, name("table"), table, listed+2, width)
	graph.addDoubles(5, name("none"), []float64{0})
	graph.addDoubles(5, name("unlisted"), []float64{float64(listed)})
	graph.addDoubles(5, name("missing"), []float64{float64(listed + 1)})
	graph.addInteger(5, name("feature"), int64(feature))

	along := func(axis int64) func(*message) {
		return func(node *message) { node.intAttribute("axis", axis) }
	}
	graph.operator("Gather", []string{x, name("feature")}, name("value"), along(1))
	graph.operator("GreaterOrEqual", []string{name("value"), name("none")}, name("low"), nil)
	graph.operator("Less", []string{name("value"), name("unlisted")}, name("high"), nil)
	graph.operator("And", []string{name("low"), name("high")}, name("listed"), nil)
	graph.operator("Where", []string{name("listed"), name("value"), name("unlisted")}, name("place"), nil)
	graph.operator("IsNaN", []string{name("value")}, name("nan"), nil)
	graph.operator("Where", []string{name("nan"), name("missing"), name("place")}, name("row"), nil)
	graph.cast(name("row"), name("index"), tensorInt64)
	graph.operator("Gather", []string{name("table"), name("index")}, name("rates"), along(0))
	return name("rates")
}
