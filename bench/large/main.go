// Command large builds a dataset of many rows in a file and trains on it, and says
// how much time and memory that takes. The rows, a mixture of Gaussians, are made
// as they are read.
//
//	large -rows 20000000 build set.aosod   # in two passes
//	large train set.aosod                  # trees of that dataset
//	large -rows 20000000 csv rows.csv      # the same rows in a data file
//	large -rows 20000000 parquet rows.parquet
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/libaoso/aoso"
)

var (
	rows      = flag.Int("rows", 20_000_000, "rows to make")
	features  = flag.Int("features", 50, "features of a row")
	classes   = flag.Int("classes", 10, "classes")
	blockRows = flag.Int("block", 1<<16, "rows of a block")
	threads   = flag.Int("nthread", 0, "threads; 0: all cores")
	params    = flag.String("params", "preset=paper n_estimators=20", "parameters of the training")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("large: ")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: large [flags] build|train|csv|parquet FILE")
	}
	commands := map[string]func(file string) error{"build": build, "train": train, "csv": writeCSV, "parquet": writeParquet}
	run := commands[flag.Arg(0)]
	if run == nil {
		log.Fatalf("%q is no command; allowed: build, train, csv, parquet", flag.Arg(0))
	}
	start, peak := time.Now(), watch()
	if err := run(flag.Arg(1)); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%-5s %7.1f s, at most %s\n", flag.Arg(0), time.Since(start).Seconds(), peak())
}

func build(file string) error {
	set, err := aoso.NewDatasetFromBlocks(blocks(), aoso.DatasetOptions{Path: file, NThread: *threads})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d rows, %d features, %d classes\n", file, set.Rows(), len(set.FeatureNames()), len(set.Classes()))
	set.Close()
	return nil
}

func train(file string) error {
	p, err := aoso.ParseParams(*params)
	if err != nil {
		return err
	}
	p.NThread = *threads
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
	set.Close()
	return nil
}
