package acceptance

import (
	"encoding/binary"
	"flag"
	"hash/fnv"
	"path/filepath"
	"testing"

	"github.com/libaoso/aoso"
)

var storeModel = flag.Bool("store-model", false, "write testdata/model.aoso")

// TestStoredModel: the file that an earlier build wrote, with categories and linear
// scores, still loads, and predicts what it did.
func TestStoredModel(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "model.aoso")
	if *storeModel {
		m := withTemperature(withLinear(categorical(t, 400, 4, func(*aoso.Params) {}), nil), 0.75)
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	m, err := aoso.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	hash := fnv.New64a()
	_, scores := positions(t, m)
	for _, row := range scores {
		if err := binary.Write(hash, binary.LittleEndian, row); err != nil {
			t.Fatal(err)
		}
	}
	const fingerprint, predicted = "d6b5902ca100e4dc891e9ae90851528c", 0x98a5d799e5e19721
	if m.Fingerprint() != fingerprint || hash.Sum64() != predicted || m.Temperature() != 0.75 {
		t.Errorf("fingerprint %s, scores %#x, temperature %v", m.Fingerprint(), hash.Sum64(), m.Temperature())
	}
}
