package acceptance

import (
	"slices"
	"testing"

	"github.com/libaoso/aoso"
)

// TestIntegersKeepAllDigits: integers that float64 rounds are different categories, in
// every kind of table.
func TestIntegersKeepAllDigits(t *testing.T) {
	ids, y := make([]int64, 120), make([]int, 120)
	texts, unsigned := make([]string, 120), make([]uint64, 120)
	want := []string{"1152921504606846976", "1152921504606846977", "1152921504606846978"}
	for i := range ids {
		y[i] = i % 3
		ids[i], texts[i] = 1<<60+int64(i%3), want[i%3]
		unsigned[i] = 1<<63 + uint64(i%3)
	}
	same := func(x aoso.Features, err error) aoso.Features {
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	starts, index := make([]int32, 121), make([]int32, 120)
	for i := range 120 {
		starts[i+1] = int32(i + 1)
	}
	table := func(c aoso.Column) aoso.Features { x, err := aoso.NewTable(c); return same(x, err) }
	o := aoso.DatasetOptions{Categorical: []int{0}}
	p := params(func(p *aoso.Params) { p.NEstimators = 5 })
	byName := train(t, must(aoso.NewDataset(table(aoso.Texts(texts)), aoso.IntLabels(y), o)), p, aoso.TrainOptions{}).Model
	for name, x := range map[string]aoso.Features{
		"rows":    aoso.RowMajor(ids, 120, 1),
		"numbers": table(aoso.Numbers(ids)),
		"sparse":  same(aoso.CSR(starts, index, ids, 1)),
	} {
		d, err := aoso.NewDataset(x, aoso.IntLabels(y), o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Categories(0), want) {
			t.Errorf("%s: categories %q", name, d.Categories(0))
		}
		m := train(t, d, p, aoso.TrainOptions{}).Model
		if m.Fingerprint() != byName.Fingerprint() {
			t.Errorf("%s: another model than of strings", name)
		}
		if e, err := byName.Evaluate(x, aoso.IntLabels(y), nil); err != nil || e.Errors != 0 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		if v, err := d.Aligned(x, aoso.IntLabels(y), nil); err != nil || !slices.Equal(setOf(t, v).Matrix.Codes(), setOf(t, d).Matrix.Codes()) {
			t.Errorf("%s: the validation set has other codes: %v", name, err)
		}
		for _, twice := range []bool{false, true} {
			b := must(aoso.NewDatasetBuilder(1, o))
			chunks := blocksOfSize(x, aoso.IntLabels(y), aoso.DatasetOptions{}, 1<<16)
			if twice {
				for c := range chunks {
					if err := b.Sample(c.Features, c.Labels, nil, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			for c := range chunks {
				if err := b.Append(c.Features, c.Labels, nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			if built := must(b.Dataset()); !slices.Equal(built.Categories(0), want) {
				t.Errorf("%s, twice %v: categories %q", name, twice, built.Categories(0))
			}
		}
	}
	d := must(aoso.NewDataset(aoso.RowMajor(unsigned, 120, 1), aoso.IntLabels(y), o))
	if got := d.Categories(0); !slices.Equal(got, []string{"9223372036854775808", "9223372036854775809", "9223372036854775810"}) {
		t.Errorf("unsigned categories %q", got)
	}
}

// TestNamed: a model and a dataset, and their files, know whether their names were given.
func TestNamed(t *testing.T) {
	d := blobs(212, 60, 2, 2, 255)
	for _, test := range []struct {
		names []string
		named bool
	}{{nil, false}, {[]string{"f0", "f1"}, true}, {[]string{"a", "b"}, true}} {
		set := must(aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Names: test.names}))
		path := t.TempDir() + "/d"
		if err := set.Save(path); err != nil {
			t.Fatal(err)
		}
		m := train(t, must(aoso.LoadDataset(path)), params(func(p *aoso.Params) { p.NEstimators = 2 }), aoso.TrainOptions{}).Model
		more := must(aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Init: m}))
		for i, named := range []bool{
			set.Named(), m.Named(), must(decode(encode(t, m))).Named(), must(m.Truncated(1)).Named(), must(aoso.Merge(m, m)).Named(), more.Named(),
			train(t, more, params(func(p *aoso.Params) { p.NEstimators = 2 }), aoso.TrainOptions{}).Model.Named(),
		} {
			if named != test.named {
				t.Errorf("%q: named is %v in place %d", test.names, named, i)
			}
		}
	}
	plain := train(t, must(aoso.NewDataset(d.features(), d.labels())), params(func(p *aoso.Params) { p.NEstimators = 2 }), aoso.TrainOptions{}).Model
	named := train(t, must(aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{Names: []string{"f0", "f1"}})), params(func(p *aoso.Params) { p.NEstimators = 2 }), aoso.TrainOptions{}).Model
	if plain.Fingerprint() != named.Fingerprint() {
		t.Error("the fingerprint depends on whether names were given")
	}
}

// must returns v. An error ends the test by a panic.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
