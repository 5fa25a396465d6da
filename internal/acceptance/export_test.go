package acceptance

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/kernel"
)

// exported returns a function that writes a model in a format.
func exported(m *aoso.Model, format string) func(io.Writer) error {
	return func(w io.Writer) error { return m.Export(w, format) }
}

func written(t testing.TB, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	full := io.ErrShortWrite
	for _, room := range []int{0, b.Len() / 2, b.Len() - 1} {
		if err := write(&shortWriter{room, full}); err != full {
			t.Fatalf("room for %d of %d bytes: %v", room, b.Len(), err)
		}
	}
	return b.Bytes()
}

// protobuf is the fields of a message, by their numbers: integers as decimals.
type protobuf map[int][]string

func parseProtobuf(t testing.TB, b string) protobuf {
	t.Helper()
	m := protobuf{}
	for len(b) > 0 {
		key, n := binary.Uvarint([]byte(b))
		v, k := binary.Uvarint([]byte(b[n:]))
		if n <= 0 || k <= 0 {
			t.Fatal("no protobuf")
		}
		b = b[n+k:]
		field, value := int(key>>3), fmt.Sprint(int64(v))
		if key&7 == 2 {
			value, b = b[:v], b[v:]
		} else if key&7 != 0 {
			t.Fatalf("wire type %d", key&7)
		}
		m[field] = append(m[field], value)
	}
	return m
}

// onnxModel is a parsed ONNX file.
type onnxModel struct {
	trees    *onnxTrees // of a classifier, or of the scores that linear scores are added to
	places   *onnxTrees // of linear scores
	labels   []string
	tables   map[string][]float64 // initializers: of target encodings, and the weights of linear scores
	metadata map[string]string
	input    string // the type of X
}

// onnxTrees has the attributes of an ensemble.
type onnxTrees struct {
	kind     string // "class" or "target"
	integers map[string][]int64
	doubles  map[string][]float64
	texts    map[string][]string

	at      map[onnxNode]int // the positions of nodes
	roots   []int
	weights [][]int // by node
}

type onnxNode struct{ tree, node int64 }

func parseONNX(t testing.TB, b []byte) *onnxModel {
	t.Helper()
	o := &onnxModel{tables: map[string][]float64{}, metadata: map[string]string{}}
	file := parseProtobuf(t, string(b))
	for _, text := range file[14] {
		entry := parseProtobuf(t, text)
		o.metadata[entry[1][0]] = entry[2][0]
	}
	graph := parseProtobuf(t, file[7][0])
	o.input = parseProtobuf(t, parseProtobuf(t, parseProtobuf(t, graph[11][0])[2][0])[1][0])[1][0]
	for _, text := range graph[5] {
		tensor := parseProtobuf(t, text)
		switch name := tensor[8][0]; {
		case tensor[10] != nil:
			o.tables[name] = onnxDoubles(tensor[10][0])
		case name == "labels":
			o.labels = tensor[6]
			if tensor[7] != nil {
				for _, v := range onnxIntegers(tensor[7][0]) {
					o.labels = append(o.labels, fmt.Sprint(v))
				}
			}
		}
	}
	if cast := parseProtobuf(t, graph[1][0])[4][0] == "Cast"; cast != (o.input == "1") {
		t.Fatalf("an input of type %s, cast: %v", o.input, cast)
	}
	for _, text := range graph[1] {
		node := parseProtobuf(t, text)
		switch node[4][0] {
		case "TreeEnsembleClassifier":
			o.trees = parseTrees(t, node[5], "class")
			o.labels = o.trees.texts["classlabels_strings"]
			for _, v := range o.trees.integers["classlabels_int64s"] {
				o.labels = append(o.labels, fmt.Sprint(v))
			}
		case "TreeEnsembleRegressor":
			trees := parseTrees(t, node[5], "target")
			if node[2][0] == "places32" {
				o.places = trees
			} else {
				o.trees = trees
			}
		}
	}
	return o
}

func onnxDoubles(data string) (v []float64) {
	for ; len(data) > 0; data = data[8:] {
		v = append(v, math.Float64frombits(binary.LittleEndian.Uint64([]byte(data))))
	}
	return v
}

func onnxIntegers(text string) (v []int64) {
	for data := []byte(text); len(data) > 0; {
		x, n := binary.Uvarint(data)
		v, data = append(v, int64(x)), data[n:]
	}
	return v
}

