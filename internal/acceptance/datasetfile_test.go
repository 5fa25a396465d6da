package acceptance

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/tools/cases"
)

// saved saves a dataset, and loads it again for the length of the test.
func saved(t testing.TB, set *aoso.Dataset) (path string, loaded *aoso.Dataset) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "set.aoso")
	if err := set.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := aoso.LoadDataset(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { loaded.Close() })
	return path, loaded
}

// decodeDataset returns the dataset of a file in memory.
func decodeDataset(t testing.TB, file []byte) (*aoso.Dataset, error) {
	path := filepath.Join(t.TempDir(), "set")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return aoso.ReadDataset(path)
}

func encodeSet(t testing.TB, set *data.Set) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := set.Writer().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// mixed returns a table with every kind of feature: sparse, small, constant, with
// few values and many, missing ones and none but those.
func mixed(seed uint64, rows int) *table {
	r := rand.New(rand.NewPCG(seed, 21))
	d := blobs(seed, rows, 4, 4, 5000).punch(seed, 0.02)
	for i, row := range d.x {
		for j := range 8 {
			v := 0.0
			if (i+j)%11 == 0 {
				v = float64(1 + d.y[i])
			}
			row = append(row, v)
		}
		d.x[i] = append(row, 7, math.NaN(), float64(r.IntN(3)), float64(r.IntN(9)), float64(r.IntN(2)+d.y[i]))
	}
	return d
}

func TestSaveDataset(t *testing.T) {
	all := letter()
	sets := map[string]*aoso.Dataset{
		"letter":   newDataset(t, all),
		"mixed":    newDataset(t, mixed(80, 3000)),
		"weighted": newDataset(t, mixed(81, 500).weighted(81)),
	}
	dense, err := aoso.NewDataset(mixed(80, 3000).features(), mixed(80, 3000).labels(), aoso.DatasetOptions{DenseOnly: true, MaxBin: 30})
	if err != nil {
		t.Fatal(err)
	}
	sets["dense"] = dense
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			path, got := saved(t, set)
			wantSameDataset(t, got, set)
			if len(setOf(t, got).Matrix.Joint) != len(setOf(t, set).Matrix.Joint) || (len(setOf(t, set).Matrix.Sparse) == 0) != (name == "dense" || name == "letter") {
				t.Errorf("%d joint columns and %d sparse groups, had %d and %d", len(setOf(t, got).Matrix.Joint), len(setOf(t, got).Matrix.Sparse), len(setOf(t, set).Matrix.Joint), len(setOf(t, set).Matrix.Sparse))
			}
			p := params(func(p *aoso.Params) { p.NEstimators, p.Subsample = 5, 0.9 })
			want := train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint()
			if got := train(t, got, p, aoso.TrainOptions{}).Model.Fingerprint(); got != want {
				t.Errorf("fingerprint %s, want %s", got, want)
			}
			// What was saved from the file is the file.
			again := filepath.Join(t.TempDir(), "again.aoso")
			if err := got.Save(again); err != nil {
				t.Fatal(err)
			}
			first, err1 := os.ReadFile(path)
			second, err2 := os.ReadFile(again)
			if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
				t.Errorf("%d bytes, %d saved again; %v, %v", len(first), len(second), err1, err2)
			}
			// The file may go while it is in use.
			if err := set.Save(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			wantSameDataset(t, got, set)
			got.Close()
			got.Close()
			if got.Rows() != set.Rows() || !slices.Equal(got.Classes(), set.Classes()) {
				t.Error("the facts have gone with the memory")
			}
			wantArgumentError(t, got.Save(path), "dataset", "closed")
		})
	}
}

