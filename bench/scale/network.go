package main

import (
	"math"
	"runtime"
	"time"

	"github.com/libaoso/aoso"
)

// Network is a network between machines.
type Network struct {
	Name    string
	Latency time.Duration // of a message
	Rate    float64       // bytes a second, in either direction
}

// steps returns how many messages follow one another where n ranks talk by doubling.
func steps(ranks int) float64 { return math.Ceil(math.Log2(float64(ranks))) }

// reduce returns the time of an all-reduce: a reduce-scatter and an all-gather of the sums.
func (n Network) reduce(bytes float64, ranks int) float64 { return 2 * n.scatter(bytes, ranks) }

// scatter returns the time of a reduce-scatter.
func (n Network) scatter(bytes float64, ranks int) float64 {
	return steps(ranks)*n.Latency.Seconds() + bytes*float64(ranks-1)/float64(ranks)/n.Rate
}

// gather returns the time of an all-gather, of which each rank gives this many bytes.
func (n Network) gather(bytes float64, ranks int) float64 {
	return steps(ranks)*n.Latency.Seconds() + bytes*float64(ranks-1)/n.Rate
}

// Seconds returns the time of all calls of a tree.
func (n Network) Seconds(t Traffic, ranks int) float64 {
	if ranks == 1 {
		return 0
	}
	each := func(calls, bytes float64, one func(float64, int) float64) float64 {
		return calls * one(bytes/calls, ranks)
	}
	return each(t.Reduces, t.Reduced, n.reduce) + each(t.Scatters, t.Scattered, n.scatter) + each(t.Gatherings, t.Gathered, n.gather)
}

// delayed is a rank whose calls take as long as on a network, and are counted.
type delayed struct {
	aoso.CollectiveScatterer
	network Network
	sent    Traffic
}

// wait does not sleep, which takes a millisecond at least, and leaves the core to ranks
// that compute.
func (d *delayed) wait(seconds float64) {
	until := time.Now().Add(time.Duration(seconds * 1e9))
	for time.Now().Before(until) {
		runtime.Gosched()
	}
}

func (d *delayed) AllReduce(op aoso.CollectiveOp, v []int64) error {
	bytes := float64(8 * len(v))
	d.sent.Calls, d.sent.Reduces, d.sent.Reduced = d.sent.Calls+1, d.sent.Reduces+1, d.sent.Reduced+bytes
	err := d.CollectiveScatterer.AllReduce(op, v)
	d.wait(d.network.reduce(bytes, d.Size()))
	return err
}

func (d *delayed) ReduceScatter(v []int64, counts []int) ([]int64, error) {
	bytes := float64(8 * len(v))
	d.sent.Calls, d.sent.Scatters, d.sent.Scattered = d.sent.Calls+1, d.sent.Scatters+1, d.sent.Scattered+bytes
	sums, err := d.CollectiveScatterer.ReduceScatter(v, counts)
	d.wait(d.network.scatter(bytes, d.Size()))
	return sums, err
}

func (d *delayed) AllGather(b []byte) ([][]byte, error) {
	d.sent.Calls, d.sent.Gatherings, d.sent.Gathered = d.sent.Calls+1, d.sent.Gatherings+1, d.sent.Gathered+float64(len(b))
	all, err := d.CollectiveScatterer.AllGather(b)
	d.wait(d.network.gather(float64(len(b)), d.Size()))
	return all, err
}