func parseTrees(t testing.TB, attributes []string, kind string) *onnxTrees {
	o := &onnxTrees{kind: kind, integers: map[string][]int64{}, doubles: map[string][]float64{}, texts: map[string][]string{}}
	for _, text := range attributes {
		a := parseProtobuf(t, text)
		name := a[1][0]
		switch a[20][0] {
		case "2":
			v, err := strconv.ParseInt(a[3][0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			o.integers[name] = []int64{v}
		case "3":
			o.texts[name] = a[4]
		case "4":
			tensor := parseProtobuf(t, a[5][0])
			o.doubles[name] = onnxDoubles(tensor[10][0])
			if tensor[1][0] != fmt.Sprint(len(o.doubles[name])) || tensor[2][0] != "11" {
				t.Fatalf("tensor %s of %s values", name, tensor[1][0])
			}
		case "7":
			o.integers[name] = onnxIntegers(a[8][0])
		case "8":
			o.texts[name] = a[9]
		default:
			t.Fatalf("attribute %s of type %s", name, a[20][0])
		}
	}
	o.nodes()
	return o
}

// scores returns the scores of a row, by class.
func (o *onnxModel) scores(row []float64) []float64 {
	scores := o.trees.sums(row, len(o.labels))
	if o.places != nil {
		for t, place := range o.places.sums(row, int(o.places.integers["n_targets"][0])) {
			for k := range scores {
				scores[k] += place * o.tables["weights"][t*len(scores)+k]
			}
		}
	}
	return scores
}

// nodes finds the nodes of trees by their numbers, and the first node of each tree.
func (o *onnxTrees) nodes() {
	o.at = map[onnxNode]int{}
	trees := o.integers["nodes_treeids"]
	for i, tree := range trees {
		o.at[onnxNode{tree, o.integers["nodes_nodeids"][i]}] = i
		if i == 0 || tree != trees[i-1] {
			o.roots = append(o.roots, i)
		}
	}
	o.weights = make([][]int, len(trees))
	for i, tree := range o.integers[o.kind+"_treeids"] {
		leaf := o.at[onnxNode{tree, o.integers[o.kind+"_nodeids"][i]}]
		o.weights[leaf] = append(o.weights[leaf], i)
	}
}

// sums returns the sums of a row's weights by target, as the operators' definition has it.
func (o *onnxTrees) sums(row []float64, targets int) []float64 {
	sums := make([]float64, targets)
	copy(sums, o.doubles["base_values_as_tensor"])
	for _, i := range o.roots {
		for mode := o.texts["nodes_modes"][i]; mode != "LEAF"; mode = o.texts["nodes_modes"][i] {
			x, value := row[o.integers["nodes_featureids"][i]], o.doubles["nodes_values_as_tensor"][i]
			next := o.integers["nodes_falsenodeids"][i]
			if mode == "BRANCH_LT" && x < value || mode == "BRANCH_EQ" && x == value || math.IsNaN(x) && o.integers["nodes_missing_value_tracks_true"][i] == 1 {
				next = o.integers["nodes_truenodeids"][i]
			}
			i = o.at[onnxNode{o.integers["nodes_treeids"][i], next}]
		}
		for _, w := range o.weights[i] {
			sums[o.integers[o.kind+"_ids"][w]] += o.doubles[o.kind+"_weights_as_tensor"][w]
		}
	}
	return sums
}

// TestONNX applies the operator's definition to what was written; make
// test-export has onnxruntime do so.
func TestONNX(t *testing.T) {
	for _, classes := range []int{2, 5} {
		d := blobs(150, 300, 4, classes, 255).punch(150, 0.05)
		for _, v := range variants {
			t.Run(fmt.Sprint(v.name, classes), func(t *testing.T) {
				m := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 3, classes) })).Model
				o := parseONNX(t, written(t, exported(m, "onnx")))
				if !slices.Equal(o.labels, m.Classes()) || o.trees.texts["post_transform"][0] != "SOFTMAX" || len(o.trees.doubles["nodes_values_as_tensor"]) != forest(m).Nodes()+forest(m).Leaves() {
					t.Fatalf("labels %q, %d nodes", o.labels, len(o.trees.doubles["nodes_values_as_tensor"]))
				}
				if base := o.trees.doubles["base_values_as_tensor"]; len(base) != classes && (classes > 2 || base != nil) {
					t.Errorf("base values %v", base)
				}
				want := rawScores(t, m, d.features(), aoso.PredictOptions{})
				for i, row := range d.x {
					got, want := o.scores(row), want[i*classes:][:classes]
					if sum := got[0] + got[1]; classes == 2 && math.Abs(sum) > 1e-12 {
						t.Fatalf("row %d: the scores of two classes sum to %v", i, sum)
					}
					for k := range got { // all but for what they have in common
						if math.Abs(got[k]-got[0]-(want[k]-want[0])) > 1e-12 {
							t.Fatalf("row %d: scores %v, want %v", i, got, want)
						}
					}
				}
			})
		}
	}
}

