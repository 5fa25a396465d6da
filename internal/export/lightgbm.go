package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/libaoso/aoso/internal/model"
)

func init() {
	register(Format{
		Name:       "lightgbm",
		Help:       "LightGBM's text format, with one tree per class",
		MinClasses: 2,
		TreesOnly:  true,
		write:      func(w io.Writer, m *model.Model, _ int) error { return lightGBM(w, m) },
	})
}

// lightGBM writes a model in LightGBM's text format v4, objective multiclass, which grows a tree
// for each class in an iteration. One of our trees becomes a tree for each class that it
// changes, less the splits below which it does not change that class; other classes get a single
// leaf of zero. Trees that have no class in common share an iteration.
//
// Raw scores are the same sums in the same order, divided by the temperature of the model if it
// has one.
//
// A category is encoded as its position, and an unlisted one as the number of categories. In a
// DataFrame, LightGBM finds the positions of names itself, by pandas_categorical.
func lightGBM(w io.Writer, m *model.Model) error {
	if err := checkLightThresholds(m); err != nil {
		return err
	}
	var trees bytes.Buffer
	var sizes []string
	idle := (&lightTree{leafValue: []string{"0"}, leafCount: []string{"0"}}).text()
	iteration := make([]string, len(m.Classes)) // by class: its tree
	add := func() {
		for _, tree := range iteration {
			n, _ := fmt.Fprintf(&trees, "Tree=%d\n%s\n", len(sizes), cmp.Or(tree, idle))
			sizes = append(sizes, strconv.Itoa(n))
		}
		clear(iteration)
	}
	for _, t := range m.Forest.All() {
		if trees.Len() > math.MaxInt32 {
			return fmt.Errorf("the model would have more than %d bytes in LightGBM's format", math.MaxInt32)
		}
		next := lightTrees(m, t)
		if overlap(iteration, next) {
			add()
		}
		for k, tree := range next {
			iteration[k] = cmp.Or(tree, iteration[k])
		}
	}
	add()
	infos, names, err := lightCategories(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "tree\nversion=v4\nnum_class=%d\nnum_tree_per_iteration=%[1]d\nlabel_index=0\nmax_feature_idx=%d\n"+
		"objective=multiclass num_class:%[1]d\nfeature_names=%[3]s\nfeature_infos=%s\ntree_sizes=%s\n\n%s"+
		"end of trees\n\nfeature_importances:\n\nparameters:\nend of parameters\n\npandas_categorical:%s\n",
		len(m.Classes), len(m.Features)-1, strings.Join(lightNames(m.Features), " "), strings.Join(infos, " "), strings.Join(sizes, " "), trees.Bytes(), names)
	return err
}

// lightCategories returns LightGBM's description of the values of each feature, and the names of
// the categories as pandas would have them: whole numbers are not strings.
func lightCategories(m *model.Model) (infos []string, names []byte, err error) {
	var all []any // a list for each categorical feature; null: none
	for _, categories := range m.Categories() {
		if categories == nil {
			infos = append(infos, "[-inf:inf]")
			continue
		}
		info := make([]string, len(categories)+1)
		for i := range info {
			info[i] = strconv.Itoa(i)
		}
		infos = append(infos, strings.Join(info, ":"))
		if numbers := wholeNumbers(categories); numbers != nil {
			all = append(all, numbers)
		} else {
			all = append(all, categories)
		}
	}
	names, err = json.Marshal(all)
	return infos, names, err
}

// overlap reports whether some class has a tree in both iterations.
func overlap(a, b []string) bool {
	for k := range a {
		if a[k] != "" && b[k] != "" {
			return true
		}
	}
	return false
}

// lightNames returns feature names without the characters that LightGBM rejects, or its default
// names if they would not be distinct.
func lightNames(names []string) []string {
	clean, defaults := make([]string, len(names)), make([]string, len(names))
	seen := map[string]bool{"": true}
	different := true
	for j, name := range names {
		defaults[j] = fmt.Sprintf("Column_%d", j)
		clean[j] = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`",:[]{}`, r) {
				return '_'
			}
			return r
		}, name)
		different = different && !seen[clean[j]]
		seen[clean[j]] = true
	}
	if different {
		return clean
	}
	return defaults
}

// lightTrees returns a tree's text for each class; "": the tree does not change the class.
func lightTrees(m *model.Model, t model.Tree) []string {
	trees := make([]string, len(m.Classes))
	for k, c := range classTrees(m, t) {
		if c != nil {
			l := &lightTree{classTree: c}
			l.add(t.Root())
			trees[k] = l.text()
		}
	}
	return trees
}

// zeroBelow is the size of values that LightGBM takes for 0.
const zeroBelow = float64(float32(1e-35))

