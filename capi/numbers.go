//go:build cgo

package main

import "math"

const (
	maxRows    = 1<<32 - 1
	maxCols    = 1<<31 - 1
	maxValues  = 1 << 48 // more than an address space can hold
	maxThreads = 1 << 12
)

// narrow converts an int64 to an int.
func narrow(name string, v int64) (int, error) {
	if int64(int(v)) != v {
		return 0, badArgument(name, v, "%d to %d", math.MinInt, math.MaxInt)
	}
	return int(v), nil
}

// within returns an error if v is not in the range from low to high.
func within(name string, v, low, high int64) error {
	if v < low || v > high {
		return badArgument(name, v, "%d to %d", low, high)
	}
	return nil
}

// threads checks a number of threads.
func threads(v int64) (int, error) { return int(v), within("nthread", v, 0, maxThreads) }