// TestSavedValidation: validation sets go with training sets, whichever of
// the two were saved.
func TestSavedValidation(t *testing.T) {
	d := letter()
	set := newDataset(t, d.slice(0, 1500))
	fresh := d.slice(1500, 2500)
	fresh.y = slices.Clone(fresh.y)
	fresh.y[5] = 99
	valid := aligned(t, set, fresh)
	_, loaded := saved(t, set)
	_, loadedValid := saved(t, valid)
	wantSameDataset(t, loadedValid, valid)
	wantSameDataset(t, aligned(t, loaded, fresh), valid)
	if loadedValid.Unknown() != 1 {
		t.Errorf("%d rows of unknown classes", loadedValid.Unknown())
	}
	p := params(func(p *aoso.Params) { p.NEstimators = 4 })
	want := train(t, set, p, aoso.TrainOptions{Valid: valid})
	for _, set := range []*aoso.Dataset{set, loaded} {
		for _, valid := range []*aoso.Dataset{valid, loadedValid, aligned(t, loaded, fresh)} {
			if got := train(t, set, p, aoso.TrainOptions{Valid: valid}); *got.Valid != *want.Valid || got.Model.Fingerprint() != want.Model.Fingerprint() {
				t.Errorf("%+v, want %+v", *got.Valid, *want.Valid)
			}
		}
	}
	_, err := aoso.NewTrainer(loadedValid, p)
	wantArgumentError(t, err, "train", "unknown")
}

func TestSaveDatasetErrors(t *testing.T) {
	d := blobs(82, 50, 3, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 2 })).Model
	set, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: m})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "set.aoso")
	wantArgumentError(t, set.Save(path), "dataset", "continues a model")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
	if err := newDataset(t, d).Save(filepath.Join(path, "none", "set.aoso")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

func TestLoadDatasetErrors(t *testing.T) {
	set := newDataset(t, mixed(83, 60).weighted(83))
	good := encodeDataset(t, set)
	model := encode(t, train(t, set, params(func(p *aoso.Params) { p.NEstimators = 2 }), aoso.TrainOptions{}).Model)
	newer := bytes.Clone(good)
	newer[8] = 99
	with := func(old, new string) []byte {
		b := bytes.Replace(good, []byte(old), []byte(new), 1)
		if bytes.Equal(b, good) || len(b) != len(good) {
			t.Fatalf("cannot put %s for %s", new, old)
		}
		repair(b)
		return b
	}
	for _, test := range []struct {
		name string
		data []byte
		want error
		text string
	}{
		{"empty", nil, aoso.ErrTruncated, "0 bytes"},
		{"text", []byte("a,b,c\n1,2,3\n"), aoso.ErrNotModel, "not an aoso dataset file"},
		{"model", model, aoso.ErrNotModel, "not an aoso dataset file: it is a model"},
		{"start only", good[:20], aoso.ErrTruncated, ""},
		{"half", good[:len(good)/2], aoso.ErrTruncated, ""},
		{"last byte missing", good[:len(good)-1], aoso.ErrTruncated, ""},
		{"byte too much", append(bytes.Clone(good), 0), aoso.ErrCorrupt, ""},
		{"newer", newer, aoso.ErrNewer, ""},
		{"rows", with(`"rows": 60`, `"rows": 61`), aoso.ErrCorrupt, "61 rows have 60 labels"},
		{"no such array", with(`"name":"codes"`, `"name":"cudes"`), aoso.ErrCorrupt, "codes"},
		{"a class less", with(`"classes": [
      "0",`, `"classes": [
          `), aoso.ErrCorrupt, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "broken.aoso")
			if err := os.WriteFile(path, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := aoso.LoadDataset(path)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), "broken.aoso") || !strings.Contains(err.Error(), test.text) || d != nil {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
	if _, err := aoso.LoadDataset(filepath.Join(t.TempDir(), "none.aoso")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "set.aoso")
	if err := set.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := aoso.Load(path); !errors.Is(err, aoso.ErrNotModel) || !strings.Contains(err.Error(), "not an aoso model file: it is a dataset") {
		t.Errorf("a dataset as a model: %v", err)
	}
	for _, i := range cases.Some(t, 250, cases.Numbers(len(good))) {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if _, err := decodeDataset(t, bad); err == nil {
			t.Errorf("byte %d changed: no error", i)
		}
	}
}

// TestReadDataset: what was read does not need its file.
func TestReadDataset(t *testing.T) {
	set := newDataset(t, mixed(86, 3000))
	path, _ := saved(t, set)
	d, err := aoso.ReadDataset(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil { // of a mapped file the end of the program
		t.Fatal(err)
	}
	wantSameDataset(t, d, set)
	p := params(func(p *aoso.Params) { p.NEstimators = 3 })
	if got, want := train(t, d, p, aoso.TrainOptions{}).Model.Fingerprint(), train(t, set, p, aoso.TrainOptions{}).Model.Fingerprint(); got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
	d.Close()
	if _, err := aoso.ReadDataset(path); !errors.Is(err, aoso.ErrTruncated) || !strings.Contains(err.Error(), path) {
		t.Errorf("an empty file: %v", err)
	}
}

func encodeDataset(t testing.TB, d *aoso.Dataset) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "set")
	if err := d.Save(path); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// useDataset trains on a decoded dataset, and validates.
func useDataset(t *testing.T, d *aoso.Dataset) {
	if len(setOf(t, d).Classes) > 1000 || len(setOf(t, d).Names) > 1000 || d.Rows() > 1000 {
		return // takes memory or time, which proves nothing
	}
	setOf(t, d).Columns()
	p := params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 3, 4 })
	b, err := aoso.NewTrainer(d, p, aoso.TrainOptions{Valid: d})
	if err != nil {
		if setOf(t, d).Unknown == 0 {
			t.Error(err)
		}
		return
	}
	defer b.Close()
	for more := true; more; _, more = b.Step(t.Context()) {
	}
	m := b.Result().Model
	x := aoso.RowMajor(make([]float64, 3*len(setOf(t, d).Names)), 3, len(setOf(t, d).Names))
	rawScores(t, m, x, aoso.PredictOptions{NThread: 1})
	if _, err := d.Aligned(x, make(aoso.Labels, 3), nil); err == nil {
		t.Error("labels of nothing are taken")
	}
	encodeDataset(t, d)
}

