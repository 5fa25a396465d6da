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

	// first fit
	x := aoso.RowMajor(values, len(labels), 2) // rows × 2 features, of any number type
	train, err := aoso.NewDataset(x, aoso.StringLabels(labels))
	if err != nil {
		log.Fatal(err) // names the argument, the value and what is allowed
	}
	result, err := aoso.Train(context.Background(), train, aoso.Params{})
	if err != nil {
		log.Fatal(err)
	}
	classes, err := result.Model.Predict(x)
	fmt.Println(result.Model.Classes()[classes[0]], err)
	err = result.Model.Save(path)
	// first fit

	fmt.Println(err)
	// Output:
	// east <nil>
	// <nil>
}

// Training step by step, with a model in between.
func ExampleTrainer() {
	x := aoso.RowMajor([]float64{1, 2, 3, 4, 5, 6}, 6, 1)
	train, err := aoso.NewDataset(x, aoso.IntLabels([]int{0, 0, 1, 1, 2, 2}))
	if err != nil {
		log.Fatal(err)
	}
	p := aoso.DefaultParams()
	p.NEstimators = 5
	trainer, err := aoso.NewTrainer(train, p)
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Close()
	for {
		now, more := trainer.Step(context.Background())
		if !more {
			break
		}
		fmt.Printf("iteration %d: mean log loss %.2f\n", now.Iteration, now.TrainLoss)
		if now.Iteration == 2 {
			fmt.Println(trainer.Result().Model.Trees(), "trees so far")
		}
	}
	fmt.Println(trainer.Result().StoppedBy)
	// Output:
	// iteration 1: mean log loss 0.91
	// iteration 2: mean log loss 0.76
	// 2 trees so far
	// iteration 3: mean log loss 0.64
	// iteration 4: mean log loss 0.55
	// iteration 5: mean log loss 0.47
	// trees
}

// A dataset whose rows arrive in chunks, saved to a file for other trainings.
func ExampleDatasetBuilder() {
	path := filepath.Join(os.TempDir(), "chunks.aoso")
	defer os.Remove(path)
	builder, err := aoso.NewDatasetBuilder(1)
	if err != nil {
		log.Fatal(err)
	}
	for chunk := range 3 {
		x := aoso.RowMajor([]int{chunk, 10 + chunk}, 2, 1)
		if err := builder.Append(x, aoso.StringLabels([]string{"low", "high"}), nil, nil); err != nil {
			log.Fatal(err)
		}
	}
	train, err := builder.Dataset()
	if err != nil {
		log.Fatal(err)
	}
	if err := train.Save(path); err != nil {
		log.Fatal(err)
	}
	loaded, err := aoso.LoadDataset(path)
	if err != nil {
		log.Fatal(err)
	}
	defer loaded.Close()
	fmt.Println(loaded.Rows(), loaded.Classes(), loaded.Bins(0))
	// Output: 6 [high low] 6
}

// Row 0 has 5 in column 2, row 1 has nothing, row 2 has two entries.
func ExampleCSR() {
	x, err := aoso.CSR([]int32{0, 1, 1, 3}, []int32{2, 0, 1}, []float32{5, 6, 7}, 3)
	if err != nil {
		log.Fatal(err)
	}
	column := make([]float64, x.Rows())
	for j := range x.Cols() {
		x.Column(j, 0, column)
		fmt.Println(column)
	}
	// Output:
	// [0 0 6]
	// [0 0 7]
	// [5 0 0]
}

func ExampleParseParams() {
	p, err := aoso.ParseParams("n_estimators=500, max_leaves=64, learning_rate=0.05")
	fmt.Println(p.NEstimators, p.MaxLeaves, p.LearningRate, p.Method, err)
	err = p.Set("max_leaves", "many")
	fmt.Println(err)
	// Output:
	// 500 64 0.05 aoso <nil>
	// aoso: max_leaves is "many"; allowed: an integer
}

// A row has numbers for categories, which FindCategory returns.
func ExampleModel_FindCategory() {
	var colours, kinds []string
	var weights []float64
	for i := range 60 {
		colours = append(colours, []string{"yellow", "green"}[i%2])
		kinds = append(kinds, []string{"lemon", "lime"}[i%2])
		weights = append(weights, float64(i%7))
	}
	x, err := aoso.NewTable(aoso.Texts(colours), aoso.Numbers(weights))
	if err != nil {
		log.Fatal(err)
	}
	train, err := aoso.NewDataset(x, aoso.StringLabels(kinds))
	if err != nil {
		log.Fatal(err)
	}
	result, err := aoso.Train(context.Background(), train, aoso.DefaultParams())
	if err != nil {
		log.Fatal(err)
	}
	model := result.Model
	green := float64(model.FindCategory(0, "green")) // once
	rows, err := model.RowPredictor()                // one for each goroutine
	if err != nil {
		log.Fatal(err)
	}
	class, err := rows.Class([]float64{green, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Classes()[class], model.FindCategory(0, "purple"), model.FindCategory(1, "3"))
	// Output: lime 2 -1
}

// Between 150 and 250, either class may be the right one.
func ExampleModel_PredictSet() {
	var values []float64
	var labels []string
	for i := range 400 {
		values = append(values, float64(i))
		low := i < 150 || i < 250 && i%2 == 0
		labels = append(labels, map[bool]string{true: "low", false: "high"}[low])
	}
	x := aoso.RowMajor(values, 400, 1)
	train, err := aoso.NewDataset(x, aoso.StringLabels(labels))
	if err != nil {
		log.Fatal(err)
	}
	result, err := aoso.Train(context.Background(), train, aoso.Params{})
	if err != nil {
		log.Fatal(err)
	}
	some := aoso.RowMajor([]float64{20, 200, 380}, 3, 1)
	sets, err := result.Model.PredictSet(some, aoso.SetOptions{Alpha: 0.05, NonEmpty: true})
	fmt.Println(result.Model.Classes(), sets, err)
	// Output: [high low] [false true true true true false] <nil>
}

// The page of the first fit shows the lines between the marks above.
func TestFirstFit(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\t// first fit\n")[1]
	lines = strings.TrimPrefix(strings.ReplaceAll(lines, "\n\t", "\n"), "\t")
	page, err := os.ReadFile("docs/first-fit.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```go\n"+lines+"```\n") {
		t.Errorf("the page does not show these lines:\n%s", lines)
	}
}
