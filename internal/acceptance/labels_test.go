package acceptance

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/libaoso/aoso"
)

// classesOf returns the classes of a dataset with these labels.
func classesOf(y aoso.Labels, texts bool) ([]string, error) {
	d, err := aoso.NewDataset(aoso.RowMajor(make([]uint8, len(y)), len(y), 1), y, aoso.DatasetOptions{TextLabels: texts})
	if err != nil {
		return nil, err
	}
	return d.Classes(), nil
}

func texts(y aoso.Labels) []string {
	list := make([]string, len(y))
	for i, label := range y {
		list[i] = label.Value()
	}
	return list
}

func TestLabels(t *testing.T) {
	floats := func(y aoso.Labels, err error) aoso.Labels {
		if err != nil {
			t.Error(err)
		}
		return y
	}
	negativeZero := math.Copysign(0, -1)
	tests := []struct {
		name string
		got  aoso.Labels
		want []string
	}{
		{"integers", aoso.IntLabels([]int64{3, -7, math.MinInt64, 3}), []string{"3", "-7", "-9223372036854775808", "3"}},
		{"unsigned", aoso.IntLabels([]uint64{math.MaxUint64}), []string{"18446744073709551615"}},
		{"integers with names of their own", aoso.IntLabels([]time.Weekday{time.Tuesday}), []string{"2"}},
		{"strings", aoso.StringLabels([]string{"b", " a", "b", ""}), []string{"b", " a", "b", ""}},
		{"floats", floats(aoso.FloatLabels([]float64{1, 0.1, -2.5, 1, 1e15 + 0.5, 1e-5, 0.0001})), []string{"1", "0.1", "-2.5", "1", "1000000000000000.5", "1e-05", "0.0001"}},
		{"whole floats", floats(aoso.FloatLabels([]float64{0, negativeZero, -3, 1 << 60, 1e22})), []string{"0", "0", "-3", "1152921504606846976", "10000000000000000000000"}},
		{"narrow floats", floats(aoso.FloatLabels([]float32{0.1, 16777216, 1e-6})), []string{"0.1", "16777216", "1e-06"}},
		{"codes", floats(aoso.CodedLabels([]uint8{2, 0, 2}, []string{"x", "unused", "z"})), []string{"z", "x", "z"}},
		{"codes of one label", floats(aoso.CodedLabels([]int64{0, 1}, []string{"x", "x"})), []string{"x", "x"}},
		{"no codes", floats(aoso.CodedLabels([]int32{}, nil)), []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := texts(test.got); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
			if !slices.Equal(test.got, aoso.StringLabels(test.want)) {
				t.Error("other labels than those of the same strings")
			}
		})
	}
}

func TestOrderOfClasses(t *testing.T) {
	for _, want := range [][]string{
		{"-10", "-9", "0", "9", "10"},
		{"-1e3", "-0.5", "1e-05", "0.1", "9.5", "10", "10.25"},
		{"-9223372036854775809", "-9223372036854775808", "18446744073709551614", "18446744073709551615", "100000000000000000000"},
		{"10", "9", "nan"},
		{"01", "10", "9"},
		{"10", "9", "Inf"},
		{"10", "10 ", "9"},
		{"10", "1_0", "9"},
		{"0x1", "10", "9"},
		{"10", "1e400", "9"},
		{"False", "True", "a", "é"},
	} {
		for range 20 {
			y := aoso.StringLabels(want)
			rand.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
			if got, err := classesOf(y, false); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, want %q (%v)", got, want, err)
			}
			sorted := slices.Sorted(slices.Values(want))
			if got, err := classesOf(y, true); err != nil || !slices.Equal(got, sorted) {
				t.Errorf("texts: %q, want %q (%v)", got, sorted, err)
			}
		}
	}
	d, err := aoso.NewDataset(aoso.RowMajor([]float64{1, 2, 3}, 3, 1), aoso.StringLabels([]string{"9", "10", "9"}), aoso.DatasetOptions{TextLabels: true})
	if err != nil || !slices.Equal(d.Classes(), []string{"10", "9"}) {
		t.Errorf("%q, %v", d.Classes(), err)
	}
}