func smallDatasets(t testing.TB) (files [][]byte) {
	d := mixed(84, 40)
	set := newDataset(t, d)
	other := &table{x: d.x, y: append([]int{9}, d.y[1:]...)}
	columns, labels := coloured(60, 8, 3, 84)
	many, _ := coloured(60, 200, 3, 84)
	x, err := aoso.NewTable(columns[0], columns[1], many[0])
	if err != nil {
		t.Fatal(err)
	}
	categories, err := aoso.NewDataset(x, labels, aoso.DatasetOptions{MaxBin: 20})
	if err != nil {
		t.Fatal(err)
	}
	return [][]byte{
		encodeDataset(t, set), encodeDataset(t, newDataset(t, d.weighted(84))),
		encodeDataset(t, aligned(t, set, other)), encodeDataset(t, categories), encodeDataset(t, soften(d, 84).dataset(t)),
	}
}

// TestDamagedDatasets is TestDamagedFiles for datasets.
func TestDamagedDatasets(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 0))
	decoded, refused := 0, 0
	for _, good := range smallDatasets(t) {
		for range cases.Count(60, 1500) {
			bad := damaged(r, good)
			d, err := decodeDataset(t, bad)
			if err != nil {
				refused++
				continue
			}
			decoded++
			useDataset(t, d)
		}
	}
	if all := decoded + refused; decoded < all/10 || refused < all/10 {
		t.Errorf("%d damaged files were decoded, %d refused: want many of both", decoded, refused)
	}
}

