// Package bench benchmarks the library: training by instruction-set level and
// number of threads, building datasets, prediction, reading models and the cost
// of a call.
//
//	go test -bench . ./bench/...
//
// The names have the form key=value, which benchstat understands. make bench
// prints the levels side by side. The benchmarks of the single kernels, with
// their lower bounds, are in the root package: go test -bench Kernels .
//
// The folder peers has the comparison with other libraries, and the folder paper
// has the tables of the paper.
package bench
