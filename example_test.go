package aoso_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

// Three clouds of points around the corners of a triangle.
func Example() {
	path := filepath.Join(os.TempDir(), "clouds.aoso")
	defer os.Remove(path)
	r := rand.New(rand.NewPCG(1, 2))
	var values []float64
	var labels []string
	for i := range 300 {
		angle := 2 * math.Pi * float64(i%3) / 3
		values = append(values, 4*math.Cos(angle)+r.NormFloat64(), 4*math.Sin(angle)+r.NormFloat64())
		labels = append(labels, []string{"east", "north", "south"}[i%3])
	}

	// README
	x := aoso.RowMajor(values, len(labels), 2) // rows × 2 features, []float32 or []float64
	train, err := aoso.NewDataset(x, labels, aoso.DatasetOptions{})
	if err != nil {
		log.Fatal(err) // names the argument, the value and what is allowed
	}
	result, err := aoso.Train(context.Background(), train, aoso.DefaultParams(), aoso.TrainOptions{})
	if err != nil {
		log.Fatal(err)
	}
	classes, err := result.Model.Predict(x, aoso.PredictOptions{})
	fmt.Println(result.Model.Classes()[classes[0]], err)
	err = result.Model.Save(path)
	// README

	fmt.Println(err)
	// Output:
	// east <nil>
	// <nil>
}

// The README shows the lines between the marks above.
func TestReadme(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\t// README\n")[1]
	lines = strings.TrimPrefix(strings.ReplaceAll(lines, "\n\t", "\n"), "\t")
	if !strings.Contains(string(readme), "```go\n"+lines+"```\n") {
		t.Errorf("README.md does not show these lines:\n%s", lines)
	}
}