// TestONNXLabels: numbers where all labels are numbers as they are written.
func TestONNXLabels(t *testing.T) {
	for _, c := range []struct {
		classes []string
		numbers []int64
	}{
		{[]string{"-1", "0", "7"}, []int64{-1, 0, 7}},
		{[]string{"0", "01", "1"}, nil},
		{[]string{"1", "2", "ß"}, nil},
		{[]string{"1", "2", "99999999999999999999"}, nil},
	} {
		f := model.NewForest(3, 1, true)
		f.AddNode(model.NumericSplit(0, 0.5, false), model.LeafChild(0), model.LeafChild(1), 1, []kernel.Pair{{R: 0, S: 1}})
		f.AddLeaf([]float32{0, 0, 0}, nil, 1)
		f.AddLeaf([]float32{0, 0, 1}, nil, 1)
		f.EndTree()
		m := withTemperature(newModel(f, c.classes, []string{"x"}), 2)
		o := parseONNX(t, written(t, exported(m, "onnx")))
		if got := o.trees.integers["classlabels_int64s"]; !slices.Equal(got, c.numbers) || c.numbers == nil && !slices.Equal(o.trees.texts["classlabels_strings"], c.classes) {
			t.Errorf("%q: %v, %q", c.classes, got, o.trees.texts["classlabels_strings"])
		}
		if got := o.scores([]float64{1}); !slices.Equal(got, []float64{0, 0, 0.5}) {
			t.Errorf("with temperature: %v", got)
		}
	}
}

// lightTree is a parsed tree of LightGBM's format.
type lightTree map[string][]float64

func parseLight(t testing.TB, text string) (head map[string]string, trees []lightTree) {
	t.Helper()
	top, rest, _ := strings.Cut(text, "\n\n")
	head = map[string]string{}
	for _, line := range strings.Split(top, "\n") {
		key, value, _ := strings.Cut(line, "=")
		head[key] = value
	}
	for i, size := range strings.Fields(head["tree_sizes"]) {
		n, err := strconv.Atoi(size)
		if err != nil || !strings.HasPrefix(rest, fmt.Sprintf("Tree=%d\n", i)) {
			t.Fatalf("tree %d is not where it should be: %.40q", i, rest)
		}
		tree := lightTree{}
		for _, line := range strings.Split(strings.TrimSpace(rest[:n]), "\n") {
			key, values, _ := strings.Cut(line, "=")
			for _, v := range strings.Fields(values) {
				x, err := strconv.ParseFloat(v, 64)
				if err != nil {
					t.Fatal(err)
				}
				tree[key] = append(tree[key], x)
			}
		}
		trees, rest = append(trees, tree), rest[n:]
	}
	if !strings.HasPrefix(rest, "end of trees\n") {
		t.Fatalf("after the last tree: %.40q", rest)
	}
	return head, trees
}

func (l lightTree) value(row []float64) float64 {
	node := 0
	if len(l["split_feature"]) == 0 {
		return l["leaf_value"][0]
	}
	for node >= 0 {
		x, decision := row[int(l["split_feature"][node])], int(l["decision_type"][node])
		left := x <= l["threshold"][node]
		switch {
		case decision&1 != 0:
			set := int(l["threshold"][node])
			words := l["cat_threshold"][int(l["cat_boundaries"][set]):int(l["cat_boundaries"][set+1])]
			left = x >= 0 && int(x)/32 < len(words) && uint32(words[int(x)/32])>>(int(x)%32)&1 != 0
		case math.IsNaN(x):
			left = decision&2 != 0
		}
		if left {
			node = int(l["left_child"][node])
		} else {
			node = int(l["right_child"][node])
		}
	}
	return l["leaf_value"][^node]
}