// TestForgedDatasets is TestForgedModels for datasets.
func TestForgedDatasets(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(d *data.Set)
	}{
		{"60 rows have 59 labels", func(d *data.Set) { d.Labels = d.Labels[1:] }},
		{"features with bins have", func(d *data.Set) { d.Names = d.Names[1:] }},
		{`"0" is among the classes twice`, func(d *data.Set) { d.Classes[1] = "0" }},
		{`"" is among the classes`, func(d *data.Set) { d.Classes[1] = "" }},
		{"there are 0 classes", func(d *data.Set) { d.Classes = nil }},
		{"row 3 has label 4 of 4", func(d *data.Set) { d.Labels[3] = 4 }},
		{"row 3 has label -2", func(d *data.Set) { d.Labels[3] = -2 }},
		{"60 rows have 10 weights", func(d *data.Set) { d.Weights = d.Weights[:10] }},
		{"row 0 has weight NaN", func(d *data.Set) { d.Weights[0] = float32(math.NaN()) }},
		{"row 1 has weight -1", func(d *data.Set) { d.Weights[1] = -1 }},
		{"all weights are 0", func(d *data.Set) { clear(d.Weights) }},
		{"bins of feature 0 do not rise", func(d *data.Set) { d.Mapper.Features[0].Edges[2] = math.NaN() }},
		{"bins of feature 1 do not rise", func(d *data.Set) { f := d.Mapper.Features[1].Lower; f[1], f[2] = f[2], f[1] }},
		{"bins of feature 1 do not rise", func(d *data.Set) { d.Mapper.Features[1].Upper[0] = math.Inf(1) }},
		{"missing, lower, upper and edges", func(d *data.Set) { f := &d.Mapper.Features[0]; f.Upper = f.Upper[1:] }},
		{"its codes", func(d *data.Set) { d.Matrix.Codes()[7] = 255 }},
	} {
		set := setOf(t, newDataset(t, mixed(91, 60).weighted(91)))
		test.change(set)
		d, err := decodeDataset(t, encodeSet(t, set))
		if !errors.Is(err, aoso.ErrCorrupt) || !strings.Contains(err.Error(), test.want) || d != nil {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestForgedShares: shares that NewDataset refuses are refused in files too.
func TestForgedShares(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(s *data.Soft)
	}{
		{"has the share -0.5", func(s *data.Soft) { s.Shares[0] = -0.5 }},
		{"has the share NaN", func(s *data.Soft) { s.Shares[0] = float32(math.NaN()) }},
		{"has the share +Inf", func(s *data.Soft) { s.Shares[0] = float32(math.Inf(1)) }},
		{"has the share 0", func(s *data.Soft) { s.Shares[0] = 0 }},
		{"that sum to 1.5", func(s *data.Soft) { s.Shares[0], s.Shares[1] = 0.75, 0.75 }}, // the label has −0.5
		{"of class 4", func(s *data.Soft) { s.Classes[1] = 4 }},
		{"of class -1", func(s *data.Soft) { s.Classes[0] = -1 }},
		{"of class 2", func(s *data.Soft) { s.Classes[0] = 2 }},                    // twice
		{"row 0 of class 0", func(s *data.Soft) { s.Classes[0] = 0 }},              // the label
		{"the shares of row 1 end at 0", func(s *data.Soft) { s.Ends[1] = 0 }},     // before they begin
		{"the shares of row 2 end at 100", func(s *data.Soft) { s.Ends[2] = 100 }}, // past all
		{"have 2 ends of shares", func(s *data.Soft) { s.Ends = s.Ends[:2] }},
		{"3 shares of 4", func(s *data.Soft) { s.Ends[1], s.Ends[2] = 3, 3 }},
		{"4 classes and 3 shares", func(s *data.Soft) { s.Shares = s.Shares[:3] }},
	} {
		x := aoso.RowMajor([]float64{1, 2, 3}, 3, 1)
		q := aoso.RowMajor([]float64{0.4, 0.3, 0.3, 0, 0, 0.6, 0.2, 0.2, 0, 0, 0, 1}, 3, 4)
		d, err := aoso.NewDataset(x, nil, aoso.DatasetOptions{Shares: q, ShareClasses: names(4)})
		if err != nil {
			t.Fatal(err)
		}
		set := setOf(t, d)
		test.change(set.Soft)
		if d, err := decodeDataset(t, encodeSet(t, set)); !errors.Is(err, aoso.ErrCorrupt) || !strings.Contains(err.Error(), test.want) || d != nil {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

func FuzzDecodeDataset(f *testing.F) {
	for _, file := range smallDatasets(f) {
		f.Add(file, true)
		f.Add(file, false)
		f.Add(file[:len(file)/2], true)
	}
	f.Fuzz(func(t *testing.T, file []byte, repaired bool) {
		file = bytes.Clone(file)
		if repaired {
			repair(file)
		}
		if d, err := decodeDataset(t, file); err == nil {
			useDataset(t, d)
		}
	})
}
