// Command scale estimates how long a tree takes on n machines. It measures the compute of
// one thread, checks the model against ranks in this process whose calls are delayed as
// on a network, and plans a training on many machines with it.
//
//	go run ./bench/scale -rows 300000 -features 30 -classes 10
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/libaoso/aoso"
)

// Model is what the time of a tree follows from.
type Model struct {
	Shape
	Fixed, PerRow float64 // seconds of one thread for a tree, and for each row of it
	Speedup       float64 // of a rank by its threads
	Busy          float64 // how much longer a thread takes where all cores compute
	Call          float64 // seconds that a call takes here without a network
}

// Seconds returns the time of a tree on ranks that have a core or a machine each, or share
// those that there are.
func (m Model) Seconds(ranks, cores int, network Network) (compute, messages float64) {
	m.Ranks = ranks
	t := m.Tree()
	compute = (m.Fixed + m.PerRow*float64(m.Rows)/float64(ranks)) / m.Speedup
	if ranks > 1 {
		compute *= max(1, float64(ranks)/float64(cores)) * m.Busy
		messages = m.Call*t.Calls + network.Seconds(t, ranks)
	}
	return compute, messages
}

var networks = []Network{
	{"none", 0, 1e12},
	{"0.1 ms, 10 Gbit/s", 100 * time.Microsecond, 1.25e9},
	{"0.5 ms, 1 Gbit/s", 500 * time.Microsecond, 1.25e8},
}

func main() {
	log.SetFlags(0)
	rows := flag.Int("rows", 300_000, "rows of the measured training")
	features := flag.Int("features", 30, "features of it")
	classes := flag.Int("classes", 10, "classes of it")
	trees := flag.Int("trees", 6, "trees of it, of which the first is not timed")
	flag.Parse()
	m, data, err := measure(*rows, *features, *classes, *trees)
	if err != nil {
		log.Fatal(err)
	}
	if err := check(m, data, *trees); err != nil {
		log.Fatal(err)
	}
	plan(m)
}

// measure measures the compute of one thread, and how many features are looked at in
// all their bins.
func measure(rows, features, classes, trees int) (m Model, data *table, err error) {
	m = Model{Speedup: 1, Call: call(), Shape: Shape{Ranks: 2, Rows: rows, Features: features, Bins: 33, FineBins: 256, Pairs: 4, Classes: classes, Leaves: 20}}
	seconds := [2]float64{}
	for i, n := range []int{rows / 4, rows} {
		data = newTable(n, features, classes, 1e4)
		one, err := data.train(1, trees, networks[0])
		if err != nil {
			return m, nil, err
		}
		seconds[i] = one.Seconds
		fmt.Printf("measured: %d rows x %d, %d classes, one thread: %.4f s a tree\n", n, features, classes, one.Seconds)
	}
	m.PerRow = max(0, (seconds[1]-seconds[0])/float64(rows-rows/4))
	m.Fixed = max(0, seconds[1]-m.PerRow*float64(rows))
	if m.Busy, err = busy(data, trees, seconds[1]); err != nil {
		return m, nil, err
	}
	fmt.Printf("measured: %.2f times as long where %d cores compute; a call between threads takes %.0f µs\n", m.Busy, runtime.NumCPU(), m.Call*1e6)
	two, err := data.train(2, trees, networks[0])
	if err != nil {
		return m, nil, err
	}
	without := m.Tree()
	m.Looks = 1
	m.Looks = max(0, two.Sent.Reduced-without.Reduced) / (m.Tree().Reduced - without.Reduced)
	want := m.Tree()
	fmt.Printf("measured: %.2f features of a node are looked at in all bins; a rank gives %.0f kB in %.0f calls, the formula has %.0f kB in %.0f\n\n",
		m.Looks, two.Sent.Bytes()/1e3, two.Sent.Calls, want.Bytes()/1e3, want.Calls)
	return m, data, nil
}

// busy returns how much longer trees take where every core trains by itself.
func busy(data *table, trees int, alone float64) (float64, error) {
	var all sync.WaitGroup
	runs, errs := make([]Run, runtime.NumCPU()), make([]error, runtime.NumCPU())
	for i := range runs {
		all.Go(func() { runs[i], errs[i] = data.train(1, trees, networks[0]) })
	}
	all.Wait()
	sum := 0.0
	for _, run := range runs {
		sum += run.Seconds
	}
	return max(1, sum/float64(len(runs))/alone), errors.Join(errs...)
}

// call returns the time of a call between two threads that come to it a while after one
// another.
func call() float64 {
	const calls, work = 500, 100 * time.Microsecond
	var all sync.WaitGroup
	start := time.Now()
	for rank, c := range aoso.NewLocalCollective(2) {
		all.Go(func() {
			d := delayed{CollectiveScatterer: c.(aoso.CollectiveScatterer)}
			for i := range calls {
				d.wait(float64(1+(i+rank)%2) * work.Seconds())
				if err := c.AllReduce(aoso.CollectiveSum, make([]int64, 100)); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	all.Wait()
	return time.Since(start).Seconds()/calls - 2*work.Seconds()
}

// check compares the model with trainings in this process.
func check(m Model, data *table, trees int) error {
	cores := runtime.NumCPU()
	fmt.Printf("| ranks on %d cores | network (delays) | measured s a tree | estimate: compute + messages | |\n| ---: | --- | ---: | ---: | ---: |\n", cores)
	fingerprint, advice := "", []string{}
	for ranks := 1; ranks <= 4; ranks++ {
		for _, network := range networks {
			if ranks == 1 && network.Latency > 0 {
				continue
			}
			run, err := data.train(ranks, trees, network)
			if err != nil {
				return err
			}
			if fingerprint == "" {
				fingerprint = run.Fingerprint
			}
			if run.Fingerprint != fingerprint {
				return fmt.Errorf("%d ranks train another model", ranks)
			}
			compute, messages := m.Seconds(ranks, cores, network)
			fmt.Printf("| %d | %s | %.3f | %.3f + %.3f | %+.0f %% |\n", ranks, network.Name, run.Seconds, compute, messages,
				100*((compute+messages)/run.Seconds-1))
			if run.Advice != "" {
				advice = append(advice, network.Name+": "+run.Advice)
			}
		}
	}
	fmt.Printf("\nwhat training says:\n%s\n", strings.Join(advice, "\n"))
	return nil
}

// plan estimates a large training. The compute of a row grows with the features and,
// for class totals, products and gradients, with the classes; here by their sum.
func plan(m Model) {
	const rows, features, threads, efficiency = 1_000_000_000, 100, 16, 0.7
	m.PerRow *= float64(features+m.Classes) / float64(m.Features+m.Classes)
	m.Fixed *= float64(features) / float64(m.Features)
	m.Rows, m.Features, m.Speedup, m.Busy, m.Call = rows, features, threads*efficiency, 1, 0
	fmt.Printf("\nestimate: %d rows x %d, %d classes, machines of %d threads that are worth %.1f\n\n", rows, features, m.Classes, threads, m.Speedup)
	fmt.Print("| machines | network | s a tree | of it messages | MB a rank gives |\n| ---: | --- | ---: | ---: | ---: |\n")
	for _, machines := range []int{4, 16, 64, 256} {
		for _, network := range networks[1:] {
			compute, messages := m.Seconds(machines, machines, network)
			m.Ranks = machines
			fmt.Printf("| %d | %s | %.2f | %.0f %% | %.1f |\n", machines, network.Name, compute+messages, 100*messages/(compute+messages),
				m.Tree().Bytes()/1e6)
		}
	}
}
