package acceptance

import (
	"testing"

	"github.com/libaoso/aoso"
)

// TestImportanceCover: trees of one split part all rows, once.
func TestImportanceCover(t *testing.T) {
	d := blobs(110, 300, 4, 3, 255)
	m := trained(t, d, params(func(p *aoso.Params) { p.NEstimators, p.MaxLeaves = 7, 2 })).Model
	cover, err1 := m.Importance("cover")
	splits, err2 := m.Importance("split")
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for j := range cover {
		if cover[j] != 300*splits[j] {
			t.Errorf("feature %d: %v rows in %v splits", j, cover[j], splits[j])
		}
	}
}
