// Command linear gives a model file linear scores, at random, and writes the model to
// another file. Given a folder, it also writes models there whose linear scores are wrong.
package main

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/libaoso/aoso/internal/model"
)

func main() {
	log.SetFlags(0)
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.Decode(data)
	if err != nil {
		log.Fatal(err)
	}
	codes := m.Encoder.Codes(len(m.Features))
	write(os.Args[2], m, random(len(m.Classes), m.Forest.Trees(), codes))
	if len(os.Args) > 3 {
		for i, l := range wrong(len(m.Classes), codes) {
			write(filepath.Join(os.Args[3], fmt.Sprintf("wrong%d.aoso", i)), m, l)
		}
	}
}

func write(path string, m *model.Model, l *model.Linear) {
	m.Forest.SetLinear(l)
	var b bytes.Buffer
	if err := m.Encode(&b); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		log.Fatal(err)
	}
}

// random has terms for columns of numbers, some of them twice: no term, a few or many.
func random(classes, trees int, codes []int) *model.Linear {
	r := rand.New(rand.NewPCG(uint64(classes), uint64(trees)))
	numbers := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(r.NormFloat64())
		}
		return all
	}
	terms := []int{0, 3, 64, 150}[r.IntN(4)]
	if classes > 1000 {
		terms = 5
	}
	l := model.NewLinear(numbers(classes))
	for l.Terms() < terms {
		if column := r.IntN(len(codes)); codes[column] == 0 {
			edges := []float64{-math.MaxFloat64, -5, 0, 0.125, 0.5, 10, 20, 60.5, 100, math.MaxFloat64}[r.IntN(10):]
			edges = edges[:r.IntN(len(edges)+1)]
			l.Add(column, edges, numbers(len(edges)+1), numbers(classes))
		}
	}
	return l
}

// wrong has linear scores that no model can have.
func wrong(classes int, codes []int) (all []*model.Linear) {
	zeros := func(n int) []float32 { return make([]float32, n) }
	add := func(bias []float32, column int, edges []float64, places, weights []float32) {
		l := model.NewLinear(bias)
		l.Add(0, []float64{1}, zeros(2), zeros(len(bias)))
		l.Add(column, edges, places, weights)
		all = append(all, l)
	}
	for column := -1; column <= len(codes); column++ {
		if column < 0 || column == len(codes) || codes[column] > 0 {
			add(zeros(classes), column, nil, zeros(1), zeros(classes))
		}
	}
	for _, edges := range [][]float64{{1, 1}, {2, 1}, {math.Inf(-1)}, {math.Inf(1)}, {math.NaN()}, {1, math.NaN(), 2}} {
		add(zeros(classes), 0, edges, zeros(len(edges)+1), zeros(classes))
	}
	for _, n := range []int{classes - 1, classes + 1} {
		add(zeros(n), 0, nil, zeros(1), zeros(n))
		add(zeros(classes), 0, nil, zeros(1), zeros(n))
	}
	for _, n := range []int{0, 2} {
		add(zeros(classes), 0, nil, zeros(n), zeros(classes))
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bad := zeros(classes)
		bad[classes-1] = float32(x)
		add(bad, 0, nil, zeros(1), zeros(classes))
		add(zeros(classes), 0, nil, zeros(1), bad)
		add(zeros(classes), 0, nil, bad[classes-1:], zeros(classes))
	}
	return all
}
