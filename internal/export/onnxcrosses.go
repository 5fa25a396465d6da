package export

import (
	"math"
	"slices"
	"strconv"

	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/model"
)

// addCrosses adds crosses of the features, in double, to the matrix of columns, and returns the name of the matrix of all.
// A pair of categories has the position of the pair, in the order of [model.Sides].
func addCrosses(graph *message, m *model.Model, x, columns string) string {
	if !m.Crossed() {
		return columns
	}
	c := &crossGraph{graph, x}
	graph.addDoubles(5, "cross_zero", []float64{0})
	pairs := func(c category.Cross) bool { return c.Op == category.Pair }
	if slices.ContainsFunc(m.Encoder.Crosses, pairs) {
		graph.addDoubles(5, "cross_missing", []float64{math.NaN()})
	}
	if slices.ContainsFunc(m.Encoder.Crosses, func(c category.Cross) bool { return !pairs(c) }) {
		graph.addDoubles(5, "cross_least", []float64{0x1p-1022})
		graph.addDoubles(5, "cross_most", []float64{math.MaxFloat64})
		graph.addDoubles(5, "cross_lowest", []float64{-math.MaxFloat64})
	}
	all := []string{columns}
	for i, cross := range m.Encoder.Crosses {
		name := "cross" + strconv.Itoa(i)
		all = append(all, name)
		if cross.Op == category.Pair {
			c.pair(name, cross, len(m.Encoder.Features[cross.First].Categories), len(m.Encoder.Features[cross.Second].Categories))
			continue
		}
		operator := map[category.Op]string{category.Difference: "Sub", category.Ratio: "Div"}[cross.Op]
		a, b := c.normal(c.feature(name+"_a", cross.First)), c.normal(c.feature(name+"_b", cross.Second))
		graph.operator(operator, []string{a, b}, name+"_raw", nil)
		graph.operator("Identity", []string{c.normal(name + "_raw")}, name, nil)
	}
	graph.operator("Concat", all, "crossed", func(node *message) { node.intAttribute("axis", 1) })
	return "crossed"
}

// crossGraph adds the operators of crosses of the matrix x to a graph.
type crossGraph struct {
	*message
	x string
}

// feature adds the column of a feature.
func (c *crossGraph) feature(name string, feature int) string {
	c.addInteger(5, name+"_index", int64(feature), 1)
	c.operator("Gather", []string{c.x, name + "_index"}, name, func(node *message) { node.intAttribute("axis", 1) })
	return name
}

// normal limits numbers to the finite ones, and makes those of fewer bits 0.
func (c *crossGraph) normal(x string) string {
	where := func(test string, against, other, instead, output string) {
		c.operator(test, []string{against, other}, output+"_test", nil)
		c.operator("Where", []string{output + "_test", instead, x}, output, nil)
		x = output
	}
	where("Greater", x, "cross_most", "cross_most", x+"_upper")
	where("Less", x, "cross_lowest", "cross_lowest", x+"_lower")
	c.operator("Abs", []string{x}, x+"_size", nil)
	where("Less", x+"_size", "cross_least", "cross_zero", x+"_normal")
	return x
}

// pair adds the positions of pairs of categories; NaN if a category is missing or unknown.
func (c *crossGraph) pair(name string, cross category.Cross, first, second int) {
	a, b := c.feature(name+"_a", cross.First), c.feature(name+"_b", cross.Second)
	var known []string
	for _, side := range []struct {
		position   string
		categories int
	}{{a, first}, {b, second}} {
		p := side.position
		c.addDoubles(5, p+"_count", []float64{float64(side.categories)})
		c.operator("GreaterOrEqual", []string{p, "cross_zero"}, p+"_low", nil)
		c.operator("Less", []string{p, p + "_count"}, p+"_high", nil)
		c.operator("And", []string{p + "_low", p + "_high"}, p+"_known", nil)
		known = append(known, p+"_known")
	}
	c.operator("Mul", []string{a, b + "_count"}, name+"_row", nil)
	c.operator("Add", []string{name + "_row", b}, name+"_position", nil)
	c.operator("And", known, name+"_known", nil)
	c.operator("Where", []string{name + "_known", name + "_position", "cross_missing"}, name, nil)
}
