package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/forc"
	"github.com/libaoso/aoso/internal/terminal"
)

// inspector is the command info.
type inspector struct {
	model string
	json  bool
	dump  bool
	trees int
}

func newInfo() *cobra.Command {
	i := &inspector{}
	c := &cobra.Command{
		Use:     "info --model FILE",
		Short:   "Describe a model and its most important features",
		Example: `  aoso info --model letters.aoso --dump --trees 1`,
		RunE:    work(i.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&i.model, "model", "", "model `file`")
	f.BoolVar(&i.json, "json", false, "print everything as one line of JSON")
	f.BoolVar(&i.dump, "dump", false, "print the trees instead")
	f.IntVar(&i.trees, "trees", 0, "print only the first trees; 0: all")
	c.MarkFlagsMutuallyExclusive("json", "dump")
	require(c, "model")
	return c
}

// described is the JSON line of info.
type described struct {
	Method            aoso.Method `json:"method"`
	Leaf              string      `json:"leaf"`
	Pairs             int         `json:"pairs"`
	Trees             int         `json:"trees"`
	TreesPerIteration int         `json:"trees_per_iteration"`
	Leaves            int         `json:"leaves"`
	Classes           int         `json:"classes"`
	Features          int         `json:"features"`
	LinearFeatures    int         `json:"linear_features"`
	Label             string      `json:"label"` // its column; "": unknown
	ClassLabels       []string    `json:"class_labels"`
	FirstTrees        []int       `json:"first_trees"` // by class: the first tree that gives it scores; -1: none does
	FeatureNames      []string    `json:"feature_names"`
	Temperature       float64     `json:"temperature"`
	ConformalRows     int         `json:"conformal_rows"`
	Fingerprint       string      `json:"fingerprint"`
	Level             string      `json:"level"`
	Levels            []string    `json:"levels"`
	Params            aoso.Params `json:"params"`
	Model             string      `json:"model"`
}

func (i *inspector) run(c *cobra.Command) error {
	m, err := loadModel(i.model)
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	if i.dump {
		return m.Export(out, "text", aoso.ExportOptions{Trees: i.trees})
	}
	level, err := forc.DefaultLevel()
	if err != nil {
		return err
	}
	p := m.Params()
	d := &described{p.Method, p.Leaf, p.Pairs, m.Trees(), m.TreesPerIteration(), 0, len(m.Classes()), len(m.FeatureNames()),
		m.LinearFeatures(), m.LabelName(), m.Classes(), m.FirstTrees(), m.FeatureNames(), m.Temperature(), m.ConformalRows(), m.Fingerprint(), level, aoso.Levels(), p, i.model}
	for t := range m.Trees() {
		d.Leaves += m.Leaves(t)
	}
	if i.json {
		return json.NewEncoder(out).Encode(d)
	}
	return d.tell(out, m)
}

// most is the number of features and classes to show.
const most = 10

// tell describes a model for people.
func (d *described) tell(w io.Writer, m *aoso.Model) error {
	fmt.Fprintf(w, "method       %s, %s leaves, %d class pairs per node\n", d.Method, d.Leaf, d.Pairs)
	fmt.Fprintf(w, "trees        %d, %d leaves\n", d.Trees, d.Leaves)
	if d.Label != "" {
		fmt.Fprintf(w, "label        %s\n", terminal.Plain(d.Label))
	}
	fmt.Fprintf(w, "classes      %d: %s\n", d.Classes, shown(d.ClassLabels))
	d.tellLater(w, m)
	fmt.Fprintf(w, "features     %d: %s\n", d.Features, shown(d.FeatureNames))
	tellCategories(w, m)
	if crosses := m.Crosses(); len(crosses) > 0 {
		fmt.Fprintf(w, "crosses      %d: %s\n", len(crosses), terminal.Plain(strings.Join(crosses, ", ")))
	}
	if d.LinearFeatures > 0 {
		fmt.Fprintf(w, "start        linear scores of %d features\n", d.LinearFeatures)
	}
	fmt.Fprintf(w, "parameters   learning_rate=%v max_leaves=%d\n", d.Params.LearningRate, d.Params.MaxLeaves)
	if d.Temperature != 1 {
		fmt.Fprintf(w, "temperature  %.5g\n", d.Temperature)
	}
	if d.ConformalRows > 0 {
		fmt.Fprintf(w, "sets         by the scores of %d rows\n", d.ConformalRows)
	}
	fmt.Fprintf(w, "fingerprint  %s\n", d.Fingerprint)
	fmt.Fprintf(w, "kernels      %s here, of %s\n", d.Level, strings.Join(d.Levels, ", "))
	pairs := m.PairImportances()
	if len(pairs) == 0 {
		return nil
	}
	if err := tellImportance(w, m); err != nil {
		return err
	}
	return tellPairs(w, m, pairs)
}

// tellLater lists the classes that came when training was continued. Their first tree has one leaf.
func (d *described) tellLater(w io.Writer, m *aoso.Model) {
	byTree := map[int][]string{}
	for k, tree := range d.FirstTrees {
		if tree > 0 && m.Leaves(tree) == 1 {
			byTree[tree] = append(byTree[tree], d.ClassLabels[k])
		}
	}
	for _, tree := range slices.Sorted(maps.Keys(byTree)) {
		fmt.Fprintf(w, "came later   %d, from tree %d on: %s\n", len(byTree[tree]), tree, shown(byTree[tree]))
	}
}

// tellCategories lists the categorical features and how many categories they have.
func tellCategories(w io.Writer, m *aoso.Model) {
	var list []string
	for j, name := range m.FeatureNames() {
		if categories := m.Categories(j); categories != nil {
			list = append(list, fmt.Sprintf("%s (%d)", name, len(categories)))
		}
	}
	if list != nil {
		fmt.Fprintf(w, "categories   %d: %s\n", len(list), shown(list))
	}
}

// shown lists the first names.
func shown(names []string) string {
	if len(names) > most {
		return terminal.Plain(strings.Join(names[:most], " ")) + " …"
	}
	return terminal.Plain(strings.Join(names, " "))
}

func tellImportance(w io.Writer, m *aoso.Model) error {
	gain, err := m.Importance("gain")
	if err != nil {
		return err
	}
	splits, err := m.Importance("split")
	if err != nil {
		return err
	}
	total, order := 0.0, make([]int, len(gain))
	for j := range gain {
		total += gain[j]
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gain[b], gain[a]) })
	names := m.FeatureNames()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nfeature\tgain\tsplits\t")
	for _, j := range order[:min(most, len(order))] {
		if splits[j] > 0 {
			fmt.Fprintf(table, "%s\t%.2f %%\t%.0f\t\n", terminal.Plain(names[j]), 100*gain[j]/total, splits[j])
		}
	}
	return table.Flush()
}

func tellPairs(w io.Writer, m *aoso.Model, pairs []aoso.PairImportance) error {
	total := 0.0
	for _, p := range pairs {
		total += p.Gain
	}
	classes, names := m.Classes(), m.FeatureNames()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nclasses\tfeature\tgain\tsplits\t")
	for _, p := range pairs[:min(most, len(pairs))] {
		pair := classes[p.Classes[0]]
		if p.Classes[1] >= 0 {
			pair += " | " + classes[p.Classes[1]]
		}
		fmt.Fprintf(table, "%s\t%s\t%.2f %%\t%d\t\n", terminal.Plain(pair), terminal.Plain(names[p.Feature]), 100*p.Gain/total, p.Splits)
	}
	return table.Flush()
}
