package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

// TestSaveModelElsewhere: a model that cannot be saved where it should is not lost.
func TestSaveModelElsewhere(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	x := []float64{0, 1, 2, 3}
	d, err := aoso.NewDataset(aoso.RowMajor(x, 4, 1), aoso.IntLabels([]int{0, 0, 1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := aoso.Train(t.Context(), d, aoso.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "none", "model.aoso")
	err = saveModel(newRoot(), r.Model, gone)
	files, _ := filepath.Glob(filepath.Join(temporary, "*.aoso"))
	if err == nil || len(files) != 1 || !strings.Contains(err.Error(), gone) || !strings.Contains(err.Error(), files[0]) {
		t.Fatalf("the error is %v, the files are %v", err, files)
	}
	if m, err := aoso.Load(files[0]); err != nil || m.Fingerprint() != r.Model.Fingerprint() {
		t.Errorf("the file has another model: %v", err)
	}
	if err := os.RemoveAll(temporary); err != nil {
		t.Fatal(err)
	}
	if err := saveModel(newRoot(), r.Model, gone); err == nil || !strings.Contains(err.Error(), gone) {
		t.Errorf("with no folder at all: %v", err)
	}
}