// checkLightThresholds returns an error if LightGBM would take values on both sides of a
// threshold for 0.
func checkLightThresholds(m *model.Model) error {
	for n := range m.Forest.AllNodes() {
		if s := n.Split(); s.Threshold() != 0 && math.Abs(s.Threshold()) <= zeroBelow && m.Sides(s) == nil {
			return fmt.Errorf("feature %s has the threshold %v, and LightGBM takes all values up to 1e-35 for 0: scale the feature before training", m.Features[s.Feature], s.Threshold())
		}
	}
	return nil
}

// lightTree is a tree of one class, in LightGBM's terms.
type lightTree struct {
	*classTree

	splitFeature, splitGain, threshold, decisionType, leftChild, rightChild, internalValue, internalCount []string
	leafValue, leafCount                                                                                  []string
	catBoundaries, catThreshold                                                                           []string
}

// add adds a child of our tree and returns its number and its mean value.
func (l *lightTree) add(child model.Child) (number int, mean float64) {
	rows := l.tree.Rows(child)
	if value, ok := l.constant(child); ok {
		mean = value
		l.leafValue, l.leafCount = append(l.leafValue, decimal(mean)), append(l.leafCount, fmt.Sprint(rows))
		return -len(l.leafValue), mean
	}
	n := l.tree.Node(child)
	number = len(l.splitFeature)
	leftChild, rightChild := n.Left(), n.Right()
	if l.addTest(n.Split()) {
		leftChild, rightChild = rightChild, leftChild
	}
	l.splitGain = append(l.splitGain, decimal(float64(n.Gain())))
	l.internalCount = append(l.internalCount, fmt.Sprint(rows))
	l.leftChild, l.rightChild, l.internalValue = append(l.leftChild, ""), append(l.rightChild, ""), append(l.internalValue, "")
	left, leftMean := l.add(leftChild)
	right, rightMean := l.add(rightChild)
	if rows > 0 {
		share := float64(l.tree.Rows(leftChild)) / float64(rows)
		mean = share*leftMean + (1-share)*rightMean
	}
	l.leftChild[number], l.rightChild[number], l.internalValue[number] = fmt.Sprint(left), fmt.Sprint(right), decimal(mean)
	return number, mean
}

// addTest adds the test of a split. It reports whether LightGBM sends right the rows that the
// split sends left.
func (l *lightTree) addTest(split model.Split) (swapped bool) {
	const categorical, missingLeft, nanIsMissing = 1, 2, 8
	feature, limit, decision := int(split.Feature), "", nanIsMissing
	if sides := l.model.Sides(split); sides != nil {
		// LightGBM always sends missing values right.
		feature, swapped, decision = sides.Feature, sides.MissingLeft, decision|categorical
		limit = fmt.Sprint(len(l.catBoundaries))
		l.addSet(sides, !swapped)
	} else {
		// LightGBM sends x ≤ threshold left, we x < threshold.
		limit = decimal(math.Nextafter(threshold(l.model, split), math.Inf(-1)))
		if split.MissingLeft {
			decision |= missingLeft
		}
	}
	l.splitFeature, l.threshold = append(l.splitFeature, fmt.Sprint(feature)), append(l.threshold, limit)
	l.decisionType = append(l.decisionType, fmt.Sprint(decision))
	return swapped
}

// addSet adds the set of categories that go left, or right, with the number of categories if
// unlisted ones go there.
func (l *lightTree) addSet(s *model.Sides, left bool) {
	words := make([]uint32, len(s.Left)/32+1)
	for _, i := range s.Members(left) {
		words[i/32] |= 1 << (i % 32)
	}
	if n := len(s.Left); s.UnseenLeft == left {
		words[n/32] |= 1 << (n % 32)
	}
	for _, word := range words {
		l.catThreshold = append(l.catThreshold, fmt.Sprint(word))
	}
	l.catBoundaries = append(l.catBoundaries, fmt.Sprint(len(l.catThreshold)))
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// text returns all of the tree but its number.
func (l *lightTree) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "num_leaves=%d\nnum_cat=%d\n", len(l.leafValue), len(l.catBoundaries))
	if len(l.catBoundaries) > 0 {
		fmt.Fprintf(&b, "cat_boundaries=0 %s\ncat_threshold=%s\n", strings.Join(l.catBoundaries, " "), strings.Join(l.catThreshold, " "))
	}
	for _, line := range []struct {
		name  string
		items []string
	}{
		{"split_feature", l.splitFeature},
		{"split_gain", l.splitGain},
		{"threshold", l.threshold},
		{"decision_type", l.decisionType},
		{"left_child", l.leftChild},
		{"right_child", l.rightChild},
		{"leaf_value", l.leafValue},
		{"leaf_count", l.leafCount},
		{"internal_value", l.internalValue},
		{"internal_count", l.internalCount},
	} {
		fmt.Fprintf(&b, "%s=%s\n", line.name, strings.Join(line.items, " "))
	}
	b.WriteString("is_linear=0\nshrinkage=1\n\n")
	return b.String()
}