// TestLightGBM applies LightGBM's rules to what was written; make test-export
// has LightGBM do so.
func TestLightGBM(t *testing.T) {
	d := blobs(151, 300, 4, 6, 255).punch(151, 0.05)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			m := trained(t, d, params(func(p *aoso.Params) { v.change(p); p.MaxLeaves = 6; rounds(p, 3, 6) })).Model
			head, trees := parseLight(t, string(written(t, exported(m, "lightgbm"))))
			if head["num_class"] != "6" || head["num_tree_per_iteration"] != "6" || head["max_feature_idx"] != "3" || head["feature_names"] != "f0 f1 f2 f3" ||
				len(strings.Fields(head["feature_infos"])) != 4 || len(trees)%6 != 0 {
				t.Fatalf("%q, %d trees", head, len(trees))
			}
			if iterations := len(trees) / 6; iterations > m.Trees() || m.Params().Method == aoso.MethodLogitBoost && iterations != 3 {
				t.Errorf("%d trees became %d iterations", m.Trees(), iterations)
			}
			want := rawScores(t, m, d.features(), aoso.PredictOptions{})
			for i, row := range d.x {
				got := make([]float64, 6)
				for j, tree := range trees {
					got[j%6] += tree.value(row)
				}
				if !slices.Equal(got, want[i*6:][:6]) {
					t.Fatalf("row %d: scores %v, want %v", i, got, want[i*6:][:6])
				}
			}
			for i, tree := range trees {
				rows, n := 0.0, int(tree["num_leaves"][0])
				for _, r := range tree["leaf_count"] {
					rows += r
				}
				if len(tree["leaf_value"]) != n || len(tree["left_child"]) != n-1 || n > 1 && (rows != 300 || tree["internal_count"][0] != 300) {
					t.Errorf("tree %d: %v", i, tree)
				}
				for j, left := range tree["left_child"] { // no split between two zeros
					right := tree["right_child"][j]
					if left < 0 && right < 0 && tree["leaf_value"][^int(left)] == 0 && tree["leaf_value"][^int(right)] == 0 {
						t.Errorf("tree %d splits nothing", i)
					}
				}
			}
		})
	}
}

// TestLightGBMNames: names that LightGBM takes, each once.
func TestLightGBMNames(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"a|b c|länge", "a b_c länge"},
		{`x{"y":[1,2]}|b`, "x__y___1_2__ b"},
		{"a b|a_b|c", "Column_0 Column_1 Column_2"},
		{"|a|b", "Column_0 Column_1 Column_2"},
	} {
		names := strings.Split(c.names, "|")
		m := changed(chain(len(names), 0.5), func(c *model.Model) { c.Features, c.Named = names, true })
		head, _ := parseLight(t, string(written(t, exported(m, "lightgbm"))))
		if head["feature_names"] != c.want {
			t.Errorf("%q becomes %q, want %q", c.names, head["feature_names"], c.want)
		}
	}
}

// jsonModel is what the JSON of a model says.
type jsonModel struct {
	model.Header
	Format     string
	Version    int
	Categories [][]string
	Linear     *struct {
		Bias  []float64
		Terms []struct {
			Feature                int
			Edges, Places, Weights []float64
		}
	}
	Trees []struct {
		Nodes []struct {
			Feature         int
			Threshold       *float64
			Categories      []int
			Missing, Unseen string
			Left, Right     int
			Rows            int
			Gain            float32
			Pairs           [][]int
		}
		Leaves []struct {
			Rows  int
			Steps [][2]float64
		}
	}
}

// linearScores are those of a row before any tree.
func (j *jsonModel) linearScores(row []float64) []float64 {
	scores := make([]float64, len(j.Classes))
	if j.Linear == nil {
		return scores
	}
	copy(scores, j.Linear.Bias)
	for _, term := range j.Linear.Terms {
		x, bin := row[term.Feature], 0
		switch {
		case math.IsNaN(x):
			continue
		case term.Edges == nil:
			bin = min(int(x), len(term.Places)-1)
		default:
			for bin < len(term.Edges) && x >= term.Edges[bin] {
				bin++
			}
		}
		for k, w := range term.Weights {
			scores[k] += term.Places[bin] * w
		}
	}
	for k, score := range scores {
		scores[k] = math.RoundToEven(score*0x1p24) * 0x1p-24
	}
	return scores
}

// scores are those of a row, by the JSON alone.
func (j *jsonModel) scores(row []float64) []float64 {
	scores := j.linearScores(row)
	for _, tree := range j.Trees {
		child := 0
		if len(tree.Nodes) == 0 {
			child = -1
		}
		for child >= 0 {
			n := tree.Nodes[child]
			x := row[n.Feature]
			left := n.Threshold == nil || x < *n.Threshold
			switch {
			case math.IsNaN(x):
				left = n.Missing == "left"
			case n.Categories != nil && int(x) >= len(j.Categories[n.Feature]):
				left = n.Unseen == "left"
			case n.Categories != nil:
				left = slices.Contains(n.Categories, int(x))
			}
			child = n.Right
			if left {
				child = n.Left
			}
		}
		for _, step := range tree.Leaves[-1-child].Steps {
			scores[int(step[0])] += step[1]
		}
	}
	return scores
}