func TestLabelErrors(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		y, err := aoso.FloatLabels([]float64{1, 2, v})
		wantArgumentError(t, err, "labels[2]", "finite")
		y32, err := aoso.FloatLabels([]float32{float32(v)})
		wantArgumentError(t, err, "labels[0]")
		if y != nil || y32 != nil {
			t.Error("there are labels all the same")
		}
	}
	names := []string{"a", "b"}
	_, err := aoso.CodedLabels([]int{0, 1, 2}, names)
	wantArgumentError(t, err, "codes[2]", "2", "below 2")
	_, err = aoso.CodedLabels([]int8{-1}, names)
	wantArgumentError(t, err, "codes[0]", "-1")
	_, err = aoso.CodedLabels([]uint64{math.MaxUint64}, names)
	wantArgumentError(t, err, "codes[0]", "18446744073709551615")
	_, err = aoso.CodedLabels([]int{0}, nil)
	wantArgumentError(t, err, "codes[0]", "below 0")

	x := aoso.RowMajor([]float64{1, 2}, 2, 1)
	_, err = aoso.NewDataset(x, make(aoso.Labels, 2))
	wantArgumentError(t, err, "labels", "row 0")
	_, err = aoso.NewDataset(x, aoso.StringLabels([]string{"a", "a\xff"}))
	wantArgumentError(t, err, "labels", "UTF-8")
	_, err = aoso.NewDataset(x, aoso.StringLabels(names), aoso.DatasetOptions{Names: []string{"\xe9"}})
	wantArgumentError(t, err, "names[0]", "UTF-8")
}

// BenchmarkLabels makes ten million labels, and a dataset's codes of them.
func BenchmarkLabels(b *testing.B) {
	const rows, classes = 10_000_000, 26
	ints, words, names := make([]int32, rows), make([]string, rows), make([]string, classes)
	for k := range names {
		names[k] = strconv.Itoa(k)
	}
	for i := range ints {
		ints[i] = int32(uint32(i) * 2654435769 >> 16 % classes)
		words[i] = names[ints[i]]
	}
	for name, labels := range map[string]func() aoso.Labels{
		"ints":    func() aoso.Labels { return aoso.IntLabels(ints) },
		"strings": func() aoso.Labels { return aoso.StringLabels(words) },
		"codes":   func() aoso.Labels { y, _ := aoso.CodedLabels(ints, names); return y },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				y := labels()
				if found, err := classesOf(y, false); err != nil || len(found) != classes {
					b.Fatal(found, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}

// TestUnknownLabels: labels of which a model knows none are an error wherever labels
// are compared with its classes; one that it knows is enough.
func TestUnknownLabels(t *testing.T) {
	d := blobs(211, 60, 3, 2, 255)
	set := newDataset(t, d)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators = 2 })).Model
	x, texts := d.features(), make([]string, 60)
	for i, k := range d.y {
		texts[i] = [2]string{"False", "True"}[k]
	}
	none := aoso.StringLabels(texts)
	one := append(slices.Clone(none[:59]), aoso.StringLabels([]string{"1"})...)
	raw := rawScores(t, m, x, aoso.PredictOptions{})
	for name, call := range map[string]func(y aoso.Labels) error{
		"Aligned":     func(y aoso.Labels) error { _, err := set.Aligned(x, y, nil); return err },
		"Evaluate":    func(y aoso.Labels) error { _, err := m.Evaluate(x, y, nil); return err },
		"EvaluateRaw": func(y aoso.Labels) error { _, err := m.EvaluateRaw(raw, y, nil); return err },
		"Measure": func(y aoso.Labels) error {
			_, err := m.Measure([]aoso.Metric{"kappa"}, x, y, nil)
			return err
		},
		"MeasureRaw":   func(y aoso.Labels) error { _, err := m.MeasureRaw([]aoso.Metric{"kappa"}, raw, y, nil); return err },
		"Calibrate":    func(y aoso.Labels) error { _, _, err := m.Calibrate(x, y, nil); return err },
		"Conformalize": func(y aoso.Labels) error { _, err := m.Conformalize(x, y, nil); return err },
		"Reliability":  func(y aoso.Labels) error { _, err := m.Reliability(x, y, nil); return err },
		"Confusions":   func(y aoso.Labels) error { _, err := m.Confusions(x, y, 0); return err },
	} {
		wantArgumentError(t, call(none), "labels", "60 rows of unknown classes (such as ", `["0" "1"]`)
		if err := call(one); err != nil {
			t.Errorf("%s with a known label: %v", name, err)
		}
	}
	if n := one.Unknown(m.Classes()); n != 59 {
		t.Errorf("%d unknown labels, want 59", n)
	}
}
