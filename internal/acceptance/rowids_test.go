package acceptance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/modelio"
)

// identified returns the table with row ids that say nothing of the rows' positions.
func identified(d *table) (*table, []uint64) {
	ids := make([]uint64, len(d.y))
	for i := range ids {
		ids[i] = uint64(i)*0x9e3779b97f4a7c15 + 5
	}
	return d, ids
}

// shuffled returns a table and its row ids in another order of the rows.
func shuffled(seed uint64, d *table, ids []uint64) (*table, []uint64) {
	s, moved := &table{}, []uint64(nil)
	for _, i := range rand.New(rand.NewPCG(seed, 23)).Perm(len(d.y)) {
		s.x, s.y, moved = append(s.x, d.x[i]), append(s.y, d.y[i]), append(moved, ids[i])
		if d.weights != nil {
			s.weights = append(s.weights, d.weights[i])
		}
	}
	return s, moved
}

// positionIDs returns the row ids of rows that are given none.
func positionIDs(rows int) []uint64 {
	ids := make([]uint64, rows)
	for i := range ids {
		ids[i] = uint64(i)
	}
	return ids
}

func withIDs(t testing.TB, d *table, ids []uint64, o aoso.DatasetOptions) *aoso.Dataset {
	t.Helper()
	o.Weights, o.RowIDs = d.weights, ids
	set, err := aoso.NewDataset(d.features(), d.labels(), o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// wantSameRows checks that two datasets have the same bins, and the same codes and
// labels in the rows of the same id.
func wantSameRows(t *testing.T, got, want *aoso.Dataset) {
	t.Helper()
	a, b := setOf(t, got), setOf(t, want)
	if !a.BinnedAs(b) {
		t.Error("the bins or the encoders differ")
	}
	at := map[uint64]int{}
	for row := range want.Rows() {
		at[b.ID(row)] = row
	}
	for row := range got.Rows() {
		other := at[a.ID(row)]
		if a.Labels[row] != b.Labels[other] || a.Weight(row) != b.Weight(other) {
			t.Fatalf("id %d has another label or weight", a.ID(row))
		}
		for j, column := range a.Matrix.Columns {
			if column != nil && column[row] != b.Matrix.Columns[j][other] {
				t.Fatalf("id %d has code %d of feature %d, want %d", a.ID(row), column[row], j, b.Matrix.Columns[j][other])
			}
		}
	}
}

// TestRowIDs: bins and the rates of categories depend on the rows' ids, not on
// their order. Without ids, the positions are the ids.
func TestRowIDs(t *testing.T) {
	d, ids := identified(blobs(110, 3000, 3, 4, 1<<20))
	r := rand.New(rand.NewPCG(110, 0))
	for i, row := range d.x {
		d.x[i] = append(row, float64(r.IntN(150)+50*d.y[i])) // more categories than codes
	}
	for _, o := range []aoso.DatasetOptions{{}, {SampleRows: 400, Seed: 3, MaxBin: 50}, {Categorical: []int{3}}, {Categorical: []int{3}, Seed: 1}} {
		for _, ids := range [][]uint64{ids, positionIDs(len(ids))} {
			want := withIDs(t, d, ids, o)
			other, moved := shuffled(110, d, ids)
			wantSameRows(t, withIDs(t, other, moved, o), want)
		}
		wantSameDataset(t, withIDs(t, d, nil, o), withIDs(t, d, positionIDs(len(ids)), o))
	}
	a, b := withIDs(t, d, ids, aoso.DatasetOptions{SampleRows: 400}), withIDs(t, d, nil, aoso.DatasetOptions{SampleRows: 400})
	if setOf(t, a).BinnedAs(setOf(t, b)) {
		t.Error("other ids draw the same rows for bins")
	}
}

func TestRowIDsBuilder(t *testing.T) {
	d, ids := identified(blobs(111, 300, 3, 4, 255))
	b, err := aoso.NewDatasetBuilder(3, aoso.DatasetOptions{SampleRows: 100})
	if err != nil {
		t.Fatal(err)
	}
	_, err = aoso.NewDatasetBuilder(3, aoso.DatasetOptions{RowIDs: ids})
	wantArgumentError(t, err, "row_ids", "with each chunk")
	add := func(first, end int, ids []uint64) error {
		chunk := d.slice(first, end)
		return b.Append(chunk.features(), chunk.labels(), nil, ids)
	}
	wantArgumentError(t, add(0, 10, ids[:9]), "row_ids", "9", "10")
	if err := errors.Join(add(0, 100, ids[:100]), add(100, 300, ids[100:])); err != nil {
		t.Fatal(err)
	}
	got, err := b.Dataset()
	if err != nil {
		t.Fatal(err)
	}
	want := withIDs(t, d, ids, aoso.DatasetOptions{SampleRows: 100})
	wantSameDataset(t, got, want)
	valid, err := b.Aligned(want)
	if err != nil || !slices.Equal(setOf(t, valid).IDs, ids) {
		t.Errorf("the validation set has other ids; error %v", err)
	}
	wantArgumentError(t, add(0, 10, nil), "row_ids", "with none")
	if err := add(0, 1, ids[7:8]); err != nil {
		t.Fatal(err)
	}
	_, err = b.Dataset()
	wantArgumentError(t, err, "row_ids[300]", "row_ids[7]")
}

func TestRowIDsFile(t *testing.T) {
	d, ids := identified(blobs(112, 200, 3, 4, 255))
	set := withIDs(t, d, ids, aoso.DatasetOptions{})
	_, loaded := saved(t, set)
	wantSameDataset(t, loaded, set)
	for name, wrong := range map[string][]uint64{"too few": ids[:199], "none": {}, "repeated": append(slices.Clone(ids[:199]), ids[4])} {
		content := setOf(t, set)
		content.IDs = wrong
		if _, err := decodeDataset(t, encodeSet(t, content)); !errors.Is(err, modelio.ErrCorrupt) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestRowIDErrors(t *testing.T) {
	d, ids := identified(blobs(113, 50, 3, 4, 255))
	for _, test := range []struct {
		change   func()
		argument string
		texts    []string
	}{
		{func() { ids[40] = ids[3] }, "row_ids[40]", []string{fmt.Sprint(ids[3]), "row_ids[3]"}},
		{func() { ids = ids[:49] }, "row_ids", []string{"49", "50"}},
		{func() { ids = []uint64{} }, "row_ids", []string{"0", "50"}},
	} {
		test.change()
		_, err := aoso.NewDataset(d.features(), d.labels(), aoso.DatasetOptions{RowIDs: ids})
		wantArgumentError(t, err, test.argument, test.texts...)
	}
}
