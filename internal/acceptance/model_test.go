package acceptance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/forc"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/tools/cases"
)

// encode returns the bytes of a model's file.
func encode(t testing.TB, m *aoso.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// encodePlain returns a file that is not packed, as checkpoints hold it.
func encodePlain(t testing.TB, m *aoso.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := contentOf(m).EncodePlain(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func dump(t testing.TB, m *aoso.Model, trees int) string {
	t.Helper()
	var b strings.Builder
	if err := m.Export(&b, "text", aoso.ExportOptions{Trees: trees}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSaveLoad: what comes back does all that the model did.
func TestSaveLoad(t *testing.T) {
	d := blobs(70, 300, 4, 5, 255).punch(70, 0.05)
	x := d.features()
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			set, err := aoso.NewDataset(x, d.labels(), aoso.DatasetOptions{Names: []string{"länge", "<b>", `"q"`, "f\n3"}})
			if err != nil {
				t.Fatal(err)
			}
			m := train(t, set, params(func(p *aoso.Params) { v.change(p); rounds(p, 3, 5) }), aoso.TrainOptions{}).Model
			path := filepath.Join(t.TempDir(), "m.aoso")
			if err := os.WriteFile(path, []byte("an older file"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := m.Save(path); err != nil {
				t.Fatal(err)
			}
			loaded, err := aoso.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if loaded.Fingerprint() != m.Fingerprint() || len(m.Fingerprint()) != 32 {
				t.Errorf("fingerprint %s, want %s", loaded.Fingerprint(), m.Fingerprint())
			}
			if !slices.Equal(rawScores(t, loaded, x, aoso.PredictOptions{}), rawScores(t, m, x, aoso.PredictOptions{})) {
				t.Error("the scores differ")
			}
			if dump(t, loaded, 0) != dump(t, m, 0) {
				t.Error("the dumps differ")
			}
			if !slices.Equal(loaded.PairImportances(), m.PairImportances()) {
				t.Error("the importances differ")
			}
			if !slices.Equal(loaded.Classes(), m.Classes()) || !slices.Equal(loaded.FeatureNames(), m.FeatureNames()) ||
				loaded.Trees() != m.Trees() || loaded.TreesPerIteration() != m.TreesPerIteration() {
				t.Error("classes, names or numbers of trees differ")
			}
			p := m.Params()
			if p.NThread != 1 {
				t.Errorf("the model was trained with %d threads", p.NThread)
			}
			if p.NThread = 0; loaded.Params() != p {
				t.Errorf("parameters %+v, want %+v", loaded.Params(), p)
			}
			if !bytes.Equal(encode(t, loaded), encode(t, m)) {
				t.Error("written again, the file is another one")
			}
		})
	}
}

// TestLabelType: the note is in the file and in derived models, and not in the fingerprint.
func TestLabelType(t *testing.T) {
	d := blobs(71, 100, 2, 3, 255)
	set, err := aoso.NewDataset(d.features(), d.labels())
	if err != nil {
		t.Fatal(err)
	}
	m := train(t, set, params(func(p *aoso.Params) { rounds(p, 3, 5) }), aoso.TrainOptions{}).Model
	with, err := forc.WithLabelType(m, "int8")
	if err != nil {
		t.Fatal(err)
	}
	noted := with.(*aoso.Model)
	shorter, err := noted.Truncated(1)
	if err != nil {
		t.Fatal(err)
	}
	if loaded := reread(t, shorter); loaded.LabelType() != "int8" || m.LabelType() != "" {
		t.Errorf("label types %q and %q", loaded.LabelType(), m.LabelType())
	}
	if noted.Fingerprint() != m.Fingerprint() {
		t.Error("the note changes the fingerprint")
	}
	if _, err := forc.WithLabelType(m, strings.Repeat("x", 65)); err == nil {
		t.Error("a note of 65 bytes is taken")
	}
}

// TestContinueLoaded continues a model from its file.
func TestContinueLoaded(t *testing.T) {
	d := blobs(71, 300, 4, 5, 255)
	p := params(func(p *aoso.Params) { p.NEstimators = 5 })
	m := trained(t, d, p).Model
	loaded, err := decode(encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	var prints []string
	for _, init := range []*aoso.Model{m, loaded} {
		set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: init})
		if err != nil {
			t.Fatal(err)
		}
		prints = append(prints, train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint())
	}
	if prints[0] != prints[1] || loaded.Fingerprint() != m.Fingerprint() {
		t.Errorf("fingerprints %s", prints)
	}
}

// TestFingerprint: equal for equal models only.
func TestFingerprint(t *testing.T) {
	d := blobs(72, 300, 4, 3, 255)
	base := func(p *aoso.Params) { p.NEstimators = 3 }
	model := func(change func(*aoso.Params), labels aoso.Labels, names []string) *aoso.Model {
		set, err := aoso.NewDataset(d.features(), labels, aoso.DatasetOptions{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		return train(t, set, params(func(p *aoso.Params) { base(p); change(p) }), aoso.TrainOptions{}).Model
	}
	same := func(*aoso.Params) {}
	want := model(same, d.labels(), nil).Fingerprint()
	for name, change := range map[string]func(*aoso.Params){
		"seed that nothing draws from": func(p *aoso.Params) { p.Seed = 9 },
		"threads":                      func(p *aoso.Params) { p.NThread = 3 },
		"level":                        func(p *aoso.Params) { p.Level = "generic" },
		"bound out of reach":           func(p *aoso.Params) { p.StopLoss = 1e-9 },
	} {
		if got := model(change, d.labels(), nil).Fingerprint(); got != want {
			t.Errorf("%s: fingerprint %s, want %s", name, got, want)
		}
	}
	words := make([]string, len(d.y))
	for i, y := range d.y {
		words[i] = string(rune('a' + y))
	}
	for name, m := range map[string]*aoso.Model{
		"learning rate": model(func(p *aoso.Params) { p.LearningRate = 0.11 }, d.labels(), nil),
		"a tree":        model(func(p *aoso.Params) { p.NEstimators = 4 }, d.labels(), nil),
		"classes":       model(same, aoso.StringLabels(words), nil),
		"features":      model(same, d.labels(), []string{"a", "b", "c", "d"}),
	} {
		if m.Fingerprint() == want {
			t.Errorf("another model by %s has the same fingerprint", name)
		}
	}
}

func TestSaveErrors(t *testing.T) {
	m := trained(t, blobs(73, 50, 3, 3, 255), params(func(p *aoso.Params) { p.NEstimators = 2 })).Model
	dir := t.TempDir()
	if err := m.Save(filepath.Join(dir, "none", "m.aoso")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "m.aoso") {
		t.Errorf("a missing folder: %v", err)
	}
	if err := m.Save(dir); err == nil {
		t.Error("a folder was replaced")
	}
	full := errors.New("no space left on device")
	for room := range len(encode(t, m)) {
		if err := m.Write(&shortWriter{room, full}); !errors.Is(err, full) {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
	}
}

// shortWriter has room for this many bytes.
type shortWriter struct {
	room int
	err  error
}

func (w *shortWriter) Write(b []byte) (int, error) {
	if len(b) > w.room {
		return w.room, w.err
	}
	w.room -= len(b)
	return len(b), nil
}

func TestLoadErrors(t *testing.T) {
	good := encode(t, trained(t, blobs(74, 50, 3, 3, 255), params(func(p *aoso.Params) { p.NEstimators = 2 })).Model)
	newer := bytes.Clone(good)
	newer[8] = 99
	meta := func(old, new string) []byte {
		b := bytes.Replace(good, []byte(old), []byte(new), 1)
		if bytes.Equal(b, good) || len(b) != len(good) {
			t.Fatalf("cannot put %s for %s", new, old)
		}
		repair(b)
		return b
	}
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, aoso.ErrTruncated},
		{"text", []byte("a,b,c\n1,2,3\n"), aoso.ErrNotModel},
		{"start only", good[:20], aoso.ErrTruncated},
		{"half", good[:len(good)/2], aoso.ErrTruncated},
		{"last byte missing", good[:len(good)-1], aoso.ErrTruncated},
		{"byte too much", append(bytes.Clone(good), 0), aoso.ErrCorrupt},
		{"newer", newer, aoso.ErrNewer},
		{"leaf", meta(`"leaf": "full"`, `"leaf": "fool"`), aoso.ErrCorrupt},
		{"pairs", meta(`"pairs": 1`, `"pairs": 3`), aoso.ErrCorrupt},
		{"trees an iteration", meta(`"trees_per_iteration": 1`, `"trees_per_iteration": 0`), aoso.ErrCorrupt},
		{"no such array", meta(`"name":"gain"`, `"name":"gein"`), aoso.ErrCorrupt},
		{"array of another type", meta(`"name":"gain","type":"f32"`, `"name":"gain","type":"u32"`), aoso.ErrCorrupt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "broken.aoso")
			if err := os.WriteFile(path, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := aoso.Load(path)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), "broken.aoso") || m != nil {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
	if _, err := aoso.Load(filepath.Join(t.TempDir(), "none.aoso")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestFlippedBits changes every byte of a file.
func TestFlippedBits(t *testing.T) {
	good := encode(t, trained(t, blobs(75, 30, 2, 3, 255), params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 2, 3 })).Model)
	for i := range good {
		for _, bit := range []byte{1, 0x10, 0x80} {
			bad := bytes.Clone(good)
			bad[i] ^= bit
			if _, err := decode(bad); err == nil {
				t.Errorf("byte %d changed from %#x to %#x: no error", i, good[i], bad[i])
			}
		}
	}
}

// repair puts the right checksums into a model file that was changed. What is
// no model file any more stays as it is.
func repair(data []byte) {
	if len(data) < 32 {
		return
	}
	size := binary.LittleEndian.Uint64(data[16:])
	if size > uint64(len(data))-32 {
		return
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	head := data[:32+size]
	for _, m := range arrayEntry.FindAllSubmatchIndex(head, -1) {
		count, err1 := strconv.ParseUint(string(head[m[4]:m[5]]), 10, 32)
		offset, err2 := strconv.ParseUint(string(head[m[8]:m[9]]), 10, 32)
		size := count * map[byte]uint64{'8': 1, '6': 2, '2': 4, '4': 8}[head[m[3]-1]]
		if m[6] >= 0 {
			size, err1 = strconv.ParseUint(string(head[m[6]:m[7]]), 10, 32)
		}
		if end := offset + size; err1 == nil && err2 == nil && end <= uint64(len(data)) {
			copy(head[m[10]:m[11]], fmt.Sprintf("%08x", crc32.Checksum(data[offset:end], castagnoli)))
		}
	}
	binary.LittleEndian.PutUint64(data[24:], uint64(len(data)))
	binary.LittleEndian.PutUint32(data[12:], crc32.Update(crc32.Checksum(head[:12], castagnoli), castagnoli, head[16:]))
}

// In the entry of an array: its type, count, bytes if it is packed, offset and checksum.
var arrayEntry = regexp.MustCompile(`"type":"(\w+)","count":(\d+)(?:,"packed":(\d+))?,"offset":(\d+),"crc32c":"(\w{8})"`)

// use does everything with a decoded model that reads its arrays.
func use(t *testing.T, m *aoso.Model) {
	cols := len(m.FeatureNames())
	if cols > 1000 || len(m.Classes()) > 1000 || m.Trees() > 1000 {
		return // takes memory or time, which proves nothing
	}
	values := []float64{-1e300, 0, 100, 128, 150, math.NaN(), 1e300, math.Inf(1)}
	data := make([]float64, len(values)*cols)
	for i := range data {
		data[i] = values[(i+i/cols)%len(values)]
	}
	x := aoso.RowMajor(data, len(values), cols)
	scores := rawScores(t, m, x, aoso.PredictOptions{NThread: 1})
	stages, err := m.Staged(x, 1, aoso.PredictOptions{NThread: 1})
	if err != nil {
		t.Fatal(err)
	}
	for trees, staged := range stages {
		if trees == m.Trees() && !slices.Equal(staged, scores) {
			t.Error("the last stage has other scores")
		}
	}
	if _, err := m.PredictProba(x, aoso.PredictOptions{NThread: 1}); err != nil {
		t.Error(err)
	}
	if m.ConformalRows() > 0 {
		eachSet(func(s aoso.SetOptions) { predictSet(t, m, x, s, aoso.PredictOptions{NThread: 1}) })
	}
	leaves, err := m.PredictLeaf(x, aoso.PredictOptions{NThread: 1})
	if err != nil {
		t.Error(err)
	}
	for i, leaf := range leaves {
		if int(leaf) >= m.Leaves(i%m.Trees()) {
			t.Errorf("leaf %d of %d", leaf, m.Leaves(i%m.Trees()))
		}
	}
	dump(t, m, 0)
	if len(m.Classes()) > 1 {
		for _, format := range []string{"json", "lightgbm", "onnx", "treelite"} {
			if err := m.Export(io.Discard, format); err != nil && !strings.Contains(err.Error(), "takes all values up to 1e-35 for 0") {
				t.Error(err)
			}
		}
	}
	for _, kind := range []string{"gain", "split"} {
		if _, err := m.Importance(kind); err != nil {
			t.Error(err)
		}
	}
	for _, p := range m.PairImportances() {
		if p.Classes[0] < 0 || p.Classes[0] >= len(m.Classes()) || p.Classes[1] < -1 || p.Classes[1] >= len(m.Classes()) {
			t.Errorf("importance of classes %v of %d", p.Classes, len(m.Classes()))
		}
	}
	m.Fingerprint()
	encode(t, m)
}

// smallFiles returns a model file of every variant, and one with categories.
func smallFiles(t testing.TB) (files [][]byte) {
	d := blobs(76, 60, 3, 4, 255).punch(76, 0.05)
	for _, v := range everyVariant {
		files = append(files, encode(t, trained(t, d, params(func(p *aoso.Params) { v.change(p); p.MaxLeaves = 4; rounds(p, 2, 4) })).Model))
	}
	m, err := decode(files[0])
	if err == nil {
		m, err = m.Conformalize(d.features(), d.labels(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return append(files, encode(t, m), encodePlain(t, m), encode(t, forgeable(t)), encode(t, named(t, 2)))
}

// TestDamagedFiles changes files at random and repairs the checksums, so that
// it is the content that must be found wrong, or do no harm.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	seed := cases.Seed(t)
	t.Logf("AOSO_TEST_SEED=%d repeats it", seed)
	r := rand.New(rand.NewPCG(seed, 77))
	decoded, refused, each := 0, 0, cases.Count(60, 1500)
	for _, good := range smallFiles(t) {
		for range each {
			bad := damaged(r, good)
			m, err := decode(bad)
			if err != nil {
				refused++
				continue
			}
			decoded++
			use(t, m)
		}
	}
	if decoded < each || refused < each {
		t.Errorf("%d damaged files were decoded, %d refused: want many of both", decoded, refused)
	}
}

// damaged returns a file with some bytes changed, most of them past its header, and
// its checksums right again.
func damaged(r *rand.Rand, good []byte) []byte {
	bad, body := bytes.Clone(good), int(32+binary.LittleEndian.Uint64(good[16:]))
	for range 1 + r.IntN(3) {
		i := r.IntN(len(bad))
		if r.IntN(3) > 0 {
			i = body + r.IntN(len(bad)-body)
		}
		bad[i] = []byte{0, 1, 2, 0x7f, 0x80, 0xff, byte(r.IntN(256)), bad[i] ^ 1<<r.IntN(8)}[r.IntN(8)]
	}
	repair(bad)
	return bad
}

func FuzzDecode(f *testing.F) {
	for _, file := range smallFiles(f) {
		f.Add(file, true)
		f.Add(file, false)
		f.Add(file[:len(file)/2], true)
	}
	f.Fuzz(func(t *testing.T, data []byte, repaired bool) {
		if repaired {
			data = bytes.Clone(data)
			repair(data)
		}
		if m, err := decode(data); err == nil {
			use(t, m)
		}
	})
}

// TestDump: 8 rows of which a split on "size" tells class a from the others
// and one on "age" those apart; missing ages are b.
func TestDump(t *testing.T) {
	nan := math.NaN()
	d := [][]float64{{1, 5}, {1, 6}, {1, 5}, {1, 6}, {3, 5}, {3, 5}, {3, nan}, {3, 7}}
	x, err := aoso.FromRows(d)
	if err != nil {
		t.Fatal(err)
	}
	set, err := aoso.NewDataset(x, aoso.StringLabels([]string{"a", "a", "a", "a", "b", "b", "b", "c"}), aoso.DatasetOptions{Names: []string{"size", "age"}})
	if err != nil {
		t.Fatal(err)
	}
	gain := regexp.MustCompile(`gain \S+`)
	tests := []struct {
		name   string
		change func(*aoso.Params)
		want   string
	}{
		// At p = 1/3 a row of class r has g = 1, one of s has −1, others 0, and
		// h is 2/3 for all. At the root m = (4/3, 1/3, −5/3), so r = a. Both b
		// (4 − 3 = 1) and c (4 − 1 = 3) are ahead of h = 8·2/3 alike: s = c.
		// Left G, H = 4, 8/3, right −1, 8/3: gain (16 + 1 − 9/2)/2/(8/3) = 2.34375.
		// Right m = (−4/3, 5/3, −1/3): r = b, s = a by 3²/(8/3); G of the 3 rows
		// of b is 3, of the row of c 0: gain (9/2 + 0 − 9/(8/3))/2 = 0.5625. Of the
		// edges 5.5 and 6.5 between 5 and 7, the last not above 6 is the cut.
		{"paper", paper, `tree 0
  size < 2  [a|c]  missing right  gain 2.344  rows 8
    leaf  a|b +0.15  rows 4
    age < 5.5  [b|a]  missing left  gain 0.562  rows 4
      leaf  b|a +0.15  rows 3
      leaf  c|a +0.15  rows 1
`},
		// t_k = 2/3·m_k/(n·2/9), less their mean.
		{"full", func(p *aoso.Params) { p.Pairs = 1 }, `tree 0
  size < 2  [a|c]  missing right  gain 2.344  rows 8
    leaf  a +0.2  b -0.1  c -0.1  rows 4
    age < 5.5  [b|a]  missing left  gain 0.562  rows 4
      leaf  a -0.1  b +0.2  c -0.1  rows 3
      leaf  a -0.1  b -0.1  c +0.2  rows 1
`},
		// For class a alone g = ±2/3, ±1/3 and h = 2/9: gain of the first split
		// ((8/3)² + (4/3)²)/(2·8/9) − (4/3)²/(2·16/9) = 4.5, which leaves nothing.
		{"logitboost", func(p *aoso.Params) { p.Method, p.NEstimators = aoso.MethodLogitBoost, 3 }, `tree 0
  size < 2  [a]  missing right  gain 4.500  rows 8
    leaf  a +0.2  rows 4
    leaf  a -0.1  rows 4
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := train(t, set, params(func(p *aoso.Params) { p.NEstimators = 1; test.change(p) }), aoso.TrainOptions{}).Model
			got := gain.ReplaceAllStringFunc(dump(t, m, 1), func(text string) string {
				v, err := strconv.ParseFloat(text[len("gain "):], 64)
				if err != nil {
					t.Error(err)
				}
				return fmt.Sprintf("gain %.3f", v) // fixed point does not give more
			})
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestDumpNamesPairs: a node lists its pairs, of several and of one class.
func TestDumpNamesPairs(t *testing.T) {
	d := blobs(78, 500, 4, 6, 255)
	for pairs, want := range map[int]string{1: `\[\d\|\d\]`, 2: `\[\d\|\d \d\|\d\]`, 4: `\[\d\|\d \d\|\d \d\|\d\]`} {
		m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.Pairs = 3, pairs })).Model
		text := dump(t, m, 0)
		nodes := strings.Count(text, " < ")
		if named := len(regexp.MustCompile(want).FindAllString(text, -1)); named != nodes || nodes != 3*19 {
			t.Errorf("%d pairs: %d of %d nodes have the form %s", pairs, named, nodes, want)
		}
		if leaves := strings.Count(text, "leaf "); leaves != 3*20 || strings.Count(text, "tree ") != 3 {
			t.Errorf("%d pairs: %d leaves", pairs, leaves)
		}
		if one := dump(t, m, 1); !strings.HasPrefix(text, one) || strings.Contains(one, "tree 1") {
			t.Errorf("the dump of one tree is\n%s", one)
		}
	}
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 3 })).Model
	wantArgumentError(t, m.Export(&strings.Builder{}, "text", aoso.ExportOptions{Trees: 4}), "trees", "4", "0 to 3")
	wantArgumentError(t, m.Export(&strings.Builder{}, "text", aoso.ExportOptions{Trees: -1}), "trees", "-1")
	full := errors.New("full")
	if err := m.Export(&shortWriter{100, full}, "text"); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

func TestImportance(t *testing.T) {
	d := blobs(79, 1000, 5, 5, 255)
	for _, row := range d.x {
		row[2] = 1 // constant
	}
	for _, v := range everyVariant {
		t.Run(v.name, func(t *testing.T) {
			m := trained(t, d, params(func(p *aoso.Params) { v.change(p); rounds(p, 4, 5) })).Model
			gain, err1 := m.Importance("gain")
			splits, err2 := m.Importance("split")
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			total, nodes := 0.0, 0.0
			for j := range gain {
				if (gain[j] > 0) != (j != 2) || (splits[j] > 0) != (j != 2) {
					t.Errorf("feature %d: gain %g in %g splits", j, gain[j], splits[j])
				}
				total += gain[j]
				nodes += splits[j]
			}
			if int(nodes) != forest(m).Nodes() {
				t.Errorf("%g splits of %d", nodes, forest(m).Nodes())
			}
			byPair := make([]float64, len(gain))
			pairs := m.PairImportances()
			seen := map[string]bool{}
			for i, p := range pairs {
				byPair[p.Feature] += p.Gain
				if i > 0 && p.Gain > pairs[i-1].Gain {
					t.Errorf("gain %g after %g", p.Gain, pairs[i-1].Gain)
				}
				alone := p.Classes[1] < 0
				if alone != (m.Params().Method == aoso.MethodLogitBoost) || !alone && p.Classes[0] >= p.Classes[1] || p.Splits < 1 {
					t.Errorf("%+v", p)
				}
				seen[fmt.Sprint(p.Feature, p.Classes)] = true
			}
			if len(seen) != len(pairs) {
				t.Errorf("%d different of %d", len(seen), len(pairs))
			}
			for j := range gain {
				if !near(byPair[j], gain[j], 1e-9) {
					t.Errorf("feature %d: gain %g, %g over the pairs", j, gain[j], byPair[j])
				}
			}
			if total <= 0 {
				t.Error("no gain at all")
			}
		})
	}
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 1 })).Model
	_, err := m.Importance("weight")
	wantArgumentError(t, err, "importance", `"weight"`, "gain, split or cover")
}

// TestPairImportances: each feature tells one pair of classes apart.
func TestPairImportances(t *testing.T) {
	r := rand.New(rand.NewPCG(80, 0))
	d := &table{}
	for range 2000 {
		y := r.IntN(4)
		row := []float64{r.Float64(), r.Float64()}
		row[y/2] += float64(y % 2) // feature 0 tells 0 from 1, feature 1 tells 2 from 3
		d.x, d.y = append(d.x, row), append(d.y, y)
	}
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.Pairs = 50, 1 })).Model
	best := map[[2]int]aoso.PairImportance{}
	for _, p := range m.PairImportances() {
		if p.Gain > best[p.Classes].Gain {
			best[p.Classes] = p
		}
	}
	for classes, feature := range map[[2]int]int{{0, 1}: 0, {2, 3}: 1} {
		if got, ok := best[classes]; !ok || got.Feature != feature {
			t.Errorf("classes %v are told apart by feature %d (%v), want %d", classes, got.Feature, ok, feature)
		}
	}
}

// TestModelGivesCopies: what a model hands out is not its own.
func TestModelGivesCopies(t *testing.T) {
	m := trained(t, blobs(81, 50, 3, 3, 255), params(func(p *aoso.Params) { p.NEstimators = 1 })).Model
	print := m.Fingerprint()
	m.Classes()[0], m.FeatureNames()[0] = "?", "?"
	if m.Fingerprint() != print {
		t.Error("classes or names could be changed from outside")
	}
}

// TestLevelNames: there is always a way to compute, each by its own name.
func TestLevelNames(t *testing.T) {
	names := aoso.Levels()
	unique := map[string]bool{}
	for _, name := range names {
		unique[name] = true
		if r := trained(t, blobs(82, 50, 3, 3, 255), params(func(p *aoso.Params) { p.Level, p.NEstimators = name, 1 })); r.Level != name {
			t.Errorf("level %s gives %s", name, r.Level)
		}
	}
	if len(unique) != len(names) || names[len(names)-1] != "generic" {
		t.Errorf("levels %q", names)
	}
}

// TestHugeWeights: gains beyond float32 are cut, so that the file of the model
// can be read.
func TestHugeWeights(t *testing.T) {
	d := blobs(120, 300, 4, 6, 255)
	d.weights = make([]float64, len(d.y))
	for i := range d.weights {
		d.weights[i] = 1e15
	}
	for _, leaf := range []string{"full", "pair"} {
		m := trained(t, d, params(func(p *aoso.Params) { p.Leaf, p.NEstimators, p.LearningRate, p.MaxDeltaStep = leaf, 60, 1, 20 })).Model
		loaded, err := decode(encode(t, m))
		if err != nil || loaded.Fingerprint() != m.Fingerprint() {
			t.Errorf("leaf %s: %v", leaf, err)
		}
	}
}

// TestCheckAllows what data of some number of classes allow.
func TestCheckAllows(t *testing.T) {
	p := params(func(p *aoso.Params) { p.Method, p.NEstimators = aoso.MethodLogitBoost, 1 })
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	set := newDataset(t, &table{x: [][]float64{{1}, {2}}, y: []int{0, 0}})
	train(t, set, p, aoso.TrainOptions{})
	_, err := aoso.Train(t.Context(), newDataset(t, blobs(121, 30, 2, 3, 255)), p)
	wantArgumentError(t, err, "n_estimators", "at least 3")
}

// TestNamesTooLong: a training whose model could not be saved is refused before it begins.
func TestNamesTooLong(t *testing.T) {
	if !cases.Long() {
		t.Skip("takes long")
	}
	long := strings.Repeat("a", 45<<20)
	for name, o := range map[string]aoso.DatasetOptions{"features": {Names: []string{long + "b", long + "c"}}, "control": {Names: []string{"x", strings.Repeat("\x01", 12<<20)}}} {
		d, err := aoso.NewDataset(aoso.RowMajor([]float64{0, 1, 2, 3}, 2, 2), aoso.IntLabels([]int{0, 1}), o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = aoso.Train(t.Context(), d, aoso.DefaultParams())
		wantArgumentError(t, err, "train", "names that a model file can hold")
		if err == nil {
			t.Errorf("%s: trained", name)
		}
	}
	classes := aoso.StringLabels([]string{long + "b", long + "c"})
	d, err := aoso.NewDataset(aoso.RowMajor([]float64{0, 1, 2, 3}, 2, 2), classes)
	if err != nil {
		t.Fatal(err)
	}
	_, err = aoso.Train(t.Context(), d, aoso.DefaultParams())
	wantArgumentError(t, err, "train", "names that a model file can hold")
	fits := aoso.DatasetOptions{Names: []string{"x", long}}
	if d, err = aoso.NewDataset(aoso.RowMajor([]float64{0, 1, 2, 3}, 2, 2), aoso.IntLabels([]int{0, 1}), fits); err != nil {
		t.Fatal(err)
	}
	if err := train(t, d, aoso.DefaultParams(), aoso.TrainOptions{}).Model.Write(io.Discard); err != nil {
		t.Error(err)
	}
}

func encodeContent(t testing.TB, c *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