// TestJSON predicts from the JSON alone.
func TestJSON(t *testing.T) {
	d := blobs(152, 200, 4, 5, 255).punch(152, 0.05)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Names: []string{"länge", "<b>", `"q"`, "f\n3"}})
			if err != nil {
				t.Fatal(err)
			}
			m := train(t, set, params(func(p *aoso.Params) { v.change(p); rounds(p, 2, 5) }), aoso.TrainOptions{}).Model
			var j jsonModel
			all := written(t, exported(m, "json"))
			if err := json.Unmarshal(all, &j); err != nil {
				t.Fatal(err)
			}
			last := written(t, func(w io.Writer) error { return m.Export(w, "json_tree", aoso.ExportOptions{Tree: m.Trees() - 1}) })
			if !bytes.HasSuffix(all, append(last, "\n]}\n"...)) {
				t.Errorf("the last tree alone is %s", last)
			}
			if j.Format != "aoso-json" || j.Version != 1 || fmt.Sprint(j.Header) != fmt.Sprint(contentOf(m).Header) || len(j.Trees) != m.Trees() {
				t.Fatalf("%+v", j.Header)
			}
			want := rawScores(t, m, d.features(), aoso.PredictOptions{})
			for i, row := range d.x {
				got := j.scores(row)
				if !slices.Equal(got, want[i*5:][:5]) {
					t.Fatalf("row %d: scores %v, want %v", i, got, want[i*5:][:5])
				}
			}
			n := j.Trees[0].Nodes[0]
			if n.Rows != 200 || n.Gain != gains(forest(m))[0] || len(n.Pairs) == 0 || (len(n.Pairs[0]) == 1) != (v.name == "logitboost") {
				t.Errorf("%+v", n)
			}
		})
	}
}

func TestDOT(t *testing.T) {
	d := blobs(153, 200, 2, 9, 255)
	set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Names: []string{`a\"b"`, "c\nd"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range variants {
		m := train(t, set, params(func(p *aoso.Params) { v.change(p); rounds(p, 2, 9) }), aoso.TrainOptions{}).Model
		for _, tree := range []int{0, m.Trees() - 1} {
			text := string(written(t, func(w io.Writer) error { return m.Export(w, "dot", aoso.ExportOptions{Tree: tree}) }))
			leaves := m.Leaves(tree)
			if strings.Count(text, " -> ") != 2*(leaves-1) || strings.Count(text, "style=rounded") != leaves || strings.Count(text, "missing") != leaves-1 ||
				!strings.HasPrefix(text, fmt.Sprintf("digraph tree%d {\n", tree)) || !strings.HasSuffix(text, "}\n") ||
				!strings.Contains(text, `"a\\\"b\" < `) && !strings.Contains(text, `"c d < `) {
				t.Errorf("%s, tree %d:\n%s", v.name, tree, text)
			}
			if strings.Contains(text, "more") != (forest(m).ValuesPerLeaf() > 8) {
				t.Errorf("%s: leaves show too many classes:\n%s", v.name, text)
			}
		}
	}
}

func TestExportErrors(t *testing.T) {
	one := trained(t, &table{x: [][]float64{{1}, {2}}, y: []int{0, 0}}, params(func(p *aoso.Params) { p.NEstimators = 1 })).Model
	wantArgumentError(t, one.Export(io.Discard, "onnx"), "classes", "1", "at least 2")
	wantArgumentError(t, one.Export(io.Discard, "lightgbm"), "classes", "1", "at least 2")
	for _, tree := range []int{-1, 0} {
		wantArgumentError(t, one.Export(io.Discard, "dot", aoso.ExportOptions{Tree: tree}), "tree", "below 0")
	}
	written(t, exported(one, "json"))
	m := chain(2, 0.5)
	wantArgumentError(t, m.Export(io.Discard, "dot", aoso.ExportOptions{Tree: 1}), "tree", "1", "at least 0 and below 1")
	wantArgumentError(t, m.Export(io.Discard, "json_tree", aoso.ExportOptions{Tree: 1}), "tree", "1", "at least 0 and below 1")
}
