// Command large builds a dataset of many rows in a file and trains on it, and says
// how much time and memory that takes. The rows, a mixture of Gaussians, are made
// as they are read.
//
//	large -rows 20000000 build set.aosod   # in two passes
//	large train set.aosod                  # trees of that dataset
//	large -rows 1000000 csv rows.csv       # the same rows, for other programs
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/libaoso/aoso"
)

var (
	rows      = flag.Int("rows", 20_000_000, "rows to make")
	features  = flag.Int("features", 50, "features of a row")
	classes   = flag.Int("classes", 10, "classes")
	blockRows = flag.Int("block", 1<<16, "rows of a block")
	threads   = flag.Int("threads", 0, "threads; 0: all cores")
	params    = flag.String("params", "preset=paper trees=20", "parameters of the training")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("large: ")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: large [flags] build|train|csv FILE")
	}
	commands := map[string]func(file string) error{"build": build, "train": train, "csv": writeCSV}
	run := commands[flag.Arg(0)]
	if run == nil {
		log.Fatalf("%q is no command; allowed: build, train, csv", flag.Arg(0))
	}
	start, peak := time.Now(), watch()
	if err := run(flag.Arg(1)); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%-5s %7.1f s, at most %s\n", flag.Arg(0), time.Since(start).Seconds(), peak())
}

func build(file string) error {
	set, err := aoso.NewDatasetFromBlocks(blocks(), aoso.DatasetOptions{Path: file, Threads: *threads})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d rows, %d features, %d classes\n", file, set.Rows(), len(set.FeatureNames()), len(set.Classes()))
	set.Free()
	return nil
}

func train(file string) error {
	p, err := aoso.ParseParams(*params)
	if err != nil {
		return err
	}
	p.Threads = *threads
	start := time.Now()
	set, err := aoso.LoadDataset(file)
	if err != nil {
		return err
	}
	fmt.Printf("opened in %.1f s\n", time.Since(start).Seconds())
	result, err := aoso.Train(context.Background(), set, p, aoso.TrainOptions{EvalEvery: 1 << 30})
	if err != nil {
		return err
	}
	fmt.Printf("%d trees in %.1f s, train loss %.5f, fingerprint %s\n", result.Model.Trees(), result.Elapsed.Seconds(), result.TrainLoss, result.Model.Fingerprint())
	set.Free()
	return nil
}

// blocks are the rows, the same each time.
func blocks() iter.Seq2[aoso.Block, error] {
	centres := rand.New(rand.NewPCG(1, 0))
	means := make([]float32, *classes**features)
	for i := range means {
		means[i] = float32(0.4 * centres.NormFloat64())
	}
	return func(yield func(aoso.Block, error) bool) {
		values, labels := make([]float32, *blockRows**features), make([]int, *blockRows)
		for first := 0; first < *rows; first += *blockRows {
			n := min(*blockRows, *rows-first)
			made := values[:0]
			for i := range n {
				r := rand.NewPCG(2, uint64(first+i))
				k := int(r.Uint64() % uint64(*classes))
				labels[i] = k
				for _, mean := range means[k**features:][:*features] {
					made = append(made, mean+noise(r.Uint64()))
				}
			}
			if !yield(aoso.Block{Features: aoso.RowMajor(made, n, *features), Labels: aoso.IntLabels(labels[:n])}, nil) {
				return
			}
		}
	}
}

// noise is about normal: the sum of the bytes of a random number, of variance 1.
func noise(bits uint64) float32 {
	const deviation = 209.02 // of the sum of 8 bytes
	sum := 0
	for range 8 {
		sum += int(bits & 255)
		bits >>= 8
	}
	return float32(float64(sum-8*255/2) / deviation)
}

func writeCSV(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	column, line := make([]float64, 1), []byte(nil)
	for block := range blocks() {
		for i, label := range block.Labels {
			line = line[:0]
			for j := range *features {
				block.Features.Column(j, i, column)
				line = append(strconv.AppendFloat(line, column[0], 'f', 3, 64), ',')
			}
			line = append(append(line, label.Value()...), '\n')
			w.Write(line)
		}
	}
	return errors.Join(w.Flush(), f.Close())
}
