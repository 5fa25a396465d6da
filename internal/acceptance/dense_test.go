package acceptance

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model/densetest"
)

// TestDenseModels: models whose files are as small as can be are read and predict rows, and the size of the file bounds the
// memory. What is freed meanwhile counts too.
func TestDenseModels(t *testing.T) {
	const mostToLoad, mostToPredict, scratch = 600, 2000, 64 << 20
	for _, name := range densetest.Names() {
		var file bytes.Buffer
		if err := densetest.New(name).Encode(&file); err != nil {
			t.Fatal(err)
		}
		before := allocated()
		m, err := decode(file.Bytes())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		loaded := allocated()
		for _, rows := range []int{1, min(600, max(13, 1<<20/len(m.FeatureNames())))} {
			x := make([]float64, rows*len(m.FeatureNames()))
			if _, err := m.Predict(aoso.RowMajor(x, rows, len(m.FeatureNames())), aoso.PredictOptions{NThread: 1}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		size, predicted := uint64(file.Len()), allocated()
		t.Logf("%14s: %7d bytes, to load %4d times as many, to predict %4d", name, size, (loaded-before)/size, (predicted-loaded)/size)
		if loaded-before > mostToLoad*size || predicted-loaded > mostToPredict*size+scratch {
			t.Errorf("%s: a file of %d bytes takes %d to load and %d to predict", name, size, loaded-before, predicted-loaded)
		}
	}
}

// allocated returns how many bytes have been allocated so far, though some have been freed.
func allocated() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.TotalAlloc
}
